import { once } from 'node:events';
import { chmod } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { HostError } from '../model/host-error.js';
import { allowedAddresses, type Destination, grantNeeded, hostPort, type Resolve } from './destination.js';
import { connectFirst, withTimeout } from './egress-connect.js';
import { endAfterRequest, forwardRequest } from './egress-forward.js';
import {
  checkHostName,
  type DeniedHost,
  type EgressPolicy,
  requestTarget,
  requiresTls,
  tunnelTarget,
} from './egress-policy.js';
import { type ProxyResponse, pipeTunnel, writeRawResponse } from './egress-tunnel.js';
import { systemResolve } from './http-client.js';

export type { DeniedHost, EgressPolicy } from './egress-policy.js';

/** The network access of one sandbox. There is no other way out of it. */
export interface EgressProxy {
  readonly socket: string;
  /** Starts serving requests. Before that, all of them are denied. */
  activate(): void;
  /** The call has ended: closes open connections and denies new ones. */
  deactivate(): void;
  /** Denied connections since the last call of this method; each host and reason once. */
  takeDenied(): readonly DeniedHost[];
  /** Every `host:port` that was connected to since the last call of this method. */
  takeContacted(): readonly string[];
  close(): Promise<void>;
}

export interface EgressOptions {
  /** Path of the unix socket. The permissions of its folder decide who can connect. */
  readonly socket: string;
  readonly policy: EgressPolicy;
  readonly resolve?: Resolve;
  /** Whether requests are served from the start. Default: true. */
  readonly active?: boolean;
  readonly timeouts?: Partial<EgressTimeouts>;
  /** Called for each host and reason once. */
  readonly onDenied?: ((denied: DeniedHost) => void) | undefined;
}

/** Milliseconds. */
export interface EgressTimeouts {
  readonly header: number;
  readonly lookup: number;
  readonly connect: number;
  readonly idle: number;
}

const defaultTimeouts: EgressTimeouts = { header: 10_000, lookup: 10_000, connect: 15_000, idle: 300_000 };

/** The relay forwards 64 connections at once; the rest is for those that are just closing. */
const maxConnections = 80;
const maxLookups = 64;
const maxDenied = 100;
const maxContacted = 1000;
const maxHeaderBytes = 32 * 1024;
/** Maximum length of a unix socket path on Linux and macOS. */
const maxPathBytes = 103;

const inactive = 'no call is running';

/**
 * One HTTP proxy per sandbox, on a unix socket that is mounted into it. It checks the host name, looks it up itself,
 * checks the address and connects to exactly that address. Requests are parsed by Node.
 */
export async function openEgress(options: EgressOptions): Promise<EgressProxy> {
  const state = new ProxyState(options);
  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: state.timeouts.header,
    requestTimeout: 0,
    keepAliveTimeout: Math.min(10_000, state.timeouts.idle),
    connectionsCheckingInterval: Math.min(2000, state.timeouts.header),
    insecureHTTPParser: false,
  });
  server.maxConnections = maxConnections;
  server.timeout = state.timeouts.idle;
  server.on('connection', (socket: Socket) => state.track(socket));
  server.on('request', (request, response) => void state.request(request, response));
  server.on('connect', (request, socket, head) => void state.tunnel(request, socket as Socket, head));
  await listen(server, options.socket);
  return {
    socket: options.socket,
    activate: () => state.activate(),
    deactivate: () => state.deactivate(),
    takeDenied: () => state.takeDenied(),
    takeContacted: () => state.takeContacted(),
    async close() {
      state.deactivate();
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      state.closeAll();
      await closed;
    },
  };
}

async function listen(server: Server, path: string): Promise<void> {
  try {
    if (Buffer.byteLength(path) > maxPathBytes) throw new Error('the path of the socket is too long');
    const listening = once(server, 'listening');
    server.listen(path);
    await listening;
    // For example too many open files: only that connection fails.
    server.on('error', () => {});
    // The sandbox may run as another user.
    await chmod(path, 0o666);
  } catch (error) {
    server.close();
    throw new HostError('sandbox_unavailable', `the egress proxy cannot listen on ${path}`, {
      cause: error,
      hint: 'use a state directory with a short path on a local disk',
    });
  }
}

/** The state of one proxy: its connections and what it reports. */
class ProxyState {
  readonly policy: EgressPolicy;
  readonly timeouts: EgressTimeouts;
  readonly contacted = new Set<string>();
  readonly #resolve: Resolve;
  readonly #sockets = new Set<Socket>();
  /** By connection: responses that are still being written. */
  readonly #busy = new WeakMap<Socket, number>();
  #denied = new Map<string, DeniedHost>();
  readonly #onDenied: EgressOptions['onDenied'];
  #lookups = 0;
  #active: boolean;
  /** Counts deactivations, so that a request from before is not served afterwards. */
  #generation = 0;

  constructor(options: EgressOptions) {
    this.policy = options.policy;
    this.timeouts = { ...defaultTimeouts, ...options.timeouts };
    this.#resolve = options.resolve ?? systemResolve;
    this.#active = options.active ?? true;
    this.#onDenied = options.onDenied;
  }

  activate(): void {
    this.#active = true;
  }

  deactivate(): void {
    this.#active = false;
    this.#generation++;
    this.closeAll();
  }

  closeAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  }

  takeContacted(): readonly string[] {
    const taken = [...this.contacted];
    this.contacted.clear();
    return taken;
  }

  takeDenied(): readonly DeniedHost[] {
    const taken = [...this.#denied.values()];
    this.#denied = new Map();
    return taken;
  }

  async request(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const client = request.socket;
    this.#busy.set(client, (this.#busy.get(client) ?? 0) + 1);
    response.once('close', () => this.#busy.set(client, (this.#busy.get(client) ?? 1) - 1));
    const destination = requestTarget(request.url ?? '');
    try {
      if (destination === null) throw invalidTarget();
      await forwardRequest(request, response, destination, this.timeouts.idle, () =>
        this.#connect(destination, !destination.tls, client),
      );
    } catch (error) {
      const { status, phrase, body } = this.#responseFor(error, destination);
      if (response.headersSent || client.destroyed) {
        client.destroy();
        return;
      }
      response.writeHead(status, phrase, {
        'content-type': 'text/plain; charset=utf-8',
        'content-length': Buffer.byteLength(body),
        connection: 'close',
      });
      response.write(body);
      endAfterRequest(request, response);
    }
  }

  async tunnel(request: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    // All data of the tunnel passes through this socket, so its idle timeout covers both directions.
    client.setTimeout(this.timeouts.idle, () => client.destroy());
    // The bytes of a tunnel would mix with a response that is still being written.
    if ((this.#busy.get(client) ?? 0) > 0) {
      client.destroy();
      return;
    }
    const destination = tunnelTarget(request.url ?? '');
    try {
      if (destination === null) throw invalidTarget();
      const upstream = await this.#connect(destination, false, client);
      pipeTunnel(client, upstream, head, {
        encryptedFor: requiresTls(destination, this.policy) ? destination.host : null,
        onDenied: (what) =>
          this.#addDenied(
            destination,
            grantNeeded(destination, `contacted ${what} by a tool that holds a secret`),
          ),
      });
    } catch (error) {
      writeRawResponse(client, this.#responseFor(error, destination));
    }
  }

  /** Makes a connection, after all checks. */
  async #connect(destination: Destination, plain: boolean, client: Socket): Promise<Socket> {
    const generation = this.#generation;
    if (!this.#active) throw new HostError('denied', inactive);
    checkHostName(destination, plain, this.policy);
    const addresses = await this.#lookup(destination);
    if (generation !== this.#generation) throw new HostError('denied', inactive);
    const upstream = await connectFirst(addresses, destination, this.timeouts.connect, (socket) =>
      this.track(socket),
    );
    if (generation !== this.#generation || client.destroyed) {
      upstream.destroy();
      throw new HostError('denied', inactive);
    }
    if (this.contacted.size < maxContacted) this.contacted.add(hostPort(destination));
    return upstream;
  }

  async #lookup(destination: Destination): Promise<readonly string[]> {
    // A lookup that timed out still uses resources until it ends.
    if (this.#lookups >= maxLookups) throw new HostError('network_failed', 'too many DNS lookups at once');
    this.#lookups++;
    const work = allowedAddresses(destination, this.policy.reach, this.#resolve).finally(() => {
      this.#lookups--;
    });
    return withTimeout(work, this.timeouts.lookup, `the DNS lookup of ${destination.host} took too long`);
  }

  #responseFor(error: unknown, destination: Destination | null): ProxyResponse {
    if (!(error instanceof HostError)) return responseOf(502, 'the request failed', undefined);
    const isDenied = error.code === 'network_denied';
    if (isDenied && destination !== null) this.#addDenied(destination, error);
    const status = isDenied || error.code === 'denied' ? 403 : error.code === 'usage' ? 400 : 502;
    return responseOf(status, error.message, error.hint);
  }

  #addDenied({ host, port }: Destination, { message, hint }: HostError): void {
    if (this.#denied.size >= maxDenied) return;
    const entry = { host, port, reason: message, ...(hint === undefined ? {} : { hint }) };
    const key = `${host} ${port} ${message}`;
    if (!this.#denied.has(key)) this.#onDenied?.(entry);
    this.#denied.set(key, entry);
  }
}

function responseOf(status: number, message: string, hint: string | undefined): ProxyResponse {
  const text = hint === undefined ? message : `${message}; ${hint}`;
  const phrase = `${status === 403 ? 'Denied by Toolwharf' : 'Toolwharf'}: ${text}`;
  return { status, phrase: phrase.replace(/[^ -~]/g, '?'), body: `${phrase}\n` };
}

function invalidTarget(): HostError {
  return new HostError('usage', 'the request does not name a valid host');
}
