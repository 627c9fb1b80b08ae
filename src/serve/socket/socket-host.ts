import type { Socket } from 'node:net';
import type { ChangeProgress, RemoteHost, SessionOptions } from '../../host/host.js';
import type { OnProgress } from '../../host/operations/operation-input.js';
import { remoteHost, remoteSession, type SendOperation } from '../../host/operations/remote-host.js';
import { HostError, type HostErrorCode } from '../../model/host-error.js';
import type { Json } from '../../model/json.js';
import { readLines } from '../../wire/lines.js';
import { connectToHost, sendHello } from './connect.js';
import type { SocketRequest } from './host-protocol.js';
import type { HostKind } from './socket-path.js';

export interface SocketHostOptions {
  readonly state: string;
  readonly version: string;
  readonly principal: string;
  readonly cwd: string;
  /** Disconnects if the host sends nothing for this long. Default: never, because operations may take long. */
  readonly idleTimeoutMs?: number;
}

/** Connects to the running host of a state directory; undefined if none runs. */
export async function openSocketHost(options: SocketHostOptions): Promise<RemoteHost | undefined> {
  let kind: HostKind = 'host';
  let first = await connectToHost(options.state, kind);
  if (first === undefined) {
    kind = 'command';
    first = await connectToHost(options.state, kind);
  }
  if (first === undefined) return undefined;
  const { idleTimeoutMs } = options;
  const socket = first;
  if (idleTimeoutMs !== undefined)
    socket.setTimeout(idleTimeoutMs, () => socket.destroy(new Error('the host does not answer')));
  const control = await openConnection(socket, { directories: [], intent: 'look' }, options);
  const connections = [control];
  return remoteHost({
    send: control.send,
    async session(session) {
      const opened = await connectToHost(options.state, kind);
      if (opened === undefined) throw stopped();
      const connection = await openConnection(opened, session, options);
      connections.push(connection);
      return remoteSession(connection.send, async () => connection.close());
    },
    async close() {
      for (const it of connections) it.close();
    },
  });
}

async function openConnection(
  socket: Socket,
  session: SessionOptions,
  { version, principal, cwd }: SocketHostOptions,
): Promise<HostConnection> {
  const { intent = 'use', accept } = session;
  // As in the process of the host: only a session for use accepts by default.
  const byDefault = intent === 'use' ? { in: session.directories, by: session.principal ?? principal } : null;
  await sendHello(socket, {
    toolwharf: 'hello',
    version,
    protocol: 'host',
    principal: session.principal ?? principal,
    ...(session.client === undefined ? {} : { client: session.client }),
    directories: session.directories,
    intent,
    accept: accept === undefined ? byDefault : accept,
    root: session.root ?? cwd,
    allow: session.allow ?? [],
    environment: session.environment ?? {},
    policy: session.policy ?? {},
    ...(session.set === undefined ? {} : { set: session.set }),
    ...(session.sessionName === undefined ? {} : { sessionName: session.sessionName }),
    ...(session.operator === undefined ? {} : { operator: session.operator }),
  });
  return new HostConnection(socket);
}

function stopped(): HostError {
  return new HostError('host_unreachable', 'the host has stopped');
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
  readonly onProgress: OnProgress | undefined;
}

/** Sends operations over one connection and receives their results. */
class HostConnection {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  #next = 1;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', () => {});
    readLines(socket, { line: (text) => this.#receive(text), end: () => this.#disconnected() });
  }

  readonly send: SendOperation = ({ name }, input, { by, signal, onProgress }) => {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) return reject(stopped());
      this.#waiting.set(id, { resolve, reject, onProgress });
      const request: SocketRequest = {
        id,
        operation: name,
        input,
        ...(by === undefined ? {} : { by: by as unknown as Json }),
        ...(signal?.aborted === true ? { canceled: true } : {}),
        ...(onProgress === undefined ? {} : { progress: true }),
      };
      this.#write(request);
      signal?.addEventListener('abort', () => this.#write({ cancel: id }), { once: true });
    });
  };

  close(): void {
    this.#socket.destroy();
  }

  #write(message: SocketRequest | { readonly cancel: number }): void {
    this.#socket.write(`${JSON.stringify(message)}\n`);
  }

  #receive(text: string): void {
    const message = JSON.parse(text) as {
      id: number;
      result?: unknown;
      progress?: ChangeProgress;
      error?: { code: HostErrorCode; message: string; hint?: string };
    };
    const waiting = this.#waiting.get(message.id);
    if (message.progress !== undefined) {
      waiting?.onProgress?.(message.progress);
      return;
    }
    this.#waiting.delete(message.id);
    if (message.error === undefined) waiting?.resolve(message.result);
    else {
      const { code, message: reason, hint } = message.error;
      waiting?.reject(new HostError(code, reason, hint === undefined ? {} : { hint }));
    }
  }

  #disconnected(): void {
    const error = new HostError('host_unreachable', 'the host stopped before it answered', {
      hint: '"toolwharf audit tail" shows which calls it had started',
    });
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}
