// The part of the NATS client protocol that a small service needs: CONNECT, SUB, PUB, MSG, PING and PONG.
import { createConnection } from 'node:net';

/** The URL may contain a user and a password: nats://user:password@host:4222. */
export function connect(address, onClose) {
  const url = new URL(address);
  const socket = createConnection({ host: url.hostname, port: Number(url.port || 4222) });
  const handlers = new Map();
  let buffer = Buffer.alloc(0);
  let subscriptions = 0;

  const options = {
    verbose: false,
    pedantic: false,
    lang: 'node',
    version: '1.0.0',
    ...(url.username === '' ? {} : { user: decodeURIComponent(url.username) }),
    ...(url.password === '' ? {} : { pass: decodeURIComponent(url.password) }),
  };

  const bus = {
    subscribe(subject, handler) {
      subscriptions++;
      handlers.set(String(subscriptions), handler);
      socket.write(`SUB ${subject} ${subscriptions}\r\n`);
    },
    publish(subject, text) {
      const payload = Buffer.from(text);
      socket.write(Buffer.concat([Buffer.from(`PUB ${subject} ${payload.length}\r\n`), payload, lineEnd]));
    },
    /** Resolves when all published messages are written to the socket. */
    flush: () => new Promise((resolve) => socket.write('', resolve)),
  };

  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.once('close', () => {
      reject(new Error(`NATS at ${url.host} closed the connection`));
      onClose();
    });
    socket.on('data', (chunk) => {
      buffer = Buffer.concat([buffer, chunk]);
      for (;;) {
        const end = buffer.indexOf(lineEnd);
        if (end === -1) return;
        const [verb, ...args] = buffer.toString('utf8', 0, end).split(/\s+/);
        let next = end + 2;
        if (verb === 'MSG') {
          // MSG subject sid [reply] size, then the payload.
          const size = Number(args.at(-1));
          if (buffer.length < next + size + 2) return;
          const payload = buffer.toString('utf8', next, next + size);
          next += size + 2;
          handlers.get(args[1])?.(payload, args.length === 4 ? args[2] : undefined);
        } else if (verb === 'INFO') {
          socket.write(`CONNECT ${JSON.stringify(options)}\r\nPING\r\n`);
        } else if (verb === 'PING') {
          socket.write('PONG\r\n');
        } else if (verb === 'PONG') {
          resolve(bus);
        } else if (verb === '-ERR') {
          reject(new Error(`NATS error: ${args.join(' ')}`));
        }
        buffer = buffer.subarray(next);
      }
    });
  });
}

const lineEnd = Buffer.from('\r\n');
