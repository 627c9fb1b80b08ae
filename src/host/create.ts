import { randomBytes } from 'node:crypto';
import { isAbsolute, resolve } from 'node:path';
import { defaultParseOptions } from '../formats/inspect.js';
import { HostError } from '../model/host-error.js';
import { unstoppable } from '../model/signal.js';
import { guardedClient } from '../net/client.js';
import { systemSandbox } from '../sandbox/system.js';
import { argumentSeal } from '../secrets/argument-seal.js';
import { tryDelayMs } from '../secrets/pin.js';
import { AgreementRows } from '../store/agreements.js';
import { ApprovalQueue } from '../store/approvals.js';
import { openDatabase } from '../store/database.js';
import { HostKeys } from '../store/host-keys.js';
import { KillFile } from '../store/kill-file.js';
import { KillRows } from '../store/kills.js';
import { LimitLedger } from '../store/limits.js';
import { lockState } from '../store/lock.js';
import { OperatorPin } from '../store/operator-pin.js';
import { SealedArgumentRows } from '../store/sealed-arguments.js';
import { StandingRules } from '../store/standing-rules.js';
import { approvalOperations, invalidator } from './approval-operations.js';
import { type CallServices, callTool } from './call.js';
import { throughMessageHooks } from './call-hooks.js';
import { explain } from './explain.js';
import type { ExplainRequest, Host, Session } from './host.js';
import { openHostAudit } from './host-audit.js';
import { createHostServices, type HostServices } from './host-services.js';
import { newId } from './ids.js';
import { keptArgumentOperations } from './kept-arguments.js';
import { KillSwitch } from './kill-switch.js';
import { Notices } from './notices.js';
import type { OperatorAuth } from './operator-auth.js';
import type { HostOptions } from './options.js';
import { actorName, openPinAuth } from './pin-auth.js';
import { queueOf } from './queue.js';
import { Readings } from './reading.js';
import { RunningCalls } from './running.js';
import { secretOperations } from './secret-operations.js';
import type { SessionCatalog } from './session.js';
import { Stage } from './stage.js';
import { makeStateDirectory } from './state-directory.js';
import { tokenOperations } from './token-operations.js';

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
    const sandbox = options.sandbox ?? systemSandbox({ ledger: state });
    // It is tried while everything else is made ready; whoever needs the verdict waits for it.
    if (options.warm !== false) sandbox.probe().catch(() => {});
    const database = openDatabase(state);
    const record = await openHostAudit(state, database, now, options.audit);
    const { audit } = record;
    stage = new Stage();
    const approvals = new ApprovalQueue(database, now);
    const rules = new StandingRules(database, now);
    const keys = new HostKeys(database, () => randomBytes(32));
    const desk = openPinAuth({ pin: new OperatorPin(database, now, tryDelayMs), audit, now });
    const invalidate = invalidator(approvals, rules, audit);
    const underWay = new RunningCalls();
    const onBug = options.onBug ?? (() => {});
    const kills = await KillSwitch.open({
      rows: new KillRows(database),
      file: new KillFile(state),
      audit,
      approvals,
      desk,
      running: underWay,
      now,
      onBug,
    });
    const equipment = createHostServices({
      ...{ state, database, audit, stage, kills, running: underWay, sandbox, now, options },
      keyOf: (name) => keys.get(name),
      outdated: (definition) => invalidate({ definition }, 'the definition of the package was changed'),
    });
    const notices = new Notices({
      client: options.client ?? guardedClient(),
      audit,
      key: () => keys.get('notices'),
      now,
      ...(options.noticeDelaysMs === undefined ? {} : { delaysMs: options.noticeDelaysMs }),
    });
    const later = new Set<Promise<unknown>>();
    const seal = argumentSeal(equipment.vault);
    const path: CallServices = {
      seal,
      audit,
      approvals,
      rules,
      invalidate,
      announce: (request, served) => notices.announce(request, served),
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
    let closed = false;
    const open = stage;
    return {
      async session(wanted) {
        if (closed) throw new HostError('host_unreachable', 'the host was closed');
        const root = absolute(wanted.root ?? process.cwd(), 'root');
        const principal = wanted.principal ?? 'library';
        const { catalog, leave } = await equipment.open({ ...wanted, root, principal }, parse);
        const caller = {
          id: newId('ses'),
          principal,
          resolve: (name: string) => catalog.resolve(name),
          isWatched: () => catalog.isWatched,
          hooks: () => catalog.hooks(),
        };
        const message: Session['message'] = async (point, given, signal) =>
          throughMessageHooks(point, given, {
            principal,
            session: caller.id,
            signal: signal ?? unstoppable,
            handlers: await catalog.hooks(),
            audit,
          });
        const explained = (request: ExplainRequest) => explain(request, caller, catalog.setup, path);
        const call: Session['call'] = (request) =>
          underWay.counted(async () => {
            const answer = await callTool(path, caller, request);
            options.onAnswer?.(answer, principal);
            return answer;
          });
        const readings = new Readings({ catalog, call, path, session: caller.id });
        const acting = { desk, principal, message, explain: explained, leave, readings };
        return sessionOf(catalog, equipment, acting, call);
      },
      approvals: approvalOperations({
        ...{ queue: approvals, rules, audit, desk, now, newId },
        noticeKey: async () => Buffer.from(await keys.get('notices')).toString('hex'),
      }),
      operator: desk,
      secrets: secretOperations(equipment, audit, desk, invalidate, new AgreementRows(database, now)),
      tokens: tokenOperations(equipment, audit, desk, newId),
      switches: {
        known: () => new AgreementRows(database, now).packages(),
        disabled: () => equipment.switches.list(),
        async set(packageId, enabled, by) {
          // Switching something off never needs a PIN.
          const who = enabled ? await desk.verify(by, 'switch a package on') : { by: actorName(by) };
          const body = { act: enabled ? 'enable' : 'disable', package: packageId, ...who };
          await audit.append({ kind: 'operator', body });
          const changed = await equipment.switches.set(packageId, enabled, who.by);
          if (changed) equipment.changed();
          return changed;
        },
      },
      processes: async () => equipment.processes(),
      kills: kills.acts,
      outcomes: record.outcomes,
      keptArguments: keptArgumentOperations({ rows: new SealedArgumentRows(database), seal, audit, desk }),
      verifyAudit: () => record.verify(),
      auditTail: (count) => record.tail(count),
      async close() {
        if (closed) return;
        closed = true;
        kills.close();
        underWay.close();
        await underWay.emptied();
        await Promise.allSettled([...later]);
        await notices.close();
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
  /** Who acts in the session, and where that is verified. */
  readonly principal: string;
  readonly desk: OperatorAuth;
  readonly leave: () => void;
  readonly readings: Readings;
}

function sessionOf(
  catalog: SessionCatalog,
  equipment: HostServices,
  { desk, principal, message, explain: explained, leave, readings }: SessionParts,
  call: Session['call'],
): Session {
  return {
    packages: () => catalog.report(),
    tools: () => catalog.tools(),
    call,
    message,
    explain: explained,
    prompts: async () => (await catalog.prompts()).map((it) => it.listed),
    prompt: (name, given) => readings.prompt(name, given),
    promptMessages: (name, given, signal) => readings.messages(name, given, signal),
    resources: async () => (await catalog.resources()).map((it) => it.listed),
    resource: (uri, signal) => readings.resource(uri, signal),
    onChange: (listener) => equipment.onChange(listener),
    review: (id) => catalog.review(id),
    accept: async (id, digest, by = principal) =>
      catalog.accept(id, digest, await desk.verify(by, 'agree to a package')),
    install: (id, options = {}) => catalog.install(id, options),
    close: async () => leave(),
  };
}

function absolute(path: string, name: string): string {
  if (!isAbsolute(path)) throw new HostError('usage', `${name} must be an absolute path`);
  return path;
}
