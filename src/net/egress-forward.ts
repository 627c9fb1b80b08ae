import {
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { isIP, type Socket } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import { HostError } from '../model/host-error.js';
import { type Destination, nameOf } from './destination.js';

/** Meant for one connection only; never passed on. The framing is set anew. */
const ownToTheHop = new Set([
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
 * Passes one request in absolute form on, and its answer back. The path and the Host header come from the address
 * that was judged, whatever the client wrote. Some clients ask for https this way; then the TLS is made here.
 */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  destination: Destination,
  idle: number,
  reach: () => Promise<Socket>,
): Promise<void> {
  const upgrade = request.headers.upgrade;
  // A server may ignore h2c, and then the request is an ordinary one.
  if (upgrade !== undefined && upgrade.trim().toLowerCase() !== 'h2c')
    throw new HostError('usage', `changing the protocol to ${upgrade} goes over https only`);
  const socket = await reach();
  const { url, host, tls } = destination;
  await new Promise<void>((resolve, reject) => {
    const failed = (error: unknown) => {
      const code = (error as NodeJS.ErrnoException | null)?.code ?? 'it was closed';
      reject(
        new HostError('network_failed', `the connection to ${nameOf(destination)} failed (${code})`, {
          cause: error,
        }),
      );
    };
    const outgoing = httpRequest({
      method: request.method ?? 'GET',
      path: `${url.pathname}${url.search}`,
      headers: { ...passedOn(request), ...framing(request.headers), host: url.host, connection: 'close' },
      setHost: false,
      maxHeaderSize: 32 * 1024,
      createConnection: () =>
        tls ? tlsConnect({ socket, host, servername: isIP(host) === 0 ? host : '' }) : socket,
    });
    socket.setTimeout(idle, () => socket.destroy());
    outgoing.on('error', failed);
    const closed = () => failed(null);
    outgoing.once('close', closed);
    outgoing.once('upgrade', (_answer, upgraded) => {
      upgraded.destroy();
      failed(null);
    });
    outgoing.once('response', (answer) => {
      // From here on only the answer counts: a server may close before it has read or been read to the end.
      outgoing.off('close', closed).off('error', failed);
      outgoing.on('error', () => {});
      answer.once('error', failed);
      try {
        response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? '', {
          ...passedOn(answer),
          ...framing(answer.headers),
        });
      } catch (error) {
        outgoing.destroy();
        failed(error);
        return;
      }
      answer.pipe(response, { end: false });
      answer.once('end', () => endAfter(request, response));
    });
    response.once('close', () => {
      outgoing.destroy();
      socket.destroy();
      resolve();
    });
    request.pipe(outgoing);
  });
}

/** How long a client may go on sending after it has been answered. */
const lingerMs = 10_000;

/**
 * Ends an answer once the request has been read. A client that is still sending looks at the answer only afterwards,
 * and would see a broken connection instead.
 */
export function endAfter(request: IncomingMessage, response: ServerResponse): void {
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

function passedOn(message: IncomingMessage): Record<string, string[]> {
  const named = (message.headers.connection ?? '').split(',').map((it) => it.trim().toLowerCase());
  const passed: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const [header, values] of Object.entries(message.headersDistinct)) {
    if (ownToTheHop.has(header) || header.startsWith('proxy-') || named.includes(header)) continue;
    if (values !== undefined) passed[header] = values;
  }
  return passed;
}

function framing(headers: IncomingHttpHeaders): Record<string, string> {
  const length = headers['content-length'];
  if (headers['transfer-encoding'] !== undefined) return { 'transfer-encoding': 'chunked' };
  return length === undefined ? {} : { 'content-length': length };
}
