import { randomBytes } from 'node:crypto';
import { isAbsolute, resolve } from 'node:path';
import { defaultParseOptions } from '../formats/inspect.js';
import { neverCanceled } from '../model/cancel-signal.js';
import { HostError } from '../model/host-error.js';
import { guardedClient } from '../net/http-client.js';
import { systemSandbox } from '../sandbox/system-sandbox.js';
import { createArgumentSeal } from '../secrets/argument-seal.js';
import { tryDelayMs } from '../secrets/pin.js';
import { AgreementRows } from '../store/agreements.js';
import { ApprovalQueue } from '../store/approvals.js';
import { openDatabase } from '../store/database.js';
import { HostKeys } from '../store/host-keys.js';
import { KillFile } from '../store/kill-file.js';
import { KillRows } from '../store/kills.js';
import { LimitLedger } from '../store/limit-ledger.js';
import { OperatorPin } from '../store/operator-pin.js';
import { SealedArgumentRows } from '../store/sealed-arguments.js';
import { StandingRules } from '../store/standing-rules.js';
import { lockState } from '../store/state-lock.js';
import { approvalOperations, invalidator } from './approval-operations.js';
import { type CallServices, callTool } from './call.js';
import { runMessageHooks } from './call-hooks.js';
import { ContentReader } from './content-reader.js';
import { explainCall } from './explain.js';
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
import { createQueue } from './queue.js';
import { RunningCalls } from './running.js';
import { secretOperations } from './secret-operations.js';
import type { SessionCatalog } from './session-catalog.js';
import { Stage } from './stage.js';
import { makeStateDirectory } from './state-directory.js';
import { tokenOperations } from './token-operations.js';

/**
 * Starts a host on a state directory. A state directory has at most one running host. Close the host when you are
 * done: it ends its processes and releases the directory. Throws a `HostError`, for example when another host uses
 * the directory.
 */
export async function createHost(options: HostOptions): Promise<Host> {
  if (typeof options.state !== 'string' || options.state === '')
    throw new HostError('usage', 'createHost needs the path of a state directory: { state }');
  const state = resolve(options.state);
  makeStateDirectory(state);
  const lock = lockState(state);
  const now = options.now ?? Date.now;
  let stage: Stage | undefined;
  try {
    const sandbox = options.sandbox ?? systemSandbox({ pidFolder: state });
    // The test of the sandbox runs while the host starts; a session waits for its result.
    if (options.warm !== false) sandbox.probe().catch(() => {});
    const database = openDatabase(state);
    const hostAudit = await openHostAudit(state, database, now, options.audit);
    const { audit } = hostAudit;
    stage = new Stage();
    const approvals = new ApprovalQueue(database, now);
    const standingRules = new StandingRules(database, now);
    const keys = new HostKeys(database, () => randomBytes(32));
    const operatorAuth = openPinAuth({ pin: new OperatorPin(database, now, tryDelayMs), audit, now });
    const invalidate = invalidator(approvals, standingRules, audit);
    const runningCalls = new RunningCalls();
    const onBug = options.onBug ?? (() => {});
    const kills = await KillSwitch.open({
      rows: new KillRows(database),
      file: new KillFile(state),
      audit,
      approvals,
      operatorAuth,
      running: runningCalls,
      now,
      onBug,
    });
    const services = createHostServices({
      ...{ state, database, audit, stage, kills, running: runningCalls, sandbox, now, options },
      keyOf: (name) => keys.get(name),
      onOutdated: (definition) => invalidate({ definition }, 'the definition of the package changed'),
    });
    const notices = new Notices({
      client: options.client ?? guardedClient(),
      audit,
      key: () => keys.get('notices'),
      now,
      ...(options.noticeDelaysMs === undefined ? {} : { delaysMs: options.noticeDelaysMs }),
    });
    const backgroundWork = new Set<Promise<unknown>>();
    const seal = createArgumentSeal(services.vault);
    const callServices: CallServices = {
      seal,
      audit,
      approvals,
      standingRules,
      invalidate,
      sendNotice: (request, served) => notices.send(request, served),
      limits: new LimitLedger(database, { now, ticks: options.ticks ?? (() => performance.now()) }),
      kills,
      running: runningCalls,
      now,
      newId,
      logBug: onBug,
      serialize: createQueue(1),
      runInBackground: (work) => {
        const tracked = work.catch(callServices.logBug).finally(() => backgroundWork.delete(tracked));
        backgroundWork.add(tracked);
      },
    };
    const parse = {
      agentVersion: options.agentVersion ?? defaultParseOptions.agentVersion,
      reservedIds: options.reservedIds ?? defaultParseOptions.reservedIds,
    };
    let closed = false;
    const openStage = stage;
    return {
      async session(sessionOptions) {
        if (closed) throw new HostError('host_unreachable', 'the host is closed');
        const root = assertAbsolute(sessionOptions.root ?? process.cwd(), 'root');
        const principal = sessionOptions.principal ?? 'library';
        const { catalog, release } = await services.openSession(
          { ...sessionOptions, root, principal },
          parse,
        );
        const caller = {
          id: newId('ses'),
          principal,
          resolve: (name: string) => catalog.resolve(name),
          hasHooks: () => catalog.hasHooks,
          hooks: () => catalog.hooks(),
        };
        const message: Session['message'] = async (point, content, signal) =>
          runMessageHooks(point, content, {
            principal,
            session: caller.id,
            signal: signal ?? neverCanceled,
            handlers: await catalog.hooks(),
            audit,
          });
        const explain = (request: ExplainRequest) =>
          explainCall(request, caller, catalog.setup, callServices);
        const call: Session['call'] = (request) =>
          runningCalls.track(async () => {
            const answer = await callTool(callServices, caller, request);
            options.onAnswer?.(answer, principal);
            return answer;
          });
        const contentReader = new ContentReader({
          catalog,
          call,
          services: callServices,
          session: caller.id,
        });
        const parts = { operatorAuth, principal, message, explain, call, release, contentReader };
        return createSession(catalog, services, parts);
      },
      approvals: approvalOperations({
        ...{ queue: approvals, rules: standingRules, audit, operatorAuth, now, newId },
        noticeKey: async () => Buffer.from(await keys.get('notices')).toString('hex'),
      }),
      operator: operatorAuth,
      secrets: secretOperations(services, audit, operatorAuth, invalidate, new AgreementRows(database, now)),
      tokens: tokenOperations(services, audit, operatorAuth, newId),
      switches: {
        known: () => new AgreementRows(database, now).packages(),
        disabled: () => services.switches.list(),
        async set(packageId, enabled, by) {
          // Disabling a package never needs the PIN.
          const who = enabled ? await operatorAuth.verify(by, 'enable a package') : { by: actorName(by) };
          const body = { operation: enabled ? 'enable' : 'disable', package: packageId, ...who };
          await audit.append({ kind: 'operator', body });
          const changed = await services.switches.set(packageId, enabled, who.by);
          if (changed) services.notifyChanged();
          return changed;
        },
      },
      processes: async () => services.processes(),
      kills: kills.operations,
      outcomes: hostAudit.outcomes,
      keptArguments: keptArgumentOperations({
        rows: new SealedArgumentRows(database),
        seal,
        audit,
        operatorAuth,
      }),
      verifyAudit: () => hostAudit.verify(),
      auditTail: (count) => hostAudit.tail(count),
      async close() {
        if (closed) return;
        closed = true;
        kills.close();
        runningCalls.close();
        await runningCalls.whenIdle();
        await Promise.allSettled([...backgroundWork]);
        await notices.close();
        await services.close();
        await audit.close();
        await database.destroy();
        openStage.close();
        lock.release();
      },
    };
  } catch (error) {
    stage?.close();
    lock.release();
    throw error;
  }
}

interface SessionParts extends Pick<Session, 'message' | 'explain' | 'call'> {
  /** Who uses the session. */
  readonly principal: string;
  readonly operatorAuth: OperatorAuth;
  /** Called once, when the session is closed. */
  readonly release: () => void;
  readonly contentReader: ContentReader;
}

function createSession(
  catalog: SessionCatalog,
  services: HostServices,
  { operatorAuth, principal, message, explain, call, release, contentReader }: SessionParts,
): Session {
  return {
    packages: () => catalog.report(),
    tools: () => catalog.tools(),
    call,
    message,
    explain,
    prompts: async () => (await catalog.prompts()).map((it) => it.listed),
    prompt: (name, args) => contentReader.prompt(name, args),
    promptMessages: (name, args, signal) => contentReader.messages(name, args, signal),
    resources: async () => (await catalog.resources()).map((it) => it.listed),
    resource: (uri, signal) => contentReader.resource(uri, signal),
    onChange: (listener) => services.onChange(listener),
    review: (id) => catalog.review(id),
    accept: async (id, digest, by = principal) =>
      catalog.accept(id, digest, await operatorAuth.verify(by, 'accept a package')),
    install: (id, options = {}) => catalog.install(id, options),
    close: async () => release(),
  };
}

function assertAbsolute(path: string, name: string): string {
  if (!isAbsolute(path)) throw new HostError('usage', `${name} must be an absolute path`);
  return path;
}
