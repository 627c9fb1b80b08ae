import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { defaultParseOptions } from '../formats/inspect.js';
import type { ApprovalRequest, ApprovalState } from '../model/approval.js';
import { HostError } from '../model/host-error.js';
import type { Json, JsonObject } from '../model/json.js';
import { guardedClient, type HttpClient } from '../net/client.js';
import { parseGrants } from '../policy/grant.js';
import { bubblewrap } from '../sandbox/bubblewrap.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { ApprovalQueue } from '../store/approvals.js';
import { AuditLog, openIntents, tailAudit, verifyAudit } from '../store/audit.js';
import { openDatabase } from '../store/database.js';
import { lockState } from '../store/lock.js';
import { type CallPath, callTool } from './call.js';
import type { Answer, Host, Session } from './host.js';
import { queueOf } from './queue.js';
import { openCatalogue } from './session.js';
import { Stage } from './stage.js';

export interface HostOptions {
  /** Folder of the host's own database; made when absent. One host at a time uses it. */
  readonly state: string;
  readonly agentVersion?: string;
  readonly reservedIds?: readonly string[];
  /** Told of every answer, for a log. */
  readonly onAnswer?: (answer: Answer, principal: string) => void;
  /** Told of bugs; their details go nowhere else. */
  readonly onBug?: (error: unknown) => void;
  readonly now?: () => number;
  readonly sandbox?: Sandbox;
  readonly client?: HttpClient;
}

/** Starts the one host of a state directory. */
export async function createHost(options: HostOptions): Promise<Host> {
  const state = resolve(options.state);
  makeStateDirectory(state);
  const lock = lockState(state);
  const now = options.now ?? Date.now;
  let stage: Stage | undefined;
  try {
    const database = openDatabase(state);
    const audit = new AuditLog(database, now);
    await recover(database, audit);
    stage = new Stage();
    const approvals = new ApprovalQueue(database, now);
    const machinery = {
      sandbox: options.sandbox ?? bubblewrap(),
      client: options.client ?? guardedClient(),
      stage,
      // Each process takes a dozen descriptors and some memory; the others wait their turn.
      inTurn: queueOf(32),
      schemas: () => import('../schema/validator.js'),
    };
    const path: CallPath = {
      audit,
      approvals,
      now,
      newId,
      logBug: options.onBug ?? (() => {}),
      inTurn: queueOf(1),
    };
    const parse = {
      agentVersion: options.agentVersion ?? defaultParseOptions.agentVersion,
      reservedIds: options.reservedIds ?? defaultParseOptions.reservedIds,
    };
    const running = new Set<Promise<Answer>>();
    let closed = false;
    const closing = new AbortController();
    // Every running call listens to it.
    setMaxListeners(0, closing.signal);
    const open = stage;
    return {
      async session(wanted) {
        if (closed) throw new HostError('host_unreachable', 'the host was closed');
        const root = absolute(wanted.root ?? process.cwd(), 'root');
        const principal = wanted.principal ?? 'library';
        const grant = parseGrants(wanted.allow ?? []);
        if (grant.read.length + grant.write.length + grant.environment.length > 0) {
          throw new HostError('not_supported', 'this version can grant network hosts only', {
            hint: 'leave out read:, write: and env: grants',
          });
        }
        const catalogue = await openCatalogue(wanted.directories, root, grant, parse, machinery);
        const caller = { id: newId('ses'), principal, resolve: catalogue.resolve };
        return sessionOf(catalogue, (request) => {
          const signal =
            request.signal === undefined ? closing.signal : AbortSignal.any([request.signal, closing.signal]);
          const answer = callTool(path, caller, { ...request, signal });
          running.add(answer);
          return answer
            .then((it) => {
              options.onAnswer?.(it, principal);
              return it;
            })
            .finally(() => running.delete(answer));
        });
      },
      approvals: operatorActs(approvals, audit),
      verifyAudit: async () => {
        await audit.flush();
        return verifyAudit(database);
      },
      async auditTail(count) {
        await audit.flush();
        return (await tailAudit(database, count)).map(({ seq, at, kind, body }) => ({
          seq,
          at,
          kind,
          body: JSON.parse(body) as JsonObject,
        }));
      },
      async close() {
        if (closed) return;
        closed = true;
        closing.abort();
        await Promise.allSettled([...running]);
        await audit.flush();
        await database.destroy();
        open.close();
        lock.release();
      },
    };
  } catch (error) {
    stage?.close();
    lock.release();
    throw error;
  }
}

function sessionOf(catalogue: Awaited<ReturnType<typeof openCatalogue>>, call: Session['call']): Session {
  return {
    packages: async () => catalogue.report,
    tools: async () => catalogue.tools,
    call,
    close: async () => {},
  };
}

/** Calls that were under way when the last host died are marked as such; nobody repeats them. */
async function recover(database: ReturnType<typeof openDatabase>, audit: AuditLog): Promise<void> {
  for (const intent of await openIntents(database)) {
    await audit.append({
      kind: 'recovery',
      body: { callId: intent.callId as Json, tool: intent.tool as Json, status: 'outcome_unknown' },
    });
  }
  await audit.append({ kind: 'start', body: { pid: process.pid } });
}

function operatorActs(queue: ApprovalQueue, audit: AuditLog): Host['approvals'] {
  const get = async (id: string): Promise<ApprovalRequest> => {
    const found = await queue.get(id);
    if (found === undefined)
      throw new HostError('approval_not_found', `there is no held call ${id}`, {
        hint: 'see "toolport approvals list"',
      });
    return found;
  };
  const judge = async (id: string, to: 'approved' | 'denied', by: string): Promise<ApprovalRequest> => {
    const { tool } = await get(id);
    const body = { approval: id, tool, decision: to, by, verified: false };
    // On record before it counts: a decision that cannot be written down does not take effect.
    await audit.append({ kind: 'approval', body });
    if (!(await queue.move(id, 'proposed', to, by))) {
      await audit.append({ kind: 'approval', body: { ...body, decision: 'void' } });
      throw new HostError(
        'approval_denied',
        `${id} is ${(await get(id)).state}; only a proposed call can be decided`,
      );
    }
    return get(id);
  };
  return {
    list: (states: readonly ApprovalState[] = ['proposed', 'approved']) => queue.list(states),
    get,
    approve: (id, by) => judge(id, 'approved', by),
    deny: (id, by) => judge(id, 'denied', by),
  };
}

/** A folder that others may write to cannot hold approvals and the record. */
function makeStateDirectory(state: string): void {
  const unusable = (why: string, cause?: unknown) =>
    new HostError('state_unusable', `the state directory ${state} cannot be used: ${why}`, {
      cause,
      hint: 'name another one with --state',
    });
  let found: ReturnType<typeof statSync>;
  try {
    mkdirSync(state, { recursive: true, mode: 0o700 });
    found = statSync(state);
    accessSync(state, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unusable(`it cannot be made or written (${(error as NodeJS.ErrnoException).code})`, error);
  }
  if (found.uid !== process.getuid?.()) throw unusable('it belongs to another user');
  if ((found.mode & 0o022) !== 0) throw unusable('other users may write to it');
}

function absolute(path: string, name: string): string {
  if (!isAbsolute(path)) throw new HostError('usage', `${name} must be an absolute path`);
  return path;
}

/** 128 random bits: an id that can be told to an agent and not be guessed by another. */
function newId(prefix: string): string {
  return `${prefix}_${randomBytes(16).toString('hex')}`;
}
