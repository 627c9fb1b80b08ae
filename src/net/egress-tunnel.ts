import type { Socket } from 'node:net';

/** What a refused or failed request is told. Clients show the phrase or the body, seldom both. */
export interface Answer {
  readonly status: number;
  readonly phrase: string;
  readonly body: string;
}

export interface Splice {
  /** Whether the client must begin with a TLS handshake. */
  readonly encrypted: boolean;
  /** Told when it did not. */
  readonly refuse: () => void;
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
  if (!options.encrypted) {
    if (head.length > 0) upstream.write(head);
    client.pipe(upstream);
    return;
  }
  let first = head;
  const judge = () => {
    if (first.length < 2) return false;
    if (first[0] === 0x16 && first[1] === 0x03) {
      upstream.write(first);
      client.pipe(upstream);
    } else {
      options.refuse();
      end();
    }
    return true;
  };
  if (judge()) return;
  const read = (chunk: Buffer) => {
    first = Buffer.concat([first, chunk]);
    if (first.length < 2) return;
    client.off('data', read);
    client.pause();
    judge();
  };
  client.on('data', read);
  client.once('end', () => upstream.end());
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
