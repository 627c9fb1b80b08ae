import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import tls, { createSecureContext, rootCertificates } from 'node:tls';
import { ConnectionFailure } from './bridge-failure.js';

export interface EndpointOptions {
  readonly url: URL;
  /** Reads the token. Called again if the server does not accept the last one, because the file may have changed. */
  readonly readToken: () => string;
  /** PEM of certificates to trust besides the usual ones. */
  readonly certificates: string | undefined;
}

export interface EndpointRequest {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** Time to connect, in milliseconds. An answer may take as long as the call. */
const connectMs = 10_000;
/** A connection without a request is closed before usual servers close it. */
const idleMs = 5000;
/** A peer that disappeared is noticed this long after its last sign of life, and some seconds. */
const probeMs = 15_000;

/** One MCP URL. It follows no redirect, because the token is for this server. */
export class BridgeEndpoint {
  readonly #options: EndpointOptions;
  readonly #agent: HttpAgent;
  #token: string;

  constructor(options: EndpointOptions) {
    this.#options = options;
    this.#token = options.readToken();
    const kept = { keepAlive: true, timeout: idleMs };
    this.#agent =
      options.url.protocol === 'https:'
        ? new HttpsAgent({ ...kept, ...trusting(options.certificates) })
        : new HttpAgent(kept);
  }

  get url(): URL {
    return this.#options.url;
  }

  /** Resolves when the headers are received. A token that is not accepted is read again once. */
  async open(request: EndpointRequest): Promise<IncomingMessage> {
    const response = await this.#send(request);
    if (response.statusCode !== 401) return response;
    const token = this.#options.readToken();
    if (token === this.#token) return response;
    this.#token = token;
    response.destroy();
    return this.#send(request);
  }

  close(): void {
    this.#agent.destroy();
  }

  #send({ method, headers, body, signal }: EndpointRequest): Promise<IncomingMessage> {
    const { url } = this.#options;
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      let isConnected = false;
      const outgoing = send(url, {
        method,
        agent: this.#agent,
        signal,
        headers: {
          'user-agent': 'toolwharf',
          ...headers,
          authorization: `Bearer ${this.#token}`,
          ...(body === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        },
      });
      const connecting = setTimeout(() => {
        if (!isConnected) outgoing.destroy(Object.assign(new Error('no connection'), { code: 'ETIMEDOUT' }));
      }, connectMs);
      outgoing.once('socket', (socket) => {
        isConnected = outgoing.reusedSocket;
        socket.setKeepAlive(true, probeMs);
        socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
          isConnected = true;
        });
      });
      outgoing.once('close', () => clearTimeout(connecting));
      outgoing.once('error', (error) => reject(new ConnectionFailure(error, url, !isConnected)));
      outgoing.once('response', (response) => {
        // Without a listener an early error would end the process; a later reader still gets it.
        response.on('error', () => {});
        resolve(response);
      });
      outgoing.end(body);
    });
  }
}

function trusting(certificates: string | undefined): object {
  if (certificates === undefined) return {};
  // Node 20 cannot list the certificates that it trusts by default, except for those that it contains.
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => readonly string[] };
  const usual = getCACertificates?.('default') ?? rootCertificates;
  return { secureContext: createSecureContext({ ca: [...usual, certificates] }) };
}
