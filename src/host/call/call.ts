// The call pipeline: every call goes through these steps, in this order. Resolve the tool, check the arguments,
// freeze them, decide, write the intent to the audit log, run the action, write the outcome, answer.

import { sha256 } from '../../files/sha256.js';
import type { ApprovalBinding, ApprovalRequest } from '../../model/approval.js';
import { neverCanceled } from '../../model/cancel-signal.js';
import { asHostError, callCanceled, HostError } from '../../model/host-error.js';
import { canonicalJson, deepFreeze, isObject, type Json, type JsonObject } from '../../model/json.js';
import type { KillSubject } from '../../model/kill-target.js';
import { confirmToolName } from '../../model/tool-name.js';
import { type Decision, decide } from '../../policy/decide.js';
import { shapeOf } from '../../policy/input-shape.js';
import type { RunRequest } from '../../run/run.js';
import type { Deadline } from '../../run/upstream/upstream.js';
import type { ArgumentSeal } from '../../secrets/argument-seal.js';
import type { ApprovalQueue } from '../../store/approvals.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { DenialRows } from '../../store/denials.js';
import type { LimitLedger, Reservation } from '../../store/limit-ledger.js';
import type { RepeatableCallChange } from '../../store/repeatable-calls.js';
import type { StandingRules } from '../../store/standing-rules.js';
import type { Answer, CallRequest } from '../host.js';
import type { ApprovalLinkOperations } from '../operator/approval-links.js';
import { changeOf, type Invalidate } from '../operator/approval-operations.js';
import type { KillSwitch } from '../operator/kill-switch.js';
import type { RunningCall, RunningCalls } from '../operator/running-calls.js';
import type { WaiverGate } from '../operator/waiver-gate.js';
import { confirmationOf, failedAnswer } from './answer.js';
import { checkArguments } from './arguments.js';
import { type CallHookContext, runAfterCallHooks, runBeforeCallHooks } from './call-hooks.js';
import {
  type CallOutcome,
  type InnerCall,
  outcomeStatus,
  runToOutcome,
  withTimeLimitHint,
} from './call-outcome.js';
import type { CallRepeats } from './call-repeats.js';
import { mayRepeat, mayTryAgain, runTries } from './call-tries.js';
import { CallUses } from './call-uses.js';
import type { CallableTool } from './callable-tool.js';
import { evidenceOf } from './evidence.js';
import { type ArgumentOrigin, withFixedArguments } from './fixed-call-arguments.js';
import { type HookHandler, handlersFor } from './hooks.js';
import { applyInputGuardrails, hasInputGuardrails } from './input-guardrails.js';
import { sealArguments } from './kept-arguments.js';
import { assertWithinLimits, callMeters, type RuleMeter, reserveLimits } from './limits.js';
import { type CallAuthorization, findStandingRule, waiverAuthorization } from './standing-rule.js';

/** What the call pipeline needs from the host. */
export interface CallServices {
  readonly seal: ArgumentSeal;
  readonly audit: AuditLog;
  readonly approvals: ApprovalQueue;
  readonly denials: DenialRows;
  readonly standingRules: StandingRules;
  readonly invalidate: Invalidate;
  readonly waivers: Pick<WaiverGate, 'isActive' | 'isVerified'>;
  /** Names the page where a person can decide. */
  readonly links: Pick<ApprovalLinkOperations, 'linkTo'>;
  /** Sends a webhook notice about a held call, in the background. */
  readonly sendNotice: (request: ApprovalRequest, callable: CallableTool) => void;
  readonly limits: LimitLedger;
  readonly kills: KillSwitch;
  readonly running: RunningCalls;
  /** Calls of idempotent tools, which can be repeated after a crash. */
  readonly repeats: CallRepeats;
  readonly now: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly newId: (prefix: string) => string;
  readonly logBug: (error: unknown) => void;
  /** The call does not wait for this work; the host waits for it before it closes. */
  readonly runInBackground: (work: Promise<unknown>) => void;
  /** Runs one piece of work at a time, in order of arrival. */
  readonly serialize: <T>(work: () => Promise<T>) => Promise<T>;
}

/** The session that makes a call, and the tools it can see. */
export interface Caller {
  /** Id of the session. */
  readonly id: string;
  readonly principal: string;
  /** Which client of the principal; empty if all its sessions are one client. */
  readonly client: string;
  /**
   * Takes `package/tool` or an exposed name; throws if there is no such tool. `from`: the tool that calls it, which may
   * use all tools of its own package.
   */
  resolve(name: string, from?: string): Promise<CallableTool>;
  /** Whether extensions have hooks for calls; most sessions have none. */
  hasHooks(): boolean;
  hooks(): Promise<readonly HookHandler[]>;
}

export interface Call {
  /** Names of the tools whose calls led to this one, outermost first; empty for a call from outside. */
  readonly chain: readonly string[];
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly started: number;
  readonly caller: Caller;
  readonly request: CallRequest;
  /** How many hosts started it before and crashed. Default: 0. */
  readonly repeats?: number;
}

/** A call whose arguments passed all checks and can no longer change. */
export interface FrozenCall {
  readonly callable: CallableTool;
  readonly input: JsonObject;
  /** Digest of the input. */
  readonly digest: string;
  /** What the call uses up of the rate and spend limits that apply to it. */
  readonly meters: readonly RuleMeter[];
  /** Sent beside the arguments. Absent if a hook or guardrail looks at the arguments: it would not see this. */
  readonly meta?: JsonObject;
}

const approvalLifetimeMs = 10 * 60_000;
const defaultTimeoutMs = 60_000;
const maxTimeoutMs = 24 * 3_600_000;
/** Held calls of one principal at a time, and new ones per window: nobody reads the fiftieth question in a row. */
const maxHeld = 10;
const newHeldWindowMs = 60_000;
const maxNewHeld = { principal: 30, session: 20 };
/** Characters of a tool name in the audit log; the name may be anything the caller sent. */
const maxAuditedName = 200;
/** How many tools may call each other in a chain. */
const maxChain = 8;

export async function callTool(
  services: CallServices,
  caller: Caller,
  request: CallRequest,
  chain: readonly string[] = [],
): Promise<Answer> {
  const call: Call = { chain, id: services.newId('call'), started: services.now(), caller, request };
  try {
    if (typeof request.tool !== 'string')
      throw new HostError('usage', 'the call names no tool', { hint: 'name one as PACKAGE/TOOL' });
    services.kills.readKillFile();
    services.kills.assertNotKilled(caller);
    // A running call may always call further tools: otherwise it could not finish.
    if (chain.length === 0) services.running.assertCapacity();
    if (request.tool === confirmToolName) return await confirm(services, call);

    const handlers = caller.hasHooks() ? await caller.hooks() : [];
    const beforeHooks = (callable: CallableTool, input: JsonObject) =>
      runBeforeCallHooks(hookContext(services, call, callable, handlers), input);
    const frozen = await prepare(services, caller, request.tool, request.arguments, {
      deadline: deadlineOf(call),
      meta: request.meta,
      ...(handlersFor(handlers, 'before_tool_call').length === 0 ? {} : { beforeHooks }),
      ...(chain.length === 0 ? {} : { origin: 'host', from: chain.at(-1) }),
    });
    assertChain(chain, frozen.callable.name);
    const decision = decide({ ...frozen.callable, input: frozen.input });
    const repeated = decision.kind === 'deny' ? undefined : await answerOfRepeated(services, call, frozen);
    if (repeated !== undefined) return repeated;
    switch (decision.kind) {
      case 'deny':
        throw new HostError('denied', decision.reasons.join('; '));
      case 'ask': {
        // A standing rule or an earlier approval may already cover this call.
        const { callable, input } = frozen;
        const rule = await findStandingRule(
          services.standingRules,
          caller.principal,
          callable,
          input,
          decision.kinds,
        );
        if (rule !== undefined) return await runAllowed(services, call, frozen, { rule: rule.id });
        const binding = await bindingOf(caller, frozen);
        const approved = await services.approvals.find(binding, ['approved']);
        if (approved !== undefined) return await runApproved(services, call, frozen, approved, binding);
        await assertWithinLimits(services.limits, frozen.meters);
        // Serialized, so that two identical calls at the same time become one approval request.
        return await services.serialize(() => hold(services, call, frozen, binding, decision));
      }
      case 'allow': {
        const waived = waiverAuthorization(decision.waivedBy, services.waivers);
        return await runAllowed(services, call, frozen, waived);
      }
    }
  } catch (error) {
    return await refuse(services, call, error);
  }
}

interface PrepareOptions {
  /** For a call that may start programs. Absent: nothing is started. */
  readonly deadline?: Deadline;
  readonly beforeHooks?: (callable: CallableTool, input: JsonObject) => Promise<JsonObject>;
  /** Default: `caller`. */
  readonly origin?: ArgumentOrigin;
  /** The tool that makes the call; undefined for a call from outside. */
  readonly from?: string | undefined;
  /** Sent beside the arguments. It must not contain secrets either. */
  readonly meta?: JsonObject | undefined;
}

/** Requires a ready tool and valid arguments, then freezes them: nothing changes the arguments after this. */
export async function prepare(
  services: CallServices,
  caller: Caller,
  name: string,
  args: Json,
  { deadline, beforeHooks, origin = 'caller', from, meta }: PrepareOptions = {},
): Promise<FrozenCall> {
  const callable = await caller.resolve(name, from);
  services.kills.assertNotKilled(killSubjectOf(caller, callable));
  if (deadline !== undefined) await callable.compareAgain(deadline);
  try {
    await callable.assertReady();
  } catch (error) {
    throw deadline === undefined ? error : await callable.notStarted(error);
  }
  const valid = await checkArguments(callable, withFixedArguments(callable, args, origin));
  const hooked = beforeHooks === undefined ? valid : await beforeHooks(callable, valid);
  // Arguments that an extension changed are checked again.
  const checked =
    hooked === valid ? valid : await checkArguments(callable, withFixedArguments(callable, hooked, 'host'));
  const input = deepFreeze(await applyInputGuardrails(callable.package.id, callable.requirements, checked));
  await callable.checkForSecrets(input);
  if (meta !== undefined) await callable.checkForSecrets(meta);
  const meters = callMeters(caller.principal, callable, input);
  const isInspected = beforeHooks !== undefined || hasInputGuardrails(callable.requirements);
  const sent = meta === undefined || isInspected ? {} : { meta };
  return { callable, input, digest: sha256(canonicalJson(input)), meters, ...sent };
}

/** Denies loops, which would never end, and chains that are too long. */
function assertChain(chain: readonly string[], next: string): void {
  if (chain.includes(next))
    throw new HostError('denied', `the tools call each other in a loop: ${[...chain, next].join(' → ')}`);
  if (chain.length >= maxChain)
    throw new HostError('denied', `${chain[0]} leads to a chain of more than ${maxChain} tools`);
}

export function killSubjectOf({ principal }: Caller, { package: pkg, tool }: CallableTool): KillSubject {
  return { principal, package: pkg.id, tool: tool.name };
}

/**
 * The answer of the same call, if a crash interrupted it and this host repeated it: a caller that lost its answer asks
 * again. Undefined if there is none.
 */
async function answerOfRepeated(
  services: CallServices,
  call: Call,
  frozen: FrozenCall,
): Promise<Answer | undefined> {
  if (call.chain.length > 0) return undefined;
  const { principal } = call.caller;
  const signal = call.request.signal ?? neverCanceled;
  const answer = await services.repeats.claim({ principal, tool: frozen.callable.name, signal }, () =>
    bindingOf(call.caller, frozen),
  );
  if (answer === undefined) return undefined;
  const body = { ...auditSubject(call, frozen), status: 'answered', repeated: answer.callId };
  await services.audit.append({ kind: 'recovery', body });
  if (answer.status !== 'ok') return answer;
  const note = 'the host stopped during this call and repeated it when it started again; this is the answer';
  return { ...answer, warnings: [...answer.warnings, note] };
}

/** Everything a person's decision is bound to. If any part differs, it is a different call. */
export async function bindingOf(caller: Caller, { callable, input }: FrozenCall): Promise<ApprovalBinding> {
  return {
    principal: caller.principal,
    client: caller.client,
    tool: callable.name,
    definition: callable.digest,
    // Covers the arguments, the workspace and the grants: a person approves all three.
    argumentsDigest: sha256(canonicalJson({ arguments: input, ...callable.context } as unknown as Json)),
    policy: callable.policy,
    credentials: await callable.credentials(),
  };
}

/** Stores the call until a person decides. The same call again gets the same approval request. */
async function hold(
  services: CallServices,
  call: Call,
  frozen: FrozenCall,
  binding: ApprovalBinding,
  { confirmation: kind, reasons }: Extract<Decision, { kind: 'ask' }>,
): Promise<Answer> {
  const open = await services.approvals.find(binding, ['proposed']);
  if (open !== undefined) {
    await services.audit.append({
      kind: 'hold',
      body: { ...auditSubject(call, frozen), approval: open.id, repeated: true },
    });
    return {
      ...answerBase(services, call),
      tool: open.tool,
      status: 'confirmation_required',
      confirmation: confirmationOf(open, await services.links.linkTo(open)),
    };
  }
  const denied = await services.denials.untold(binding);
  if (denied !== undefined) throw await deniedCall(services, denied.approval);
  const createdAt = services.now();
  await assertFewHeldCalls(services, call.caller, createdAt);
  await frozen.callable.assertSandboxReady();
  // Earlier requests for the same call were shown under other conditions: they must not run any more.
  await voidOutdated(services, await services.approvals.outstanding(binding), binding);
  const request = {
    id: services.newId('apr'),
    session: call.caller.id,
    ...binding,
    arguments: frozen.input,
    kind,
    reasons: [...reasons, ...contextReasons(frozen.callable)],
    evidence: evidenceOf(frozen.callable, frozen.input),
    createdAt,
    expiresAt: createdAt + approvalLifetimeMs,
  };
  await services.audit.append({
    kind: 'hold',
    body: { ...auditSubject(call, frozen), approval: request.id, reason: kind },
  });
  await services.approvals.propose(request);
  // A kill that came in the meantime did not see this request.
  const killReason = services.kills.reasonFor(killSubjectOf(call.caller, frozen.callable));
  if (killReason !== undefined) {
    await services.invalidate({ id: request.id }, killReason);
    throw new HostError('killed', `${frozen.callable.name} cannot be called: ${killReason}`);
  }
  const undecided = { state: 'proposed', decision: null, voidReason: null, answer: null } as const;
  const held: ApprovalRequest = { ...request, ...undecided };
  services.sendNotice(held, frozen.callable);
  const confirmation = confirmationOf(held, await services.links.linkTo(held));
  return {
    ...answerBase(services, call),
    tool: frozen.callable.name,
    status: 'confirmation_required',
    confirmation,
  };
}

/** Tells the caller that a person denied its call, with what the person wrote. */
async function deniedCall({ denials }: CallServices, approval: string): Promise<HostError> {
  const note = await denials.tell(approval);
  return new HostError(
    'approval_denied',
    `a person denied this call${note === null ? '' : `, and says: ${note}`}`,
  );
}

/** Limits held calls, so that a flood of questions cannot tire a person into approving one. */
async function assertFewHeldCalls(
  services: CallServices,
  { principal, id }: Caller,
  now: number,
): Promise<void> {
  const { open, ofPrincipal, ofSession } = await services.approvals.counts(
    principal,
    id,
    now - newHeldWindowMs,
  );
  if (open >= maxHeld)
    throw new HostError('denied', `${maxHeld} calls are already waiting for approval; decide these first`, {
      hint: 'toolwharf approvals list',
    });
  if (ofPrincipal >= maxNewHeld.principal || ofSession >= maxNewHeld.session)
    throw new HostError('rate_limited', 'too many calls asked for approval in the last minute', {
      hint: 'wait a minute; an operator can allow such calls: toolwharf approvals allow',
    });
}

/** Voids the requests for which something changed since they were made, with the reason. */
async function voidOutdated(
  services: CallServices,
  stored: readonly ApprovalRequest[],
  binding: ApprovalBinding,
): Promise<void> {
  for (const it of stored) {
    const change = changeOf(it, binding);
    if (change !== undefined) await services.invalidate({ id: it.id }, change);
  }
}

/** The workspace and the grants of the call, as text for the person who decides. */
function contextReasons({ context: { workspace, allow } }: CallableTool): string[] {
  return [
    ...(workspace === null ? [] : [`it would run in ${workspace}`]),
    ...(allow.length === 0 ? [] : [`it would have these grants: ${allow.join(', ')}`]),
  ];
}

/** Runs or reports a held call for the agent. Only the stored call runs, and only after a person approved it. */
async function confirm(services: CallServices, call: Call): Promise<Answer> {
  const args = isObject(call.request.arguments) ? call.request.arguments : {};
  const token = args.confirmation_token ?? args.token;
  if (typeof token !== 'string')
    throw new HostError('invalid_input', `${confirmToolName} needs the confirmation_token of a held call`);
  const stored = await services.approvals.get(token);
  const { principal, client } = call.caller;
  if (stored === undefined || stored.principal !== principal || stored.client !== client) {
    throw new HostError('approval_not_found', 'you have no held call with this token');
  }
  if (stored.state !== 'approved') {
    const body = {
      callId: call.id,
      principal: call.caller.principal,
      approval: stored.id,
      state: stored.state,
    };
    await services.audit.append({ kind: 'hold', body });
  }
  switch (stored.state) {
    case 'proposed': {
      const error = {
        code: 'approval_pending',
        message: 'this call is still waiting for approval',
        hint: `toolwharf approvals approve ${stored.id}`,
      } as const;
      return {
        ...answerBase(services, call),
        tool: stored.tool,
        status: 'confirmation_required',
        confirmation: confirmationOf(stored, await services.links.linkTo(stored)),
        error,
      };
    }
    case 'denied':
      throw await deniedCall(services, stored.id);
    case 'expired':
      throw new HostError('approval_expired', 'nobody decided in time; call the tool again');
    case 'void':
      throw new HostError('approval_expired', `${stored.voidReason}; call the tool again`);
    case 'executing':
      throw new HostError(
        'approval_denied',
        'this call was started and its outcome is unknown; it will not run again',
      );
    case 'executed':
      if (stored.answer === null)
        throw new HostError('approval_expired', 'the answer of this call is no longer stored');
      return stored.answer as unknown as Answer;
    case 'approved': {
      const frozen = await prepare(services, call.caller, stored.tool, stored.arguments, {
        deadline: deadlineOf(call),
        origin: 'host',
      });
      const binding = await bindingOf(call.caller, frozen);
      // With another workspace or other grants it is a different call, and the stored one stays valid.
      if (binding.argumentsDigest === stored.argumentsDigest) await voidOutdated(services, [stored], binding);
      const change = changeOf(stored, binding);
      if (change !== undefined || binding.argumentsDigest !== stored.argumentsDigest) {
        const what = change ?? 'the workspace or the grants were changed';
        throw new HostError('approval_expired', `since the approval, ${what}; call the tool again`);
      }
      return await runApproved(services, call, frozen, stored, binding);
    }
  }
}

/** Runs an approved call once: only the caller that moves the request from approved to executing runs it. */
async function runApproved(
  services: CallServices,
  call: Call,
  frozen: FrozenCall,
  approval: ApprovalRequest,
  binding: ApprovalBinding,
): Promise<Answer> {
  // Checked first: a call that cannot run now does not use up the approval.
  await frozen.callable.assertSandboxReady();
  await frozen.callable.assertUnchanged(deadlineOf(call));
  const reservation = await reserveLimits(services.limits, frozen.meters);
  if (!(await services.approvals.begin(approval.id, binding))) {
    await releaseReservation(services, reservation);
    throw new HostError('approval_denied', 'this approval was already used or is no longer valid');
  }
  const answer = await execute(services, call, frozen, reservation, { approval: approval.id }).catch(
    (error) => refuse(services, call, error, frozen.callable.name),
  );
  // Nothing ran: an inner call waits for approval. The approval stays valid for the next attempt.
  if (answer.status === 'confirmation_required') await services.approvals.revertToApproved(approval.id);
  else await services.approvals.finish(approval.id, answer as unknown as Json);
  return answer;
}

/** Runs a call that needs no approval, or whose question a standing rule or the settings removed. */
async function runAllowed(
  services: CallServices,
  call: Call,
  frozen: FrozenCall,
  authorization?: CallAuthorization,
): Promise<Answer> {
  const { callable } = frozen;
  await callable.assertSandboxReady();
  // Before such a call the definition is compared in any case; before others only if it may be outdated.
  if (authorization !== undefined || callable.tool.effect === 'destructive')
    await callable.assertUnchanged(deadlineOf(call));
  return execute(services, call, frozen, await reserveLimits(services.limits, frozen.meters), authorization);
}

/** Only for a call that did nothing. A call that started and failed, or may have had an effect, stays counted. */
async function releaseReservation(services: CallServices, reservation: Reservation | null): Promise<void> {
  if (reservation !== null) await services.limits.release(reservation);
}

/** Runs the call as a stoppable unit, then runs the after-call hooks in the background. */
export async function execute(
  services: CallServices,
  call: Call,
  frozen: FrozenCall,
  reservation: Reservation | null,
  authorization?: CallAuthorization,
): Promise<Answer> {
  const subject = killSubjectOf(call.caller, frozen.callable);
  const run = services.running.enter(subject, call.request.signal);
  try {
    // After `enter`: a kill from now on finds this call among the running ones.
    services.kills.readKillFileIfStale();
    if (services.kills.reasonFor(subject) !== undefined) {
      await releaseReservation(services, reservation);
      services.kills.assertNotKilled(subject);
    }
    const answer = await runAudited(services, call, frozen, run, reservation, authorization);
    if (call.caller.hasHooks()) services.runInBackground(notifyHooks(services, call, frozen, answer));
    return answer;
  } finally {
    run.leave();
  }
}

async function notifyHooks(
  services: CallServices,
  call: Call,
  { callable, input }: FrozenCall,
  answer: Answer,
) {
  return runAfterCallHooks(hookContext(services, call, callable, await call.caller.hooks()), input, answer);
}

/** Runs the action between two audit entries: the intent before it, the outcome after it. */
async function runAudited(
  services: CallServices,
  call: Call,
  frozen: FrozenCall,
  run: RunningCall,
  reservation: Reservation | null,
  authorization: CallAuthorization | undefined,
): Promise<Answer> {
  const { callable, input, digest } = frozen;
  const { argumentKeeping } = callable;
  const requestedMs = timeoutOf(
    call.request.timeoutMs ?? (callable.tool.timeoutSeconds ?? Number.NaN) * 1000,
  );
  const timeoutMs = Math.min(requestedMs, callable.bounds.wallMs ?? requestedMs);
  const intent = {
    kind: 'intent',
    // Keys are in canonical order, which saves sorting them.
    body: {
      arguments: digest,
      callId: call.id,
      definition: callable.digest,
      effect: callable.tool.effect,
      principal: call.caller.principal,
      session: call.caller.id,
      ...(callable.set === null ? {} : { set: { digest: callable.set.digest, name: callable.set.name } }),
      shape: shapeOf(input, callable.tool.input),
      tool: callable.name,
      ...(callable.sandboxed ? {} : { noSandbox: true }),
      ...(call.repeats === undefined ? {} : { repeats: call.repeats }),
      ...(authorization as JsonObject | undefined),
    },
  } as const;
  let isRepeatable = call.repeats !== undefined;
  // The intent must be on disk before anything is read or changed. Pure computation may run ahead of it.
  try {
    const sealedArguments =
      argumentKeeping === null || call.repeats !== undefined
        ? undefined
        : await sealArguments(services.seal, {
            id: call.id,
            digest,
            input,
            keeping: argumentKeeping,
            at: call.started,
          });
    const repeatable = mayRepeat(callable.tool)
      ? await repeatableChange(services, call, frozen, timeoutMs, authorization)
      : undefined;
    isRepeatable = repeatable !== undefined;
    const entry = {
      ...intent,
      ...(sealedArguments === undefined ? {} : { sealedArguments }),
      ...(repeatable === undefined ? {} : { repeatable }),
    };
    if (callable.tool.effect === 'none' && authorization === undefined) services.audit.enqueue(entry);
    else await services.audit.append(entry);
  } catch (error) {
    await releaseReservation(services, reservation);
    throw error;
  }

  const deniedHosts = new Set<string>();
  const uses = new CallUses();
  const redacted: JsonObject[] = [];
  let tries = 1;
  const runAll = async (request: RunRequest) => {
    const inner = innerCall(services, call, callable);
    const tried = await runTries(request, (it) => runToOutcome(callable, inner, it), services);
    tries = tried.tries;
    return tried.outcome;
  };
  const outcome = await unlessStopped(run, () =>
    runAll({
      package: callable.package,
      tool: callable.tool,
      input,
      callId: call.id,
      idempotencyKey: mayTryAgain(callable.tool) ? call.id : undefined,
      timeoutMs,
      outputBytes: callable.bounds.outputBytes,
      signal: run.signal,
      caller: { agentId: call.caller.principal, sessionId: call.caller.id },
      onProgress: call.request.onProgress,
      onAsk: call.request.onAsk,
      logging: call.request.logging,
      // An approval is about the arguments, so an approved call carries nothing else.
      meta: authorization === undefined ? frozen.meta : undefined,
      onNetworkDenied: (hosts) => {
        for (const host of hosts) deniedHosts.add(host);
      },
      onNetworkUsed: (hosts) => uses.addHosts(hosts),
      onFilesChanged: (folders) => uses.addFolders(folders),
      onRedacted: (findings) => redacted.push(...findings),
    }),
  );
  const status = outcomeStatus(outcome);
  // A repeated call that ends with its host is repeated by the next one.
  const isInterrupted =
    call.repeats !== undefined && outcome.kind === 'failed' && asHostError(outcome.error).code === 'canceled';
  // If the host crashes before this entry is on disk, the next start marks the outcome as unknown.
  services.audit.enqueue({
    kind: 'outcome',
    ...(isRepeatable && !isInterrupted ? { repeatable: { kind: 'ended', call: call.id } } : {}),
    body: {
      callId: call.id,
      durationMs: services.now() - call.started,
      ...(redacted.length === 0 ? {} : { redacted }),
      ...(deniedHosts.size === 0 ? {} : { deniedHosts: [...deniedHosts] }),
      ...uses.entry(),
      status,
      ...(tries === 1 ? {} : { tries }),
    },
  });

  if (outcome.kind === 'held') {
    await releaseReservation(services, reservation);
    const { confirmation } = outcome;
    return {
      ...answerBase(services, call),
      tool: callable.name,
      status: 'confirmation_required',
      confirmation,
    };
  }
  if (outcome.kind === 'failed')
    return failed(
      services,
      call,
      timeoutMs < requestedMs ? withTimeLimitHint(outcome.error) : outcome.error,
      callable.name,
    );
  const { value, binary, log, warnings, parts, structured, meta } = outcome.result;
  return {
    ...answerBase(services, call),
    tool: callable.name,
    status: 'ok',
    result: value,
    ...(binary === undefined ? {} : { binary }),
    warnings: callable.sandboxed
      ? warnings
      : [...warnings, `${callable.name} ran without a sandbox, as requested`],
    ...(log === undefined ? {} : { log }),
    ...(parts === undefined ? {} : { parts }),
    ...(structured === undefined ? {} : { structured }),
    ...(meta === undefined ? {} : { meta }),
  };
}

/** What makes a call repeatable, stored with its intent. Undefined if its arguments cannot be sealed. */
async function repeatableChange(
  { repeats }: CallServices,
  call: Call,
  frozen: FrozenCall,
  timeoutMs: number,
  authorization: CallAuthorization | undefined,
): Promise<RepeatableCallChange | undefined> {
  if (call.repeats !== undefined) return { kind: 'started-again', call: call.id };
  const { digest, input, callable } = frozen;
  const row = await repeats.keep({
    ...{ id: call.id, binding: await bindingOf(call.caller, frozen), digest, input, timeoutMs },
    approval: authorization !== undefined && 'approval' in authorization ? authorization.approval : null,
    at: call.started,
    keyStorage: callable.keyStorage,
  });
  return row === undefined ? undefined : { kind: 'started', row };
}

/** Does not start a call that was canceled before. A call that was stopped fails with the reason of the stop. */
async function unlessStopped(run: RunningCall, start: () => Promise<CallOutcome>): Promise<CallOutcome> {
  const outcome: CallOutcome = run.signal.aborted ? { kind: 'failed', error: callCanceled() } : await start();
  // Also for `held`: a stopped call that waits for an inner call is over, and its approval is used up.
  return outcome.kind !== 'done' && run.stopReason !== undefined
    ? { kind: 'failed', error: run.stopReason }
    : outcome;
}

function hookContext(
  { audit }: CallServices,
  { id, caller, request }: Call,
  { name }: CallableTool,
  handlers: readonly HookHandler[],
): CallHookContext {
  const signal = request.signal ?? neverCanceled;
  return { tool: name, callId: id, principal: caller.principal, session: caller.id, signal, handlers, audit };
}

/** For what happens before the call itself runs. */
function deadlineOf({ request }: Call): Deadline {
  return { timeoutMs: timeoutOf(request.timeoutMs ?? 0), signal: request.signal ?? neverCanceled };
}

/** Not a number, zero or negative means the default. */
function timeoutOf(milliseconds: number): number {
  return milliseconds >= 1 ? Math.min(milliseconds, maxTimeoutMs) : defaultTimeoutMs;
}

/** Sends a call of a composed tool through the same pipeline, with the chain that led to it. */
function innerCall(services: CallServices, call: Call, outer: CallableTool): InnerCall {
  return (tool, { input, timeoutMs, signal, onProgress, onAsk, logging }) => {
    const request = { tool, arguments: input, timeoutMs, signal, onProgress, onAsk, logging };
    return callTool(services, call.caller, request, [...call.chain, outer.name]);
  };
}

/** Ends a call that did not run, with an audit entry. */
async function refuse(services: CallServices, call: Call, error: unknown, tool?: string): Promise<Answer> {
  const { code } = asHostError(error);
  const body = {
    callId: call.id,
    principal: call.caller.principal,
    session: call.caller.id,
    tool: String(tool ?? call.request.tool).slice(0, maxAuditedName),
    code,
  };
  await services.audit.append({ kind: 'refusal', body });
  return failed(services, call, error, tool ?? String(call.request.tool));
}

/** Details of a bug go to the log only. */
function failed(services: CallServices, call: Call, error: unknown, tool: string): Answer {
  if (asHostError(error).code === 'internal') services.logBug(error);
  return { ...answerBase(services, call), ...failedAnswer(error, tool) };
}

function answerBase(services: CallServices, call: Call): { callId: string; durationMs: number } {
  return { callId: call.id, durationMs: services.now() - call.started };
}

function auditSubject(call: Call, { callable, digest }: FrozenCall): JsonObject {
  return {
    callId: call.id,
    principal: call.caller.principal,
    session: call.caller.id,
    tool: callable.name,
    definition: callable.digest,
    arguments: digest,
  };
}
