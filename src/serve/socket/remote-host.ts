import type { Socket } from 'node:net';
import type {
  Actor,
  Answer,
  AuditEntry,
  Change,
  Explanation,
  Host,
  KillEntry,
  KillOutcome,
  ListedPrompt,
  ListedResource,
  ListedTool,
  MessageVerdict,
  OpenedArguments,
  PackageReport,
  PinStatus,
  Review,
  SecretEntry,
  Session,
  SessionOptions,
  TokenEntry,
  UnknownOutcome,
} from '../../host/host.js';
import type { ApprovalRequest } from '../../model/approval.js';
import type { AuditVerdict } from '../../model/audit.js';
import { HostError, type HostErrorCode } from '../../model/host-error.js';
import type { Json, JsonObject } from '../../model/json.js';
import type { Signal } from '../../model/signal.js';
import type { StandingRule } from '../../model/standing-rule.js';
import { readLines } from '../../wire/lines.js';
import { dial, greet } from './connect.js';
import type { HostMethod } from './host-surface.js';
import type { HostKind } from './path.js';

export interface RemoteHostOptions {
  readonly state: string;
  readonly version: string;
  readonly principal: string;
  readonly cwd: string;
  /** A host that says nothing for so long is given up; one that works on something may be silent for long. */
  readonly patienceMs?: number;
}

/** The running host of a state directory, seen through its socket; undefined when none runs. */
export async function remoteHost(options: RemoteHostOptions): Promise<Host | undefined> {
  let kind: HostKind = 'host';
  let first = await dial(options.state, kind);
  if (first === undefined) {
    kind = 'command';
    first = await dial(options.state, kind);
  }
  if (first === undefined) return undefined;
  const { patienceMs } = options;
  const silent = first;
  if (patienceMs !== undefined)
    silent.setTimeout(patienceMs, () => silent.destroy(new Error('the host is silent')));
  const open: Link[] = [];
  const link = async (socket: Socket | undefined, wanted: SessionOptions): Promise<Link> => {
    if (socket === undefined) throw new HostError('host_unreachable', 'the host has ended');
    await greet(socket, {
      toolwharf: 'hello',
      version: options.version,
      surface: 'host',
      principal: wanted.principal ?? options.principal,
      directories: wanted.directories,
      named: wanted.named ?? wanted.directories,
      looking: wanted.looking === true,
      root: wanted.root ?? options.cwd,
      allow: wanted.allow ?? [],
      environment: wanted.environment ?? {},
      policy: wanted.policy ?? {},
    });
    const made = new Link(socket);
    open.push(made);
    return made;
  };
  const control = await link(first, { directories: [] });
  return {
    async session(wanted) {
      const made = await link(await dial(options.state, kind), wanted);
      return sessionOver(made);
    },
    approvals: {
      list: (states) =>
        control.ask<ApprovalRequest[]>('approvals.list', states === undefined ? {} : { states }),
      get: (id) => control.ask<ApprovalRequest>('approvals.get', { id }),
      approve: (id, by) => control.ask<ApprovalRequest>('approvals.approve', { id, by: json(by) }),
      deny: (id, by) => control.ask<ApprovalRequest>('approvals.deny', { id, by: json(by) }),
      noticeKey: (by) => control.ask<string>('approvals.key', { by: json(by) }),
      // Commands look once and are done.
      version: () => Promise.reject(elsewhere('changes')),
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
      signIn: () => Promise.reject(elsewhere('sign-ins')),
      signOut: () => Promise.reject(elsewhere('sign-ins')),
      verify: () => Promise.reject(elsewhere('PINs')),
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
      check: () =>
        Promise.reject(new HostError('not_supported', 'tokens are checked by the host that serves them')),
    },
    processes: () =>
      Promise.reject(new HostError('not_supported', 'processes are counted by the host that serves')),
    verifyAudit: () => control.ask<AuditVerdict>('audit.verify', {}),
    auditTail: (count) => control.ask<AuditEntry[]>('audit.tail', { count }),
    async close() {
      for (const it of open) it.close();
    },
  };
}

function sessionOver(link: Link): Session {
  return {
    packages: () => link.ask<PackageReport>('packages', {}),
    tools: () => link.ask<ListedTool[]>('tools', {}),
    // Commands show no steps and put no questions of tools.
    call: ({ signal, timeoutMs, tool, arguments: given }) =>
      link.ask<Answer>(
        'call',
        { tool, arguments: given, ...(timeoutMs === undefined ? {} : { timeoutMs }) },
        signal,
      ),
    message: (point, message, signal) => link.ask<MessageVerdict>('message', { point, message }, signal),
    explain: (request) => link.ask<Explanation>('explain', request as unknown as JsonObject),
    prompts: () => link.ask<ListedPrompt[]>('prompts', {}),
    prompt: (name, given) => link.ask<string>('prompt', { name, given }),
    promptMessages: (name, given, signal) => link.ask<JsonObject>('prompt.messages', { name, given }, signal),
    resources: () => link.ask<ListedResource[]>('resources', {}),
    resource: (uri, signal) => link.ask<JsonObject>('resource', { uri }, signal),
    // Commands look once and are done.
    onChange: () => () => {},
    review: (id) => link.ask<Review>('review', { id }),
    accept: (id, digest, by) =>
      link.ask<void>('accept', { id, digest, ...(by === undefined ? {} : { by: json(by) }) }),
    install: (id, { signal, dryRun = false } = {}) => link.ask<Change>('install', { id, dryRun }, signal),
    close: async () => link.close(),
  };
}

/** What needs the host itself. */
function elsewhere(what: string): HostError {
  return new HostError('not_supported', `${what} are for the host that serves them`);
}

function json(by: Actor): Json {
  return by as unknown as Json;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Requests and answers over one connection. */
class Link {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  #next = 1;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', () => {});
    readLines(socket, { line: (text) => this.#receive(text), end: () => this.#lost() });
  }

  ask<T>(method: HostMethod, params: JsonObject, signal?: Signal): Promise<T> {
    const id = this.#next++;
    return new Promise<T>((resolve, reject) => {
      if (this.#socket.destroyed) return reject(new HostError('host_unreachable', 'the host has ended'));
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

  #lost(): void {
    const error = new HostError('host_unreachable', 'the host ended before it answered', {
      hint: 'see "toolwharf audit tail" for what it had begun',
    });
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}
