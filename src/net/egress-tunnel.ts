import { isIP, type Socket } from 'node:net';
import { type ClientHello, parseClientHello } from './client-hello.js';

/** The response to a denied or failed request. Clients show the phrase or the body, rarely both. */
export interface ProxyResponse {
  readonly status: number;
  readonly phrase: string;
  readonly body: string;
}

export interface TunnelOptions {
  /** The client must start a TLS handshake with this host; null: any data may be sent. */
  readonly encryptedFor: string | null;
  /** Called with what the client did instead. */
  readonly onDenied: (what: string) => void;
}

/** Time for a denied client to read the response. */
const lingerMs = 2000;

/** Connects two sockets in both directions. Each side may close its half. The client socket has an idle timeout. */
export function pipeTunnel(client: Socket, upstream: Socket, head: Buffer, options: TunnelOptions): void {
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
  // When the server has closed, the client is closed after its data has been written.
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
  const check = () => {
    const hello = parseClientHello(first);
    if (hello.kind === 'incomplete') return false;
    const problem = problemOf(hello, encryptedFor);
    if (problem === undefined) {
      upstream.write(first);
      client.pipe(upstream);
    } else {
      options.onDenied(problem);
      end();
    }
    return true;
  };
  if (check()) return;
  const read = (chunk: Buffer) => {
    first = Buffer.concat([first, chunk]);
    client.pause();
    if (check()) client.off('data', read);
    else client.resume();
  };
  client.on('data', read);
  client.once('end', () => upstream.end());
}

/** The server name must be the allowed host: a server with several names must not be asked for another one. */
function problemOf(hello: Exclude<ClientHello, { kind: 'incomplete' }>, host: string): string | undefined {
  if (hello.kind === 'not-tls') return 'without encryption';
  if (hello.encrypted) return 'with an encrypted server name';
  const expected = isIP(host) === 0 ? host : null;
  const requested = hello.name?.toLowerCase().replace(/\.$/, '') ?? null;
  if (requested === expected || (expected === null && requested === host)) return undefined;
  return requested === null ? 'without a server name' : `with the server name ${requested}`;
}

/** Responds to a CONNECT that does not become a tunnel. */
export function writeRawResponse(client: Socket, { status, phrase, body }: ProxyResponse): void {
  if (client.destroyed) return;
  client.setTimeout(lingerMs, () => client.destroy());
  client.once('finish', () => setTimeout(() => client.destroy(), lingerMs).unref());
  client.resume();
  client.end(
    `HTTP/1.1 ${status} ${phrase}\r\ncontent-type: text/plain; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
