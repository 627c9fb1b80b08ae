// Passes connections on to another port of this machine, and fails as networks and proxies do.
import { connect, createServer, type Socket } from 'node:net';

/**
 * `silent`: nothing is passed on and nothing is closed, like a phone that left its network. `bad-gateway`: the answer of a
 * proxy whose host is not there.
 */
export type RelayMode = 'pass' | 'silent' | 'bad-gateway';

export interface Relay {
  readonly port: number;
  /** Connects it to a port of 127.0.0.1. */
  aim(port: number): void;
  /** Connections that cannot work any more in the new mode end. */
  become(mode: RelayMode): void;
  /** How many connections were opened. */
  connections(): number;
  close(): Promise<void>;
}

export async function openRelay(): Promise<Relay> {
  let target = 0;
  let mode: RelayMode = 'pass';
  let count = 0;
  const open = new Set<Socket>();
  const keep = (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => open.delete(socket));
  };
  const server = createServer((client) => {
    count++;
    keep(client);
    if (mode === 'bad-gateway') {
      client.once('data', () =>
        client.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'),
      );
      return;
    }
    if (mode === 'silent') return void client.resume();
    const host = connect(target, '127.0.0.1');
    keep(host);
    for (const [from, to] of [
      [client, host],
      [host, client],
    ] as const) {
      from.on('data', (bytes) => mode === 'pass' && to.write(bytes));
      from.once('close', () => mode === 'silent' || to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    port,
    aim: (to) => {
      target = to;
    },
    become: (next) => {
      // After a silence, what was lost is missing in the streams.
      if (next !== 'silent') for (const it of open) it.destroy();
      mode = next;
    },
    connections: () => count,
    close: () =>
      new Promise((resolve) => {
        for (const it of open) it.destroy();
        server.close(() => resolve());
      }),
  };
}
