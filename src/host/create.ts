import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { defaultParseOptions } from '../formats/inspect.js';
import { HostError } from '../model/host-error.js';
import { notifySecretOwner } from '../model/notify-target.js';
import { guardedClient } from '../net/http-client.js';
import { systemSandbox } from '../sandbox/system-sandbox.js';
import { createArgumentSeal } from '../secrets/argument-seal.js';
import { tryDelayMs } from '../secrets/pin.js';
import { AcceptedWaivers } from '../store/accepted-waivers.js';
import { AgreementRows } from '../store/agreements.js';
import { ApprovalQueue } from '../store/approvals.js';
import { DenialRows } from '../store/denials.js';
import { HostKeys } from '../store/host-keys.js';
import { KillFile } from '../store/kill-file.js';
import { KillRows } from '../store/kills.js';
import { KnownNames } from '../store/known-names.js';
import { LimitLedger } from '../store/limit-ledger.js';
import { MovedFileRows } from '../store/moved-files.js';
import { Narrowings } from '../store/narrowings.js';
import { OperatorPin } from '../store/operator-pin.js';
import { RepeatableCallRows } from '../store/repeatable-calls.js';
import { RequestedInstallations } from '../store/requested-installations.js';
import { SealedArgumentRows } from '../store/sealed-arguments.js';
import { openDatabase } from '../store/sqlite/sqlite-database.js';
import { lockState } from '../store/sqlite/state-lock.js';
import { StandingRules } from '../store/standing-rules.js';
import { TaskRows } from '../store/tasks.js';
import { ToolSetRows } from '../store/tool-sets.js';
import { ViolationRows } from '../store/violations.js';
import { WatchedPackages } from '../store/watched-packages.js';
import { CallRepeats } from './call/call-repeats.js';
import type { CallServices } from './call/call-services.js';
import { keptArgumentOperations } from './call/kept-arguments.js';
import type { Host } from './host.js';
import { closeHost } from './host-closing.js';
import { hostHealth } from './host-health.js';
import { hostManifests } from './host-manifests.js';
import { createHostServices } from './host-services.js';
import { createIdSource } from './ids.js';
import { checkedHost } from './operations/checked-host.js';
import { activityOperations } from './operator/activity-operations.js';
import { anchorPlaces } from './operator/anchor-places.js';
import { approvalLinks } from './operator/approval-links.js';
import { approvalOperations, invalidator } from './operator/approval-operations.js';
import { consoleAccess } from './operator/console-access.js';
import { openHostAudit } from './operator/host-audit.js';
import { HostChanges } from './operator/host-changes.js';
import { InstallRequestQueue } from './operator/install-request-queue.js';
import { KillSwitch } from './operator/kill-switch.js';
import { KillTargets } from './operator/kill-targets.js';
import { heldCallNotice, installRequestNotice } from './operator/notice.js';
import { Notices } from './operator/notices.js';
import { openLabels } from './operator/open-labels.js';
import { OpenSessions } from './operator/open-sessions.js';
import { openPinAuth } from './operator/pin-auth.js';
import { Quarantine } from './operator/quarantine.js';
import { rollbackOperations } from './operator/rollback-operations.js';
import { RunningCalls } from './operator/running-calls.js';
import { secretOperations } from './operator/secret-operations.js';
import { valueChecker } from './operator/set-check.js';
import { endTokenBindings, setOperations } from './operator/set-operations.js';
import { switchOperations } from './operator/switch-operations.js';
import { tokenOperations } from './operator/token-operations.js';
import { ToolSets } from './operator/tool-sets.js';
import { Violations } from './operator/violations.js';
import { WaiverGate } from './operator/waiver-gate.js';
import type { HostOptions } from './options.js';
import { outcomeOperations } from './outcome-operations.js';
import { PackageDigests } from './packages/package-digest.js';
import { Stage } from './packages/stage.js';
import { createQueue } from './queue.js';
import { openSession, type SessionContext } from './session.js';
import { makeStateDirectory } from './state-directory.js';
import { openTasks } from './task-registry.js';

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
  if (options.development !== undefined) makeStateDirectory(options.development.environments);
  const lock = lockState(state);
  let stage: Stage | undefined;
  try {
    const digests = new PackageDigests();
    stage = new Stage(digests);
    return await startHost(state, stage, digests, options, () => lock.release());
  } catch (error) {
    stage?.close();
    lock.release();
    throw error;
  }
}

/** The order is the order of dependencies: storage, operator, packages, calls, sessions. */
async function startHost(
  state: string,
  stage: Stage,
  digests: PackageDigests,
  options: HostOptions,
  releaseLock: () => void,
): Promise<Host> {
  const { now = Date.now, onBug = () => {}, onRollback, onlyLooks, anchorDelaysMs } = options;
  const newId = createIdSource();
  const sandbox = options.sandbox ?? systemSandbox({ pidFolder: state });
  // The test of the sandbox runs while the host starts; a session waits for its result.
  if (options.warm !== false) sandbox.probe().catch(() => {});

  // Storage
  const database = openDatabase(state);
  const keys = new HostKeys(database, () => randomBytes(32));
  const client = options.client ?? guardedClient();
  const webhookSender = { client, key: () => keys.get('notices'), now };
  const hostAudit = await openHostAudit({
    ...{ state, database, now },
    ...{ onRollback, onlyLooks, anchorDelaysMs, locations: options.audit },
    places: anchorPlaces(state, options, webhookSender),
  });
  const { audit } = hostAudit;
  const changes = new HostChanges(audit);
  const access = consoleAccess({ key: () => keys.get('console'), now });
  const agreementRows = new AgreementRows(database, now);
  const sealedArguments = new SealedArgumentRows(database);

  // Operator: who decides, what waits for a decision, and what can be stopped
  const pin = new OperatorPin(database, now, tryDelayMs);
  const waivers = await WaiverGate.open(
    new AcceptedWaivers(database, now),
    audit,
    (await pin.get()) !== undefined,
  );
  const onPinChange = (isSet: boolean) => waivers.pinChanged(isSet);
  const operatorAuth = openPinAuth({ pin, audit, now, onPinChange });
  const approvals = new ApprovalQueue(database, now);
  const { labels, taintHolds } = openLabels({ database, audit, operatorAuth, now, newId });
  const denials = new DenialRows(database, now);
  const links = approvalLinks({ key: () => keys.get('approval-links'), now });
  const standingRules = new StandingRules(database, now);
  const invalidate = invalidator(approvals, standingRules, audit);
  const running = new RunningCalls();
  const killTargets = new KillTargets(new KnownNames(database));
  const seal = createArgumentSeal({ derive: (...args) => services.vault.derive(...args) });
  const repeats = await CallRepeats.open({ rows: new RepeatableCallRows(database), seal, audit, now });
  const kills = await KillSwitch.open({
    rows: new KillRows(database),
    file: new KillFile(options.development?.operatorState ?? state),
    ...{ audit, approvals, operatorAuth, running, targets: killTargets, now, onBug },
    discardRepeats: (matches, reason) => repeats.discard(matches, reason),
  });
  const notices = new Notices({
    ...webhookSender,
    ...{ audit, links },
    secretOf: (slot) => services.vault.value(notifySecretOwner, slot),
    ...(options.noticeDelaysMs === undefined ? {} : { delaysMs: options.noticeDelaysMs }),
  });

  const violations = await Violations.open({
    ...{ rows: new ViolationRows(database), audit, now, onBug, kills: kills.operations },
    sendNotice: (...args) => notices.send(...args),
  });
  const quarantine = new Quarantine({
    ...{ state, audit, now, newId, violations },
    rows: new MovedFileRows(database),
  });
  const narrowings = await Narrowings.open(database);
  const watched = await WatchedPackages.open(database, now);
  const sets = await ToolSets.open(new ToolSetRows(database, now));

  // Packages: what sessions share to check and run them
  const parse = {
    agentVersion: options.agentVersion ?? defaultParseOptions.agentVersion,
    reservedIds: options.reservedIds ?? defaultParseOptions.reservedIds,
  };
  const services = createHostServices({
    ...{ state, database, audit, stage, digests, kills, quarantine, violations, running, sets, sandbox, now },
    ...{ operatorAuth, options, parse, narrowings, watched },
    keyOf: (name) => keys.get(name),
    ...{ invalidate, newId },
    onOutdated: (definition) => invalidate({ definition }, 'the definition of the package changed'),
    onOutdatedTool: (definition) => invalidate({ definition }, 'its program announces the tool differently'),
  });

  await services.lifecycle.recover();
  waivers.attach(() => services.notifyChanged());

  // Calls
  const backgroundWork = new Set<Promise<unknown>>();
  const limits = new LimitLedger(database, { now, ticks: options.ticks ?? (() => performance.now()) });
  const callServices: CallServices = {
    ...{ seal, audit, approvals, denials, links, standingRules, invalidate, waivers, taintHolds, labels },
    ...{ kills, running, repeats, now, newId },
    random: Math.random,
    sendNotice: (held, { tool, noticeTargets }) => notices.send(heldCallNotice(held, tool), noticeTargets),
    limits,
    logBug: onBug,
    serialize: createQueue(1),
    runInBackground: (work) => {
      const tracked = work.catch(onBug).finally(() => backgroundWork.delete(tracked));
      backgroundWork.add(tracked);
    },
  };

  const installRequests = new InstallRequestQueue({
    rows: new RequestedInstallations(database, now),
    ...{ audit, queue: createQueue(1), now, newId },
    assertNotKilled: (principal) => kills.assertNotKilled({ principal }),
    isInstalled: (packageId) => services.lifecycle.isServed(packageId),
    announce: (request, target) => {
      notices.send(installRequestNotice(request), target);
      changes.announce('requests');
      options.onInstallRequest?.(request);
    },
  });

  // Sessions
  const openSessions = new OpenSessions(now, () => changes.announce('clients'));
  const context: SessionContext = {
    ...{ services, callServices, operatorAuth, waivers, killTargets, installRequests, sets, labels },
    openSessions,
    consoleAccess: access,
    learning: {
      ...{ narrowings, watched, database, audit, operatorAuth, now },
      retirePackage: (id) => services.retirePackage(id),
      notifyChanged: () => services.notifyChanged(),
    },
    verifiedOperators: new WeakSet(),
    ...{ parse, isForDevelopment: options.development !== undefined, onAnswer: options.onAnswer },
  };

  changes.follow(approvals, services);
  let isClosed = false;
  const switches = switchOperations(services, agreementRows, audit, operatorAuth);
  const quarantined = quarantine.operations(operatorAuth, services.restoreInto);
  return checkedHost(
    {
      async session(sessionOptions) {
        return openSession(sessionOptions, context);
      },
      approvals: approvalOperations({
        ...{ queue: approvals, denials, links, rules: standingRules, audit, operatorAuth, now, newId },
        taintHolds,
        tokens: services.tokens,
        noticeKey: async () => Buffer.from(await keys.get('notices')).toString('hex'),
      }),
      operator: operatorAuth,
      secrets: secretOperations(services, audit, operatorAuth, invalidate, agreementRows),
      tokens: tokenOperations(services.tokens, audit, operatorAuth, {
        ...{ newId, now },
        onRevoked: () => endTokenBindings({ sets, tokens: services.tokens, audit }),
      }),
      sets: setOperations({
        ...{ sets, audit, operatorAuth, invalidate, tokens: services.tokens },
        ...{ notifyChanged: services.notifyChanged, knownTools: services.knownTools },
        check: async () => valueChecker(await import('../schema/validator.js')),
      }),
      switches,
      processes: async () => services.processes(),
      kills: kills.operations,
      waivers: waivers.operations,
      quarantine: quarantined,
      installRequests: installRequests.operations,
      outcomes: outcomeOperations(hostAudit.outcomes, repeats),
      labels: labels.operations,
      rollbacks: rollbackOperations(database, audit, operatorAuth),
      keptArguments: keptArgumentOperations({ ...{ seal, audit, operatorAuth }, rows: sealedArguments }),
      activity: activityOperations({ database, audit, now }),
      manifests: hostManifests(options, parse, sandbox),
      health: hostHealth({
        ...{ state, now, sandbox, limits, operatorAuth, switches, ...services.forHealth },
        quarantine: quarantined,
        activeCalls: () => running.active,
        verifyAudit: () => hostAudit.verify(),
      }),
      openSessions: async () => openSessions.list(),
      verifyAudit: (progress) => hostAudit.verify(progress),
      auditStatus: () => hostAudit.status(),
      auditTail: (count) => hostAudit.tail(count),
      tasks: openTasks(new TaskRows(database, now), now),
      consoleAccess: access,
      changes: { onChange: (listener) => changes.onChange(listener) },
      activeCalls: () => running.active,
      async close() {
        if (isClosed) return;
        isClosed = true;
        await closeHost({
          ...{ repeats, kills, running, backgroundWork, violations, notices, services, sandbox },
          ...{ hostAudit, database, stage, releaseLock },
        });
      },
    },
    { hints: options.hints ?? 'library', onPerformed: () => changes.operationEnded() },
  );
}
