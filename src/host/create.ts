import { randomBytes } from 'node:crypto';
import { isAbsolute, resolve } from 'node:path';
import { defaultParseOptions } from '../formats/inspect.js';
import type { ApprovalRequest, ApprovalState } from '../model/approval.js';
import { HostError } from '../model/host-error.js';
import { ApprovalQueue } from '../store/approvals.js';
import type { AuditLog } from '../store/audit.js';
import { openDatabase } from '../store/database.js';
import { KillFile } from '../store/kill-file.js';
import { KillRows } from '../store/kills.js';
import { LimitLedger } from '../store/limits.js';
import { lockState } from '../store/lock.js';
import { type CallPath, callTool } from './call.js';
import { throughMessageHooks } from './call-hooks.js';
import { type Equipment, equip } from './equipment.js';
import { explain } from './explain.js';
import type { Answer, ExplainRequest, Host, Session, TokenRole } from './host.js';
import { newId } from './ids.js';
import { KillSwitch } from './kill-switch.js';
import type { HostOptions } from './options.js';
import { queueOf } from './queue.js';
import { Readings } from './reading.js';
import { openRecord } from './record.js';
import { RunningCalls } from './running.js';
import { secretActs } from './secret-acts.js';
import type { SessionCatalogue } from './session.js';
import { Stage } from './stage.js';
import { makeStateDirectory } from './state-directory.js';

/** Starts the one host of a state directory. */
export async function createHost(options: HostOptions): Promise<Host> {
  if (typeof options.state !== 'string' || options.state === '')
    throw new HostError('usage', 'createHost needs the path of a state directory: { state }');
  const state = resolve(options.state);
  makeStateDirectory(state);
  const lock = lockState(state);
  const now = options.now ?? Date.now;
  let stage: Stage | undefined;
  try {
    const database = openDatabase(state);
    const record = await openRecord(state, database, now, options.audit);
    const { audit } = record;
    stage = new Stage();
    const approvals = new ApprovalQueue(database, now);
    const underWay = new RunningCalls();
    const onBug = options.onBug ?? (() => {});
    const kills = await KillSwitch.open({
      rows: new KillRows(database),
      file: new KillFile(state),
      audit,
      approvals,
      running: underWay,
      now,
      onBug,
    });
    const equipment = equip({ state, database, audit, stage, kills, running: underWay, now, options });
    const later = new Set<Promise<unknown>>();
    const path: CallPath = {
      audit,
      approvals,
      limits: new LimitLedger(database, { now, ticks: options.ticks ?? (() => performance.now()) }),
      kills,
      running: underWay,
      now,
      newId,
      logBug: onBug,
      inTurn: queueOf(1),
      later: (work) => {
        const kept = work.catch(path.logBug).finally(() => later.delete(kept));
        later.add(kept);
      },
    };
    const parse = {
      agentVersion: options.agentVersion ?? defaultParseOptions.agentVersion,
      reservedIds: options.reservedIds ?? defaultParseOptions.reservedIds,
    };
    const running = new Set<Promise<Answer>>();
    let closed = false;
    const open = stage;
    return {
      async session(wanted) {
        if (closed) throw new HostError('host_unreachable', 'the host was closed');
        const root = absolute(wanted.root ?? process.cwd(), 'root');
        const principal = wanted.principal ?? 'library';
        const { catalogue, leave } = await equipment.open({ ...wanted, root, principal }, parse);
        const caller = {
          id: newId('ses'),
          principal,
          resolve: (name: string) => catalogue.resolve(name),
          hooks: () => catalogue.hooks(),
        };
        const message: Session['message'] = async (point, given, signal) =>
          throughMessageHooks(point, given, {
            principal,
            session: caller.id,
            signal: signal ?? new AbortController().signal,
            handlers: await catalogue.hooks(),
            audit,
          });
        const explained = (request: ExplainRequest) => explain(request, caller, catalogue.setup, path);
        const call: Session['call'] = (request) => {
          const answer = callTool(path, caller, request);
          running.add(answer);
          return answer
            .then((it) => {
              options.onAnswer?.(it, principal);
              return it;
            })
            .finally(() => running.delete(answer));
        };
        const readings = new Readings({ catalogue, call, kills, audit, principal, session: caller.id });
        return sessionOf(catalogue, equipment, { message, explain: explained, leave, readings }, call);
      },
      approvals: operatorActs(approvals, audit),
      secrets: secretActs(equipment, audit),
      tokens: tokenActs(equipment, audit),
      switches: {
        disabled: () => equipment.switches.list(),
        async set(packageId, enabled, by) {
          const body = { act: enabled ? 'enable' : 'disable', package: packageId, by };
          await audit.append({ kind: 'operator', body });
          const changed = await equipment.switches.set(packageId, enabled, by);
          if (changed) equipment.changed();
          return changed;
        },
      },
      processes: async () => equipment.processes(),
      kills: kills.acts,
      verifyAudit: () => record.verify(),
      auditTail: (count) => record.tail(count),
      async close() {
        if (closed) return;
        closed = true;
        kills.close();
        underWay.close();
        await Promise.allSettled([...running]);
        await Promise.allSettled([...later]);
        await equipment.close();
        await audit.close();
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

interface SessionParts extends Pick<Session, 'message' | 'explain'> {
  readonly leave: () => void;
  readonly readings: Readings;
}

function sessionOf(
  catalogue: SessionCatalogue,
  equipment: Equipment,
  { message, explain: explained, leave, readings }: SessionParts,
  call: Session['call'],
): Session {
  return {
    packages: () => catalogue.report(),
    tools: () => catalogue.tools(),
    call,
    message,
    explain: explained,
    prompts: async () => (await catalogue.prompts()).map((it) => it.listed),
    prompt: (name, given) => readings.prompt(name, given),
    promptMessages: (name, given, signal) => readings.messages(name, given, signal),
    resources: async () => (await catalogue.resources()).map((it) => it.listed),
    resource: (uri, signal) => readings.resource(uri, signal),
    onChange: (listener) => equipment.onChange(listener),
    review: (id) => catalogue.review(id),
    accept: (id, digest) => catalogue.accept(id, digest),
    install: (id, options = {}) => catalogue.install(id, options),
    close: async () => leave(),
  };
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

function tokenActs({ tokens }: Equipment, audit: AuditLog): Host['tokens'] {
  const shown = ({
    id,
    name,
    role,
    created_at,
    expires_at,
  }: Awaited<ReturnType<typeof tokens.list>>[number]) => ({
    id,
    name,
    role: role as TokenRole,
    createdAt: created_at,
    expiresAt: expires_at,
  });
  return {
    async create({ name, role, expiresAt, by }) {
      const id = newId('tok');
      const token = `tp_${randomBytes(32).toString('base64url')}`;
      await audit.append({ kind: 'operator', body: { act: 'token create', token: id, name, role, by } });
      const row = await tokens.add({ id, name, role, expires_at: expiresAt, created_by: by }, token);
      return { entry: shown(row), token };
    },
    list: async () => (await tokens.list()).map(shown),
    async revoke(id, by) {
      await audit.append({ kind: 'operator', body: { act: 'token revoke', token: id, by } });
      return tokens.remove(id);
    },
    async check(token) {
      const row = await tokens.find(token);
      return row === undefined ? undefined : shown(row);
    },
  };
}

function absolute(path: string, name: string): string {
  if (!isAbsolute(path)) throw new HostError('usage', `${name} must be an absolute path`);
  return path;
}
