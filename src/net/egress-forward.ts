import {
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { isIP, type Socket } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import { HostError } from '../model/host-error.js';
import { type Destination, hostPort } from './destination.js';

/** Hop-by-hop headers, which are never forwarded. Length and encoding are set again. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'content-length',
  'upgrade',
  'expect',
  'host',
  'http2-settings',
]);

/**
 * Forwards one request in absolute form, and its response. Path and Host header come from the URL that was checked, not
 * from the client's headers. Some clients request https URLs this way; then the proxy makes the TLS connection.
 */
export async function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  destination: Destination,
  idleMs: number,
  connect: () => Promise<Socket>,
): Promise<void> {
  const upgrade = request.headers.upgrade;
  // h2c may be ignored: then it is an ordinary request.
  if (upgrade !== undefined && upgrade.trim().toLowerCase() !== 'h2c')
    throw new HostError('usage', `a protocol upgrade to ${upgrade} is only possible over https`);
  const socket = await connect();
  const { url, host, tls } = destination;
  await new Promise<void>((resolve, reject) => {
    const failed = (error: unknown) => {
      const code = (error as NodeJS.ErrnoException | null)?.code ?? 'connection closed';
      reject(
        new HostError('network_failed', `the connection to ${hostPort(destination)} failed (${code})`, {
          cause: error,
        }),
      );
    };
    const outgoing = httpRequest({
      method: request.method ?? 'GET',
      path: `${url.pathname}${url.search}`,
      headers: {
        ...forwardedHeaders(request),
        ...framingHeaders(request.headers),
        host: url.host,
        connection: 'close',
      },
      setHost: false,
      maxHeaderSize: 32 * 1024,
      createConnection: () =>
        tls ? tlsConnect({ socket, host, servername: isIP(host) === 0 ? host : '' }) : socket,
    });
    socket.setTimeout(idleMs, () => socket.destroy());
    outgoing.on('error', failed);
    const closed = () => failed(null);
    outgoing.once('close', closed);
    outgoing.once('upgrade', (_incoming, upgraded) => {
      upgraded.destroy();
      failed(null);
    });
    outgoing.once('response', (incoming) => {
      // From here on only the response counts: a server may close before it has read the whole request.
      outgoing.off('close', closed).off('error', failed);
      outgoing.on('error', () => {});
      incoming.once('error', failed);
      try {
        response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage ?? '', {
          ...forwardedHeaders(incoming),
          ...framingHeaders(incoming.headers),
        });
      } catch (error) {
        outgoing.destroy();
        failed(error);
        return;
      }
      incoming.pipe(response, { end: false });
      incoming.once('end', () => endAfterRequest(request, response));
    });
    response.once('close', () => {
      outgoing.destroy();
      socket.destroy();
      resolve();
    });
    request.pipe(outgoing);
  });
}

/** Time in which a client may continue sending after the response. */
const lingerMs = 10_000;

/**
 * Ends a response after the request has been read. A client that is still sending reads the response only afterwards,
 * and would see a broken connection otherwise.
 */
export function endAfterRequest(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete) {
    response.end();
    return;
  }
  const timer = setTimeout(() => response.end(), lingerMs);
  response.once('close', () => clearTimeout(timer));
  request.once('end', () => response.end());
  request.unpipe();
  request.resume();
}

function forwardedHeaders(message: IncomingMessage): Record<string, string[]> {
  const connectionHeaders = (message.headers.connection ?? '')
    .split(',')
    .map((it) => it.trim().toLowerCase());
  const forwarded: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const [header, values] of Object.entries(message.headersDistinct)) {
    if (hopByHop.has(header) || header.startsWith('proxy-') || connectionHeaders.includes(header)) continue;
    if (values !== undefined) forwarded[header] = values;
  }
  return forwarded;
}

function framingHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const length = headers['content-length'];
  if (headers['transfer-encoding'] !== undefined) return { 'transfer-encoding': 'chunked' };
  return length === undefined ? {} : { 'content-length': length };
}
