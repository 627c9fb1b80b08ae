import { lookup } from 'node:dns/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { HostError } from '../model/host-error.js';
import type { Signal } from '../model/signal.js';
import {
  type Destination,
  destinationOf,
  nameOf,
  parseDestination,
  type Reach,
  type Resolve,
  vettedAddress,
} from './destination.js';
import { platformSignal } from './platform-signal.js';

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly reach: Reach;
  readonly limits: HttpLimits;
  /** A request with a credential never follows a redirect. */
  readonly credential: boolean;
  readonly signal: Signal;
  /** Told of a place that was not gone to, as `host:port`. */
  readonly onRefused?: (place: string) => void;
}

export interface HttpLimits {
  readonly wallMs: number;
  /** Bytes of the answer after decompression. */
  readonly bodyBytes: number;
}

export interface HttpResponse {
  readonly status: number;
  readonly reason: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** An answer that is read while it comes. */
export interface HttpStream extends Omit<HttpResponse, 'body'> {
  /** Decompressed, and as long as it is: whoever reads it counts. Destroying it ends the connection. */
  readonly body: Readable;
}

export interface HttpClient {
  send(request: HttpRequest): Promise<HttpResponse>;
  /** Resolves with the head of the answer. The time is for all of it; without end where that is infinite. */
  open(request: HttpRequest): Promise<HttpStream>;
}

const maxRedirects = 5;

/** The names as this machine knows them. */
export const systemResolve: Resolve = async (host) => {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map((it) => it.address);
};

/**
 * The one way out. Node's own http and https are enough here: the address is looked up and judged before the
 * connection, the connection is made to that very address, and TLS still checks the name.
 */
export function guardedClient(resolve: Resolve = systemResolve): HttpClient {
  const within = async <T>(request: HttpRequest, work: (stream: HttpStream) => Promise<T>): Promise<T> => {
    const { wallMs } = request.limits;
    const given = platformSignal(request.signal);
    const timeout = Number.isFinite(wallMs) ? AbortSignal.timeout(wallMs) : undefined;
    const signal = timeout === undefined ? given : AbortSignal.any([given, timeout]);
    try {
      return await work(await follow(request, resolve, signal));
    } catch (error) {
      if (request.signal.aborted) throw new HostError('canceled', 'the call was canceled', { cause: error });
      if (timeout?.aborted === true) {
        const { host } = new URL(request.url);
        throw new HostError('timeout', `no answer within ${wallMs / 1000} s from ${host}`, { cause: error });
      }
      throw error;
    }
  };
  return {
    open: (request) => within(request, async (stream) => stream),
    send: (request) =>
      within(request, async ({ body, ...head }) => {
        try {
          return { ...head, body: await readBody(body, request.limits.bodyBytes) };
        } catch (error) {
          throw networkFailure(error, parseDestination(request.url));
        } finally {
          body.destroy();
        }
      }),
  };
}

async function follow(request: HttpRequest, resolve: Resolve, signal: AbortSignal): Promise<HttpStream> {
  let { method, url, body } = request;
  for (let hop = 0; ; hop++) {
    const { destination, address } = await judged(url, request, resolve, signal);
    const response = await exchange(
      { ...request, method, ...(body === undefined ? {} : { body }) },
      destination,
      address,
      signal,
    );
    const location = response.headers.location;
    if (response.status < 300 || response.status > 399 || response.status === 304 || location === undefined)
      return response;
    response.body.destroy();
    const next = redirectTarget(location, destination);
    if (request.credential || next.origin !== destination.url.origin) {
      request.onRefused?.(nameOf(parseDestination(next.href)));
      throw new HostError(
        'network_denied',
        `${destination.host} redirects to ${next.origin}, which is not followed`,
      );
    }
    if (hop === maxRedirects)
      throw new HostError('network_failed', `${destination.host} redirects more than ${maxRedirects} times`);
    url = next.href;
    if (response.status !== 307 && response.status !== 308 && method !== 'GET') {
      method = 'GET';
      body = undefined;
    }
  }
}

async function judged(
  url: string,
  { reach, onRefused }: HttpRequest,
  resolve: Resolve,
  signal: Signal,
): Promise<{ destination: Destination; address: string }> {
  try {
    const destination = destinationOf(url, reach);
    return { destination, address: await abortable(vettedAddress(destination, reach, resolve), signal) };
  } catch (error) {
    if (error instanceof HostError && error.code === 'network_denied')
      onRefused?.(nameOf(parseDestination(url)));
    throw error;
  }
}

function redirectTarget(location: string, from: Destination): URL {
  try {
    return new URL(location, from.url);
  } catch (error) {
    throw new HostError('network_failed', `${from.host} redirects to something that is no address`, {
      cause: error,
    });
  }
}

/** A lookup cannot be called off, but nobody has to wait for it. */
function abortable<T>(work: Promise<T>, signal: Signal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new HostError('canceled', 'the request was given up'));
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

function exchange(
  request: HttpRequest,
  destination: Destination,
  address: string,
  signal: AbortSignal,
): Promise<HttpStream> {
  const { url, host, port, tls } = destination;
  const body = request.body === undefined ? undefined : Buffer.from(request.body);
  const headers: Record<string, string | number> = {
    'accept-encoding': 'gzip, deflate, br',
    ...request.headers,
    host: url.host,
    connection: 'close',
    ...(body === undefined ? {} : { 'content-length': body.length }),
  };
  return new Promise((resolve, reject) => {
    const failed = (error: unknown) => reject(networkFailure(error, destination));
    const send = tls ? httpsRequest : httpRequest;
    const outgoing = send({
      host: address,
      port,
      method: request.method,
      path: `${url.pathname}${url.search}`,
      headers,
      agent: false,
      signal,
      maxHeaderSize: 32 * 1024,
      ...(tls ? { servername: isIP(host) === 0 ? host : '' } : {}),
    });
    outgoing.once('error', failed);
    outgoing.once('upgrade', (_incoming, socket) => {
      socket.destroy();
      reject(new HostError('network_failed', `${destination.host} wants to change the protocol`));
    });
    let answered = false;
    outgoing.once('close', () => {
      if (!answered) failed(new Error('the connection was closed'));
    });
    outgoing.once('response', (incoming) => {
      answered = true;
      const reached = incoming.socket.remoteAddress;
      if (reached !== undefined && reached.replace(/^::ffff:/, '') !== address.replace(/^::ffff:/, '')) {
        outgoing.destroy();
        reject(new HostError('network_denied', `the connection went to ${reached} instead of ${address}`));
        return;
      }
      const body = decoded(incoming);
      // What breaks before anybody reads is told to whoever reads then.
      body.on('error', () => {});
      body.once('close', () => outgoing.destroy());
      resolve({
        status: incoming.statusCode ?? 0,
        reason: incoming.statusMessage ?? '',
        headers: flat(incoming),
        body,
      });
    });
    outgoing.end(body);
  });
}

async function readBody(body: Readable, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += (chunk as Buffer).length;
    if (size > limit)
      throw new HostError(
        'output_too_large',
        `the answer is larger than ${limit.toLocaleString('en')} bytes`,
      );
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

const decompressors = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** The cap counts what comes out of the decompressor, so that a small bomb stays small. */
function decoded(incoming: IncomingMessage): Readable {
  const decompressor = decompressors.get(incoming.headers['content-encoding']?.trim().toLowerCase() ?? '');
  if (decompressor === undefined) return incoming;
  const stream = decompressor();
  incoming.once('error', (error) => stream.destroy(error));
  stream.once('close', () => incoming.destroy());
  return incoming.pipe(stream);
}

function flat(incoming: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return headers;
}

function networkFailure(error: unknown, destination: Destination): unknown {
  if (error instanceof HostError) return error;
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
  return new HostError(
    'network_failed',
    `the request to ${destination.host}:${destination.port} failed (${code})`,
    { cause: error },
  );
}
