import { lookup } from 'node:dns/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import type { SecureContext } from 'node:tls';
import type { CancelSignal } from '../model/cancel-signal.js';
import { callCanceled, HostError } from '../model/host-error.js';
import { toAbortSignal } from './abort-signal.js';
import { decodedBody } from './decoded-body.js';
import {
  allowedAddress,
  allowedDestination,
  type Destination,
  hostPort,
  type NetworkReach,
  parseDestination,
  type Resolve,
} from './destination.js';
import { networkFailure } from './network-failure.js';
import { TrustContexts } from './trusted-certificates.js';

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly reach: NetworkReach;
  readonly limits: RequestLimits;
  /** A request with a credential never follows a redirect. */
  readonly credential: boolean;
  /**
   * Whether redirects to other hosts with public addresses are followed, over https. Only for downloads whose content is
   * checked by its hash. Default: false.
   */
  readonly followsOtherHosts?: boolean;
  readonly signal: CancelSignal;
  /** Called with the `host:port` of a denied request, and of each server that is contacted. */
  readonly onDenied?: (host: string) => void;
  readonly onContacted?: ((host: string) => void) | undefined;
  /** Called by `send` with each part of the body of a successful response, as it arrives. */
  readonly onBody?: ((chunk: Buffer) => void) | undefined;
}

export interface RequestLimits {
  readonly wallMs: number;
  /** Maximum bytes of the response body after decompression. */
  readonly bodyBytes: number;
}

export interface HttpResponse {
  readonly status: number;
  readonly reason: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A response whose body is read as a stream. */
export interface HttpStream extends Omit<HttpResponse, 'body'> {
  /** Decompressed, without a size limit: the reader must count. Destroying it closes the connection. */
  readonly body: Readable;
}

export interface HttpClient {
  send(request: HttpRequest): Promise<HttpResponse>;
  /** Resolves when the headers are received. The time limit includes the body; Infinity means no limit. */
  open(request: HttpRequest): Promise<HttpStream>;
}

const maxRedirects = 5;

/** DNS as configured on this machine. */
export const systemResolve: Resolve = async (host) => {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map((it) => it.address);
};

/**
 * The only HTTP client of the host. It looks up the name, checks the address, and connects to exactly that address; TLS
 * still verifies the name. Node's http and https modules are sufficient for this.
 */
export function guardedClient(resolve: Resolve = systemResolve): HttpClient {
  const trust = new TrustContexts();
  const withSignals = async <T>(
    request: HttpRequest,
    work: (stream: HttpStream) => Promise<T>,
  ): Promise<T> => {
    const { wallMs } = request.limits;
    const callerSignal = toAbortSignal(request.signal);
    const timeout = Number.isFinite(wallMs) ? AbortSignal.timeout(wallMs) : undefined;
    const signal = timeout === undefined ? callerSignal : AbortSignal.any([callerSignal, timeout]);
    try {
      return await work(await follow(request, { resolve, trust }, signal));
    } catch (error) {
      if (request.signal.aborted) throw callCanceled(error);
      if (timeout?.aborted === true) {
        const { host } = new URL(request.url);
        throw new HostError('timeout', `no response from ${host} within ${wallMs / 1000} s`, {
          cause: error,
        });
      }
      throw error;
    }
  };
  return {
    open: (request) => withSignals(request, async (stream) => stream),
    send: (request) =>
      withSignals(request, async ({ body, ...head }) => {
        try {
          const isSuccess = head.status >= 200 && head.status <= 299;
          const onChunk = isSuccess ? request.onBody : undefined;
          return { ...head, body: await readBody(body, request.limits.bodyBytes, onChunk) };
        } catch (error) {
          throw networkFailure(error, parseDestination(request.url));
        } finally {
          body.destroy();
        }
      }),
  };
}

interface Connecting {
  readonly resolve: Resolve;
  readonly trust: TrustContexts;
}

async function follow(
  request: HttpRequest,
  { resolve, trust }: Connecting,
  signal: AbortSignal,
): Promise<HttpStream> {
  let { method, url, body, reach } = request;
  for (let hop = 0; ; hop++) {
    const { destination, address } = await checkedTarget(url, { ...request, reach }, resolve, signal);
    const response = await exchange(
      { ...request, method, ...(body === undefined ? {} : { body }) },
      destination,
      { address, secureContext: destination.tls ? trust.get(request.reach.certificates) : undefined },
      signal,
    );
    const location = response.headers.location;
    if (response.status < 300 || response.status > 399 || response.status === 304 || location === undefined)
      return response;
    response.body.destroy();
    const next = redirectTarget(location, destination);
    const isOther = next.origin !== destination.url.origin;
    if (request.credential || (isOther && request.followsOtherHosts !== true)) {
      request.onDenied?.(hostPort(parseDestination(next.href)));
      throw new HostError(
        'network_denied',
        `${destination.host} redirects to ${next.origin}, which is not followed`,
      );
    }
    if (hop === maxRedirects)
      throw new HostError('network_failed', `${destination.host} redirects more than ${maxRedirects} times`);
    url = next.href;
    if (isOther) {
      const { host, port } = parseDestination(url);
      reach = { ...reach, hosts: [...reach.hosts, { host, port }] };
    }
    if (response.status !== 307 && response.status !== 308 && method !== 'GET') {
      method = 'GET';
      body = undefined;
    }
  }
}

async function checkedTarget(
  url: string,
  { reach, onDenied, onContacted }: HttpRequest,
  resolve: Resolve,
  signal: CancelSignal,
): Promise<{ destination: Destination; address: string }> {
  try {
    const destination = allowedDestination(url, reach);
    const address = await abortable(allowedAddress(destination, reach, resolve), signal);
    onContacted?.(hostPort(destination));
    return { destination, address };
  } catch (error) {
    if (error instanceof HostError && error.code === 'network_denied')
      onDenied?.(hostPort(parseDestination(url)));
    throw error;
  }
}

function redirectTarget(location: string, from: Destination): URL {
  try {
    return new URL(location, from.url);
  } catch (error) {
    throw new HostError('network_failed', `${from.host} redirects to an invalid URL`, {
      cause: error,
    });
  }
}

/** Rejects when the signal aborts. A DNS lookup itself cannot be canceled. */
function abortable<T>(work: Promise<T>, signal: CancelSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new HostError('canceled', 'the request was canceled'));
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

function exchange(
  request: HttpRequest,
  destination: Destination,
  { address, secureContext }: { readonly address: string; readonly secureContext: SecureContext | undefined },
  signal: AbortSignal,
): Promise<HttpStream> {
  const { url, host, port, tls } = destination;
  const body = typeof request.body === 'string' ? Buffer.from(request.body) : request.body;
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
      ...(secureContext === undefined ? {} : { secureContext }),
    });
    outgoing.once('error', failed);
    outgoing.once('upgrade', (_incoming, socket) => {
      socket.destroy();
      reject(
        new HostError(
          'network_failed',
          `${destination.host} asked for a protocol upgrade, which is not supported`,
        ),
      );
    });
    let responded = false;
    outgoing.once('close', () => {
      if (!responded) failed(Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' }));
    });
    outgoing.once('response', (incoming) => {
      responded = true;
      const reached = incoming.socket.remoteAddress;
      if (reached !== undefined && reached.replace(/^::ffff:/, '') !== address.replace(/^::ffff:/, '')) {
        outgoing.destroy();
        reject(new HostError('network_denied', `the connection went to ${reached} instead of ${address}`));
        return;
      }
      const body = decodedBody(incoming);
      // Without a listener an early error would crash the process; a later reader still gets it.
      body.on('error', () => {});
      body.once('close', () => outgoing.destroy());
      resolve({
        status: incoming.statusCode ?? 0,
        reason: incoming.statusMessage ?? '',
        headers: headersOf(incoming),
        body,
      });
    });
    outgoing.end(body);
  });
}

async function readBody(
  body: Readable,
  limit: number,
  onChunk: ((chunk: Buffer) => void) | undefined,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += (chunk as Buffer).length;
    if (size > limit)
      throw new HostError(
        'output_too_large',
        `the response is larger than ${limit.toLocaleString('en')} bytes`,
      );
    chunks.push(chunk as Buffer);
    onChunk?.(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

function headersOf(incoming: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return headers;
}
