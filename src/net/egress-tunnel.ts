import { isIP, type Socket } from 'node:net';
import { type Greeting, readGreeting } from './client-hello.js';

/** What a refused or failed request is told. Clients show the phrase or the body, seldom both. */
export interface Answer {
  readonly status: number;
  readonly phrase: string;
  readonly body: string;
}

export interface Splice {
  /** The host that the client must begin a TLS handshake with; null when it may say what it likes. */
  readonly encryptedFor: string | null;
  /** Told what it did instead. */
  readonly refuse: (what: string) => void;
}

/** How long a refused client may take to read why. */
const lingerMs = 2000;

/** Joins two connections. Each end may close its half; the other half goes on. The client has an idle time-out. */
export function splice(client: Socket, upstream: Socket, head: Buffer, options: Splice): void {
  const end = () => {
    client.destroy();
    upstream.destroy();
  };
  for (const socket of [client, upstream]) {
    socket.setNoDelay(true);
    socket.once('close', (failed) => {
      if (failed) end();
    });
  }
  // A half that is gone altogether takes the other with it once that has been written out.
  upstream.once('close', () => client.end());
  client.once('close', () => upstream.destroy());
  client.write('HTTP/1.1 200 Connection established\r\n\r\n');
  upstream.pipe(client);
  const { encryptedFor } = options;
  if (encryptedFor === null) {
    if (head.length > 0) upstream.write(head);
    client.pipe(upstream);
    return;
  }
  let first = head;
  const judge = () => {
    const greeting = readGreeting(first);
    if (greeting.kind === 'more') return false;
    const wrong = wrongWith(greeting, encryptedFor);
    if (wrong === undefined) {
      upstream.write(first);
      client.pipe(upstream);
    } else {
      options.refuse(wrong);
      end();
    }
    return true;
  };
  if (judge()) return;
  const read = (chunk: Buffer) => {
    first = Buffer.concat([first, chunk]);
    client.pause();
    if (judge()) client.off('data', read);
    else client.resume();
  };
  client.on('data', read);
  client.once('end', () => upstream.end());
}

/** A credential goes to the host that was judged: a server of many names must not be asked for another of them. */
function wrongWith(greeting: Exclude<Greeting, { kind: 'more' }>, host: string): string | undefined {
  if (greeting.kind === 'not-tls') return 'without encryption';
  if (greeting.hidden) return 'with a hidden name';
  const expected = isIP(host) === 0 ? host : null;
  const asked = greeting.name?.toLowerCase().replace(/\.$/, '') ?? null;
  if (asked === expected || (expected === null && asked === host)) return undefined;
  return asked === null ? 'without a name' : `under the name ${asked}`;
}

/** Answers a CONNECT that does not become a tunnel. */
export function answerRaw(client: Socket, { status, phrase, body }: Answer): void {
  if (client.destroyed) return;
  client.setTimeout(lingerMs, () => client.destroy());
  client.once('finish', () => setTimeout(() => client.destroy(), lingerMs).unref());
  client.resume();
  client.end(
    `HTTP/1.1 ${status} ${phrase}\r\ncontent-type: text/plain; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
