import type { Socket } from 'node:net';
import type {
  Actor,
  Answer,
  AuditEntry,
  Explanation,
  Host,
  InstallResult,
  KillEntry,
  KillOutcome,
  ListedPrompt,
  ListedResource,
  ListedTool,
  MessageVerdict,
  OpenedArguments,
  PackageReport,
  PackageReview,
  PinStatus,
  SecretEntry,
  Session,
  SessionOptions,
  TokenEntry,
  UnknownOutcome,
} from '../../host/host.js';
import type { ApprovalRequest } from '../../model/approval.js';
import type { AuditVerdict } from '../../model/audit.js';
import type { CancelSignal } from '../../model/cancel-signal.js';
import { HostError, type HostErrorCode } from '../../model/host-error.js';
import type { Json, JsonObject } from '../../model/json.js';
import type { StandingRule } from '../../model/standing-rule.js';
import { readLines } from '../../wire/lines.js';
import { connectToHost, sendHello } from './connect.js';
import type { HostMethod } from './host-protocol.js';
import type { HostKind } from './socket-path.js';

export interface SocketHostOptions {
  readonly state: string;
  readonly version: string;
  readonly principal: string;
  readonly cwd: string;
  /** Disconnects from a host that sends nothing for this long. Undefined: never, because operations may take long. */
  readonly idleTimeoutMs?: number;
}

/** Connects to the running host of a state directory; undefined if none runs. */
export async function openSocketHost(options: SocketHostOptions): Promise<Host | undefined> {
  let kind: HostKind = 'host';
  let first = await connectToHost(options.state, kind);
  if (first === undefined) {
    kind = 'command';
    first = await connectToHost(options.state, kind);
  }
  if (first === undefined) return undefined;
  const { idleTimeoutMs } = options;
  if (idleTimeoutMs !== undefined)
    first.setTimeout(idleTimeoutMs, () => first?.destroy(new Error('the host does not answer')));
  const connections: HostConnection[] = [];
  const open = async (socket: Socket | undefined, session: SessionOptions): Promise<HostConnection> => {
    if (socket === undefined) throw new HostError('host_unreachable', 'the host has stopped');
    await sendHello(socket, {
      toolwharf: 'hello',
      version: options.version,
      protocol: 'host',
      principal: session.principal ?? options.principal,
      directories: session.directories,
      acceptNewIn: session.acceptNewIn ?? session.directories,
      inspectOnly: session.inspectOnly === true,
      root: session.root ?? options.cwd,
      allow: session.allow ?? [],
      environment: session.environment ?? {},
      policy: session.policy ?? {},
    });
    const connection = new HostConnection(socket);
    connections.push(connection);
    return connection;
  };
  const control = await open(first, { directories: [] });
  return {
    async session(sessionOptions) {
      return sessionOver(await open(await connectToHost(options.state, kind), sessionOptions));
    },
    approvals: {
      list: (states) =>
        control.ask<ApprovalRequest[]>('approvals.list', states === undefined ? {} : { states }),
      get: (id) => control.ask<ApprovalRequest>('approvals.get', { id }),
      approve: (id, by) => control.ask<ApprovalRequest>('approvals.approve', { id, by: json(by) }),
      deny: (id, by) => control.ask<ApprovalRequest>('approvals.deny', { id, by: json(by) }),
      noticeKey: (by) => control.ask<string>('approvals.key', { by: json(by) }),
      // Commands do not wait for changes.
      version: () => Promise.reject(localOnly('changes')),
      onChange: () => () => {},
      rules: {
        list: () => control.ask<StandingRule[]>('rules.list', {}),
        add: (rule, by) =>
          control.ask<StandingRule>('rules.add', { rule: rule as unknown as JsonObject, by: json(by) }),
        revoke: (id, by) => control.ask<boolean>('rules.revoke', { id, by: json(by) }),
      },
    },
    operator: {
      pin: () => control.ask<PinStatus>('pin.status', {}),
      setPin: (pin, by) => control.ask<void>('pin.set', { pin, by: json(by) }),
      removePin: (by) => control.ask<boolean>('pin.remove', { by: json(by) }),
      signIn: () => Promise.reject(localOnly('sign-ins')),
      signOut: () => Promise.reject(localOnly('sign-ins')),
      verify: () => Promise.reject(localOnly('PINs')),
    },
    secrets: {
      set: (entry) => control.ask<SecretEntry>('secrets.set', entry as unknown as JsonObject),
      list: () => control.ask<SecretEntry[]>('secrets.list', {}),
      slots: (id) => control.ask<string[] | null>('secrets.slots', { id }),
      unset: (id, slot, by) => control.ask<boolean>('secrets.unset', { id, slot, by: json(by) }),
      rekey: async (change) => void (await control.ask('secrets.rekey', change as unknown as JsonObject)),
    },
    switches: {
      known: () => control.ask<string[]>('switches.known', {}),
      disabled: () => control.ask<string[]>('switches.disabled', {}),
      set: (id, enabled, by) => control.ask<boolean>('switches.set', { id, enabled, by: json(by) }),
    },
    outcomes: {
      unknown: () => control.ask<UnknownOutcome[]>('outcomes.unknown', {}),
      acknowledge: (id, by) => control.ask<boolean>('outcomes.acknowledge', { id, by }),
    },
    keptArguments: {
      open: (id, by) => control.ask<OpenedArguments>('arguments.open', { id, by: json(by) }),
      forget: (before, by) => control.ask<number>('arguments.forget', { before, by: json(by) }),
    },
    kills: {
      list: () => control.ask<KillEntry[]>('kills.list', {}),
      set: (target, by) => control.ask<KillOutcome>('kills.set', { target, by }),
      lift: (target, by) => control.ask<boolean>('kills.lift', { target, by: json(by) }),
    },
    tokens: {
      create: (entry) =>
        control.ask<{ entry: TokenEntry; token: string }>('tokens.create', entry as unknown as JsonObject),
      list: () => control.ask<TokenEntry[]>('tokens.list', {}),
      revoke: (id, by) => control.ask<boolean>('tokens.revoke', { id, by }),
      check: () => Promise.reject(localOnly('token checks')),
    },
    processes: () => Promise.reject(localOnly('process counts')),
    verifyAudit: () => control.ask<AuditVerdict>('audit.verify', {}),
    auditTail: (count) => control.ask<AuditEntry[]>('audit.tail', { count }),
    async close() {
      for (const it of connections) it.close();
    },
  };
}

function sessionOver(connection: HostConnection): Session {
  return {
    packages: () => connection.ask<PackageReport>('packages', {}),
    tools: () => connection.ask<ListedTool[]>('tools', {}),
    // Commands show no progress and no questions of tools.
    call: ({ signal, timeoutMs, tool, arguments: args }) =>
      connection.ask<Answer>(
        'call',
        { tool, arguments: args, ...(timeoutMs === undefined ? {} : { timeoutMs }) },
        signal,
      ),
    message: (point, message, signal) =>
      connection.ask<MessageVerdict>('message', { point, message }, signal),
    explain: (request) => connection.ask<Explanation>('explain', request as unknown as JsonObject),
    prompts: () => connection.ask<ListedPrompt[]>('prompts', {}),
    prompt: (name, args) => connection.ask<string>('prompt', { name, arguments: args }),
    promptMessages: (name, args, signal) =>
      connection.ask<JsonObject>('prompt.messages', { name, arguments: args }, signal),
    resources: () => connection.ask<ListedResource[]>('resources', {}),
    resource: (uri, signal) => connection.ask<JsonObject>('resource', { uri }, signal),
    // Commands do not wait for changes.
    onChange: () => () => {},
    review: (id) => connection.ask<PackageReview>('review', { id }),
    accept: (id, digest, by) =>
      connection.ask<void>('accept', { id, digest, ...(by === undefined ? {} : { by: json(by) }) }),
    install: (id, { signal, dryRun = false } = {}) =>
      connection.ask<InstallResult>('install', { id, dryRun }, signal),
    close: async () => connection.close(),
  };
}

/** The error for an operation that works only in the process of the host. */
function localOnly(what: string): HostError {
  return new HostError('not_supported', `${what} are not available through the socket`);
}

function json(by: Actor): Json {
  return by as unknown as Json;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Sends requests over one connection and receives their answers. */
class HostConnection {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  #next = 1;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', () => {});
    readLines(socket, { line: (text) => this.#receive(text), end: () => this.#disconnected() });
  }

  ask<T>(method: HostMethod, params: JsonObject, signal?: CancelSignal): Promise<T> {
    const id = this.#next++;
    return new Promise<T>((resolve, reject) => {
      if (this.#socket.destroyed) return reject(new HostError('host_unreachable', 'the host has stopped'));
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.#socket.write(`${JSON.stringify({ id, method, params })}\n`);
      signal?.addEventListener('abort', () => this.#socket.write(`${JSON.stringify({ cancel: id })}\n`), {
        once: true,
      });
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(text: string): void {
    const message = JSON.parse(text) as {
      id: number;
      result?: unknown;
      error?: { code: HostErrorCode; message: string; hint?: string };
    };
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error === undefined) waiting?.resolve(message.result);
    else
      waiting?.reject(
        new HostError(
          message.error.code,
          message.error.message,
          message.error.hint === undefined ? {} : { hint: message.error.hint },
        ),
      );
  }

  #disconnected(): void {
    const error = new HostError('host_unreachable', 'the host stopped before it answered', {
      hint: '"toolwharf audit tail" shows which calls it had started',
    });
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}
