import { once } from 'node:events';
import { chmod } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { HostError } from '../model/host-error.js';
import { systemResolve } from './client.js';
import { type Destination, nameOf, type Resolve, ungranted, vettedAddresses } from './destination.js';
import { dial, within } from './egress-dial.js';
import { endAfter, forward } from './egress-forward.js';
import {
  type EgressPolicy,
  judgeName,
  mustEncrypt,
  type Refusal,
  requestTarget,
  tunnelTarget,
} from './egress-policy.js';
import { type Answer, answerRaw, splice } from './egress-tunnel.js';

export type { EgressPolicy, Refusal } from './egress-policy.js';

/** The way out of one sandbox. Nothing else leads out of it. */
export interface EgressProxy {
  readonly socket: string;
  /** From now on requests are judged; before that all of them are refused. */
  arm(): void;
  /** No call is under way: open connections end, new ones are refused. */
  disarm(): void;
  /** What was refused since the last time, each host once. */
  takeRefusals(): readonly Refusal[];
  /** Every `host:port` a connection was made to. */
  contacted(): readonly string[];
  close(): Promise<void>;
}

export interface EgressOptions {
  /** Path of the unix socket to listen on. The folder it lies in decides who comes near. */
  readonly socket: string;
  readonly policy: EgressPolicy;
  readonly resolve?: Resolve;
  /** Whether requests are answered from the start; true unless said otherwise. */
  readonly armed?: boolean;
  readonly times?: Partial<EgressTimes>;
}

/** Milliseconds. */
export interface EgressTimes {
  readonly header: number;
  readonly lookup: number;
  readonly connect: number;
  readonly idle: number;
}

const standardTimes: EgressTimes = { header: 10_000, lookup: 10_000, connect: 15_000, idle: 300_000 };

/** The relay passes on 64 at once; the rest is room for those that are just ending. */
const maxConnections = 80;
const maxLookups = 64;
const maxRefusals = 100;
const maxContacted = 1000;
const maxHeaderBytes = 32 * 1024;
/** What fits into a socket address of Linux and macOS alike. */
const maxPathBytes = 103;

const notArmed = 'no call is under way';

/**
 * One HTTP proxy per sandbox, on a socket that is bound into it. It decides by name, looks the name up itself,
 * judges the address and connects to that very address. Node's own parser reads the requests.
 */
export async function openEgress(options: EgressOptions): Promise<EgressProxy> {
  const gate = new Gate(options);
  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: gate.times.header,
    requestTimeout: 0,
    keepAliveTimeout: Math.min(10_000, gate.times.idle),
    connectionsCheckingInterval: Math.min(2000, gate.times.header),
    insecureHTTPParser: false,
  });
  server.maxConnections = maxConnections;
  server.timeout = gate.times.idle;
  server.on('connection', (socket: Socket) => gate.track(socket));
  server.on('request', (request, response) => void gate.request(request, response));
  server.on('connect', (request, socket, head) => void gate.tunnel(request, socket as Socket, head));
  await listen(server, options.socket);
  return {
    socket: options.socket,
    arm: () => gate.arm(),
    disarm: () => gate.disarm(),
    takeRefusals: () => gate.takeRefusals(),
    contacted: () => [...gate.contacted],
    async close() {
      gate.disarm();
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      gate.cut();
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
    // Such as too many open files when somebody connects: that connection fails, nothing else.
    server.on('error', () => {});
    // The sandbox may be another user.
    await chmod(path, 0o666);
  } catch (error) {
    server.close();
    throw new HostError('sandbox_unavailable', `the egress proxy cannot listen on ${path}`, {
      cause: error,
      hint: 'use a state directory with a short path on a local disk',
    });
  }
}

/** What one proxy knows and holds open. */
class Gate {
  readonly policy: EgressPolicy;
  readonly times: EgressTimes;
  readonly contacted = new Set<string>();
  readonly #resolve: Resolve;
  readonly #sockets = new Set<Socket>();
  /** Answers that are still being written, by connection. */
  readonly #busy = new WeakMap<Socket, number>();
  #refusals = new Map<string, Refusal>();
  #lookups = 0;
  #armed: boolean;
  /** Counts the times it was disarmed, so that what was asked before is not done after. */
  #era = 0;

  constructor(options: EgressOptions) {
    this.policy = options.policy;
    this.times = { ...standardTimes, ...options.times };
    this.#resolve = options.resolve ?? systemResolve;
    this.#armed = options.armed ?? true;
  }

  arm(): void {
    this.#armed = true;
  }

  disarm(): void {
    this.#armed = false;
    this.#era++;
    this.cut();
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  }

  takeRefusals(): readonly Refusal[] {
    const taken = [...this.#refusals.values()];
    this.#refusals = new Map();
    return taken;
  }

  async request(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const client = request.socket;
    this.#busy.set(client, (this.#busy.get(client) ?? 0) + 1);
    response.once('close', () => this.#busy.set(client, (this.#busy.get(client) ?? 1) - 1));
    const destination = requestTarget(request.url ?? '');
    try {
      if (destination === null) throw unreadable();
      await forward(request, response, destination, this.times.idle, () =>
        this.#reach(destination, !destination.tls, client),
      );
    } catch (error) {
      const { status, phrase, body } = this.#answer(error, destination);
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
      endAfter(request, response);
    }
  }

  async tunnel(request: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    // Traffic in either direction passes through this socket, so its silence is the tunnel's.
    client.setTimeout(this.times.idle, () => client.destroy());
    // A tunnel would run into the answer that is still on its way.
    if ((this.#busy.get(client) ?? 0) > 0) {
      client.destroy();
      return;
    }
    const destination = tunnelTarget(request.url ?? '');
    try {
      if (destination === null) throw unreadable();
      const upstream = await this.#reach(destination, false, client);
      splice(client, upstream, head, {
        encryptedFor: mustEncrypt(destination, this.policy) ? destination.host : null,
        refuse: (what) =>
          this.#note(destination, ungranted(destination, `spoken to ${what} by a tool that holds a secret`)),
      });
    } catch (error) {
      answerRaw(client, this.#answer(error, destination));
    }
  }

  /** From a name to a connection, with every check on the way. */
  async #reach(destination: Destination, plain: boolean, client: Socket): Promise<Socket> {
    const era = this.#era;
    if (!this.#armed) throw new HostError('denied', notArmed);
    judgeName(destination, plain, this.policy);
    const addresses = await this.#lookup(destination);
    if (era !== this.#era) throw new HostError('denied', notArmed);
    const upstream = await dial(addresses, destination, this.times.connect, (socket) => this.track(socket));
    if (era !== this.#era || client.destroyed) {
      upstream.destroy();
      throw new HostError('denied', notArmed);
    }
    if (this.contacted.size < maxContacted) this.contacted.add(nameOf(destination));
    return upstream;
  }

  async #lookup(destination: Destination): Promise<readonly string[]> {
    // A lookup that nobody waits for any more still occupies the machine.
    if (this.#lookups >= maxLookups)
      throw new HostError('network_failed', 'too many names are being looked up at once');
    this.#lookups++;
    const work = vettedAddresses(destination, this.policy.reach, this.#resolve).finally(() => {
      this.#lookups--;
    });
    return within(work, this.times.lookup, `the name ${destination.host} was not found in time`);
  }

  #answer(error: unknown, destination: Destination | null): Answer {
    if (!(error instanceof HostError)) return answer(502, 'the request failed', undefined);
    const denied = error.code === 'network_denied';
    if (denied && destination !== null) this.#note(destination, error);
    const status = denied || error.code === 'denied' ? 403 : error.code === 'usage' ? 400 : 502;
    return answer(status, error.message, error.hint);
  }

  #note({ host, port }: Destination, { message, hint }: HostError): void {
    if (this.#refusals.size >= maxRefusals) return;
    const refusal = { host, port, reason: message, ...(hint === undefined ? {} : { hint }) };
    this.#refusals.set(`${host} ${port} ${message}`, refusal);
  }
}

function answer(status: number, message: string, hint: string | undefined): Answer {
  const text = hint === undefined ? message : `${message}; ${hint}`;
  const phrase = `${status === 403 ? 'Refused by Toolwharf' : 'Toolwharf'}: ${text}`;
  return { status, phrase: phrase.replace(/[^ -~]/g, '?'), body: `${phrase}\n` };
}

function unreadable(): HostError {
  return new HostError('usage', 'the request names no host that can be judged');
}
