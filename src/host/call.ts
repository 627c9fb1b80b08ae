// The one road of every call, whoever makes it. It reads top to bottom: find the tool, check the arguments,
// freeze them, decide, write down what is about to happen, let it happen, write down what happened, answer.

import { hash } from 'node:crypto';
import type { ApprovalBinding, ApprovalRequest } from '../model/approval.js';
import { asHostError, HostError } from '../model/host-error.js';
import { canonicalJson, deepFreeze, isObject, type Json, type JsonObject } from '../model/json.js';
import type { KillSubject } from '../model/kill.js';
import { unstoppable } from '../model/signal.js';
import { confirmToolName } from '../model/tool-name.js';
import { type Decision, decide } from '../policy/decide.js';
import type { ArgumentSeal } from '../secrets/argument-seal.js';
import type { ApprovalQueue } from '../store/approvals.js';
import type { AuditLog } from '../store/audit.js';
import type { LimitLedger, Reservation } from '../store/limits.js';
import type { StandingRules } from '../store/standing-rules.js';
import { confirmationOf, failure } from './answer.js';
import { changeOf, type Invalidate } from './approval-operations.js';
import { checkArguments } from './arguments.js';
import { afterCall, beforeCall, type HookedCall } from './call-hooks.js';
import { type CallOutcome, cappedTime, type InnerCall, runToOutcome, statusIn } from './call-outcome.js';
import { evidenceOf } from './evidence.js';
import { guardInput } from './guard.js';
import type { HookHandler } from './hooks.js';
import type { Answer, CallRequest } from './host.js';
import { keptBeside } from './kept-arguments.js';
import type { KillSwitch } from './kill-switch.js';
import { assertRoom, metersOf, type NamedMeter, takePlace } from './limits.js';
import type { RunningCall, RunningCalls } from './running.js';
import type { CallableTool } from './served-tool.js';
import { shapeOf } from './shape.js';
import { type Leave, standingRule } from './standing-rule.js';

/** What the road needs from the host. */
export interface CallServices {
  readonly seal: ArgumentSeal;
  readonly audit: AuditLog;
  readonly approvals: ApprovalQueue;
  readonly rules: StandingRules;
  readonly invalidate: Invalidate;
  /** Tells people elsewhere of a held call; nobody waits for it. */
  readonly announce: (request: ApprovalRequest, served: CallableTool) => void;
  readonly limits: LimitLedger;
  readonly kills: KillSwitch;
  readonly running: RunningCalls;
  readonly now: () => number;
  readonly newId: (prefix: string) => string;
  readonly logBug: (error: unknown) => void;
  /** Work that nobody waits for, but for the host before it ends. */
  readonly later: (work: Promise<unknown>) => void;
  /** Runs one after the other. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Who calls, and what that caller can see. */
export interface Caller {
  readonly id: string;
  readonly principal: string;
  /** By `package/tool` or exposed name; throws when there is none. */
  resolve(name: string): Promise<CallableTool>;
  /** Whether there are extensions that want to be asked about calls; most sessions have none. */
  isWatched(): boolean;
  hooks(): Promise<readonly HookHandler[]>;
}

interface Call {
  /** Tools whose calls led to this one, outermost first. */
  readonly chain: readonly string[];
  readonly id: string;
  readonly started: number;
  readonly caller: Caller;
  readonly request: CallRequest;
}

export interface FrozenCall {
  readonly served: CallableTool;
  readonly input: JsonObject;
  readonly digest: string;
  /** What the call takes of the limits that hold for it. */
  readonly meters: readonly NamedMeter[];
}

const approvalLifetimeMs = 10 * 60_000;
const defaultTimeoutMs = 60_000;
const maxTimeoutMs = 24 * 3_600_000;
/** Held calls of one principal at a time, and new ones in a minute: nobody reads the fiftieth question in a row. */
const maxHeld = 10;
const newHeldMs = 60_000;
const maxNewHeld = { principal: 30, session: 20 };
const maxRecordedName = 200;
/** Tools that call tools. */
const maxChain = 8;

export async function callTool(
  path: CallServices,
  caller: Caller,
  request: CallRequest,
  chain: readonly string[] = [],
): Promise<Answer> {
  const call: Call = { chain, id: path.newId('call'), started: path.now(), caller, request };
  try {
    if (typeof request.tool !== 'string') throw new HostError('usage', 'say which tool to call');
    path.kills.look();
    path.kills.assertAlive(caller);
    // What is already under way may call further tools: it could not end otherwise.
    if (chain.length === 0) path.running.assertRoom();
    if (request.tool === confirmToolName) return await confirm(path, call);

    const handlers = caller.isWatched() ? await caller.hooks() : [];
    const before = (served: CallableTool, input: JsonObject) =>
      beforeCall(hooked(path, call, served, handlers), input);
    const frozen = await prepare(
      path,
      caller,
      request.tool,
      request.arguments,
      handlers.length === 0 ? undefined : before,
    );
    assertChain(chain, frozen.served.name);
    const decision = decide({ ...frozen.served, input: frozen.input });
    switch (decision.kind) {
      case 'deny':
        throw new HostError('denied', decision.reasons.join('; '));
      case 'ask': {
        // A person may have said yes to calls like this, or to exactly this one, already.
        const { served, input } = frozen;
        const rule = await standingRule(path.rules, caller.principal, served, input, decision.kinds);
        if (rule !== undefined) return await runAllowed(path, call, frozen, { rule: rule.id });
        const binding = await bindingOf(caller, frozen);
        const approved = await path.approvals.find(binding, ['approved']);
        if (approved !== undefined) return await runApproved(path, call, frozen, approved, binding);
        await assertRoom(path.limits, frozen.meters);
        // One at a time, so that the same call asked twice at once is one request.
        return await path.inTurn(() => hold(path, call, frozen, binding, decision));
      }
      case 'allow':
        return await runAllowed(path, call, frozen);
    }
  } catch (error) {
    return await refuse(path, call, error);
  }
}

/** The tool must be ready and the arguments must fit; after this nothing changes them. */
export async function prepare(
  path: CallServices,
  caller: Caller,
  name: string,
  given: Json,
  before?: (served: CallableTool, input: JsonObject) => Promise<JsonObject>,
): Promise<FrozenCall> {
  const served = await caller.resolve(name);
  path.kills.assertAlive(subjectOf(caller, served));
  await served.assertReady();
  const fitting = await checkArguments(served, given);
  const asked = before === undefined ? fitting : await before(served, fitting);
  // What an extension put in is checked like anything else.
  const checked = asked === fitting ? fitting : await checkArguments(served, asked);
  const input = deepFreeze(await guardInput(served.package.id, served.demands, checked));
  await served.screen(input);
  const meters = metersOf(caller.principal, served, input);
  return { served, input, digest: sha256(canonicalJson(input)), meters };
}

function sha256(text: string): string {
  return hash('sha256', text);
}

/** A tool that leads back to itself would never end. */
function assertChain(chain: readonly string[], next: string): void {
  if (chain.includes(next))
    throw new HostError('denied', `${[...chain, next].join(' → ')} leads back to itself`);
  if (chain.length >= maxChain)
    throw new HostError('denied', `${chain[0]} calls through more than ${maxChain} tools`);
}

export function subjectOf({ principal }: Caller, { package: of, tool }: CallableTool): KillSubject {
  return { principal, package: of.id, tool: tool.name };
}

/** What a person decides about: the same in every part, or another call. */
async function bindingOf(caller: Caller, { served, input }: FrozenCall): Promise<ApprovalBinding> {
  return {
    principal: caller.principal,
    tool: served.name,
    definition: served.digest,
    // Of the arguments and of where the call would work: that is what a person agrees to.
    argumentsDigest: sha256(canonicalJson({ arguments: input, ...served.setting } as unknown as Json)),
    policy: served.policy,
    credentials: await served.credentials(),
  };
}

/** Stores the call for a person to judge. Asking for the same call again gives the same request. */
async function hold(
  path: CallServices,
  call: Call,
  frozen: FrozenCall,
  binding: ApprovalBinding,
  { confirmation: kind, reasons }: Extract<Decision, { kind: 'ask' }>,
): Promise<Answer> {
  const open = await path.approvals.find(binding, ['proposed']);
  if (open !== undefined) {
    await path.audit.append({
      kind: 'hold',
      body: { ...subject(call, frozen), approval: open.id, repeated: true },
    });
    return {
      ...answered(path, call),
      tool: open.tool,
      status: 'confirmation_required',
      confirmation: confirmationOf(open),
    };
  }
  const createdAt = path.now();
  await assertPatience(path, call.caller, createdAt);
  await frozen.served.assertConfined();
  // The same call, asked under other circumstances before, would not run as it was shown.
  await voidOutdated(path, await path.approvals.outstanding(binding), binding);
  const request = {
    id: path.newId('apr'),
    session: call.caller.id,
    ...binding,
    arguments: frozen.input,
    kind,
    reasons: [...reasons, ...settingWords(frozen.served)],
    evidence: evidenceOf(frozen.served, frozen.input),
    createdAt,
    expiresAt: createdAt + approvalLifetimeMs,
  };
  await path.audit.append({
    kind: 'hold',
    body: { ...subject(call, frozen), approval: request.id, reason: kind },
  });
  await path.approvals.propose(request);
  // Whoever stopped it meanwhile did not see this one.
  const stopped = path.kills.reasonFor(subjectOf(call.caller, frozen.served));
  if (stopped !== undefined) {
    await path.invalidate({ id: request.id }, stopped);
    throw new HostError('killed', `${frozen.served.name} cannot be called: ${stopped}`);
  }
  const undecided = { state: 'proposed', decision: null, voidReason: null, answer: null } as const;
  const held: ApprovalRequest = { ...request, ...undecided };
  path.announce(held, frozen.served);
  const confirmation = confirmationOf(held);
  return { ...answered(path, call), tool: frozen.served.name, status: 'confirmation_required', confirmation };
}

/** A flood of held calls cannot tire a person out until one is agreed to. */
async function assertPatience(path: CallServices, { principal, id }: Caller, now: number): Promise<void> {
  const { open, ofPrincipal, ofSession } = await path.approvals.crowd(principal, id, now - newHeldMs);
  if (open >= maxHeld)
    throw new HostError('denied', `${maxHeld} calls wait for a person already; let them be decided first`, {
      hint: 'toolwharf approvals list',
    });
  if (ofPrincipal >= maxNewHeld.principal || ofSession >= maxNewHeld.session)
    throw new HostError('rate_limited', 'a person was asked too often in the last minute', {
      hint: 'wait a minute; an operator can allow such calls with "toolwharf approvals allow"',
    });
}

/** Requests for which something is another now are void, where everybody can see why. */
async function voidOutdated(
  path: CallServices,
  stored: readonly ApprovalRequest[],
  binding: ApprovalBinding,
): Promise<void> {
  for (const it of stored) {
    const change = changeOf(it, binding);
    if (change !== undefined) await path.invalidate({ id: it.id }, change);
  }
}

/** Where the call would work, for the person who decides. */
function settingWords({ setting: { workspace, allow } }: CallableTool): string[] {
  return [
    ...(workspace === null ? [] : [`it would work in ${workspace}`]),
    ...(allow.length === 0 ? [] : [`with ${allow.join(', ')}`]),
  ];
}

/** The agent's way to a held call: it runs only what is stored, and only after a person said yes. */
async function confirm(path: CallServices, call: Call): Promise<Answer> {
  const given = isObject(call.request.arguments) ? call.request.arguments : {};
  const token = given.confirmation_token ?? given.token;
  if (typeof token !== 'string')
    throw new HostError('invalid_input', `${confirmToolName} needs the confirmation_token of a held call`);
  const stored = await path.approvals.get(token);
  if (stored === undefined || stored.principal !== call.caller.principal) {
    throw new HostError('approval_not_found', 'no held call of yours has this token');
  }
  if (stored.state !== 'approved') {
    const body = {
      callId: call.id,
      principal: call.caller.principal,
      approval: stored.id,
      asked: stored.state,
    };
    await path.audit.append({ kind: 'hold', body });
  }
  switch (stored.state) {
    case 'proposed': {
      const error = {
        code: 'approval_pending',
        message: 'a person has not decided yet',
        hint: `toolwharf approvals approve ${stored.id}`,
      } as const;
      return {
        ...answered(path, call),
        tool: stored.tool,
        status: 'confirmation_required',
        confirmation: confirmationOf(stored),
        error,
      };
    }
    case 'denied':
      throw new HostError('approval_denied', 'a person refused this call');
    case 'expired':
      throw new HostError('approval_expired', 'nobody decided in time; make the call again');
    case 'void':
      throw new HostError('approval_expired', `${stored.voidReason}; make the call again`);
    case 'executing':
      throw new HostError(
        'approval_denied',
        'this call was begun and its outcome is not known; it is never run twice',
      );
    case 'executed':
      if (stored.answer === null)
        throw new HostError('approval_expired', 'the answer of this call is no longer kept');
      return stored.answer as unknown as Answer;
    case 'approved': {
      const frozen = await prepare(path, call.caller, stored.tool, stored.arguments);
      const binding = await bindingOf(call.caller, frozen);
      // From another folder, or with other grants, it is simply another call.
      if (binding.argumentsDigest === stored.argumentsDigest) await voidOutdated(path, [stored], binding);
      const change = changeOf(stored, binding);
      if (change !== undefined || binding.argumentsDigest !== stored.argumentsDigest) {
        const what = change ?? 'the call would work elsewhere, or with other grants';
        throw new HostError('approval_expired', `since it was approved, ${what}; make the call again`);
      }
      return await runApproved(path, call, frozen, stored, binding);
    }
  }
}

/** Once: whoever moves the request from approved to executing runs it. */
async function runApproved(
  path: CallServices,
  call: Call,
  frozen: FrozenCall,
  approval: ApprovalRequest,
  binding: ApprovalBinding,
): Promise<Answer> {
  // What cannot be done now does not use the approval up.
  await frozen.served.assertConfined();
  const place = await takePlace(path.limits, frozen.meters);
  if (!(await path.approvals.begin(approval.id, binding))) {
    await giveBack(path, place);
    throw new HostError('approval_denied', 'this approval has been used, or no longer holds');
  }
  const answer = await execute(path, call, frozen, place, { approval: approval.id }).catch((error) =>
    refuse(path, call, error, frozen.served.name),
  );
  // Nothing happened: a tool further down waits for a person, and then the same call comes again.
  if (answer.status === 'confirmation_required') await path.approvals.giveBack(approval.id);
  else await path.approvals.finish(approval.id, answer as unknown as Json);
  return answer;
}

/** Nobody is asked, or a rule has answered already. */
async function runAllowed(
  path: CallServices,
  call: Call,
  frozen: FrozenCall,
  leave?: Leave,
): Promise<Answer> {
  await frozen.served.assertConfined();
  return execute(path, call, frozen, await takePlace(path.limits, frozen.meters), leave);
}

/** Only where nothing was done: what has begun and failed, or may have happened, stays counted. */
async function giveBack(path: CallServices, place: Reservation | null): Promise<void> {
  if (place !== null) await path.limits.giveBack(place);
}

/** The effect, which can be stopped at any moment, and then those who want to hear of it. */
async function execute(
  path: CallServices,
  call: Call,
  frozen: FrozenCall,
  place: Reservation | null,
  leave?: Leave,
): Promise<Answer> {
  const who = subjectOf(call.caller, frozen.served);
  const run = path.running.enter(who, call.request.signal);
  try {
    // Only now: whoever stops it after this finds it among those that run.
    path.kills.lookAgain();
    const stopped = path.kills.reasonFor(who);
    if (stopped !== undefined) {
      await giveBack(path, place);
      path.kills.assertAlive(who);
    }
    const answer = await effect(path, call, frozen, run, place, leave);
    if (call.caller.isWatched()) path.later(tell(path, call, frozen, answer));
    return answer;
  } finally {
    run.leave();
  }
}

async function tell(path: CallServices, call: Call, { served, input }: FrozenCall, answer: Answer) {
  return afterCall(hooked(path, call, served, await call.caller.hooks()), input, answer);
}

/** The effect, between two lines of the record. */
async function effect(
  path: CallServices,
  call: Call,
  frozen: FrozenCall,
  run: RunningCall,
  place: Reservation | null,
  leave: Leave | undefined,
): Promise<Answer> {
  const { served, input, digest } = frozen;
  const { keeping } = served;
  const wanted = timeoutOf(call.request.timeoutMs ?? (served.tool.timeoutSeconds ?? Number.NaN) * 1000);
  const timeoutMs = Math.min(wanted, served.bounds.wallMs ?? wanted);
  const intent = {
    kind: 'intent',
    // In the order in which it is written down, which spares sorting it.
    body: {
      arguments: digest,
      callId: call.id,
      definition: served.digest,
      effect: served.tool.effect,
      principal: call.caller.principal,
      session: call.caller.id,
      shape: shapeOf(input, served.tool.input),
      tool: served.name,
      ...(served.confined ? {} : { unconfined: true }),
      ...leave,
    },
  } as const;
  // What reads or changes anything must be on the disk before it happens; pure compute may run ahead of it.
  try {
    const beside =
      keeping === null
        ? undefined
        : await keptBeside(path.seal, { id: call.id, digest, input, keeping, at: call.started });
    const line = beside === undefined ? intent : { ...intent, beside };
    if (served.tool.effect === 'none' && leave === undefined) path.audit.note(line);
    else await path.audit.append(line);
  } catch (error) {
    await giveBack(path, place);
    throw error;
  }

  const refused = new Set<string>();
  const redacted: JsonObject[] = [];
  const outcome = await unlessStopped(run, () =>
    runToOutcome(served, inner(path, call, served), {
      package: served.package,
      tool: served.tool,
      input,
      callId: call.id,
      timeoutMs,
      outputBytes: served.bounds.outputBytes,
      signal: run.signal,
      caller: { agentId: call.caller.principal, sessionId: call.caller.id },
      onProgress: call.request.onProgress,
      onAsk: call.request.onAsk,
      onRefused: (hosts) => {
        for (const host of hosts) refused.add(host);
      },
      onRedacted: (what) => redacted.push(...what),
    }),
  );
  // A crash before this line is on the disk leaves an outcome that is unknown, which is what it then is.
  path.audit.note({
    kind: 'outcome',
    body: {
      callId: call.id,
      durationMs: path.now() - call.started,
      ...(redacted.length === 0 ? {} : { redacted }),
      ...(refused.size === 0 ? {} : { refusedHosts: [...refused] }),
      status: statusIn(outcome),
    },
  });

  if (outcome.kind === 'held') {
    await giveBack(path, place);
    const { confirmation } = outcome;
    return { ...answered(path, call), tool: served.name, status: 'confirmation_required', confirmation };
  }
  if (outcome.kind === 'failed')
    return failed(path, call, timeoutMs < wanted ? cappedTime(outcome.error) : outcome.error, served.name);
  const { value, log, warnings, parts, meta } = outcome.result;
  return {
    ...answered(path, call),
    tool: served.name,
    status: 'ok',
    result: value,
    warnings: served.confined
      ? warnings
      : [...warnings, `${served.name} ran without a sandbox, as was asked for`],
    ...(log === undefined ? {} : { log }),
    ...(parts === undefined ? {} : { parts }),
    ...(meta === undefined ? {} : { meta }),
  };
}

/** A call that was stopped says by whom, and one that was stopped before it began never begins. */
async function unlessStopped(run: RunningCall, settled: () => Promise<CallOutcome>): Promise<CallOutcome> {
  const outcome: CallOutcome = run.signal.aborted
    ? { kind: 'failed', error: new HostError('canceled', 'the call was canceled') }
    : await settled();
  // One that only waits for another by now is over, too: its approval is not given back.
  return outcome.kind !== 'done' && run.stopped !== undefined
    ? { kind: 'failed', error: run.stopped }
    : outcome;
}

function hooked(
  { audit }: CallServices,
  { id, caller, request }: Call,
  { name }: CallableTool,
  handlers: readonly HookHandler[],
): HookedCall {
  const signal = request.signal ?? unstoppable;
  return { tool: name, callId: id, principal: caller.principal, session: caller.id, signal, handlers, audit };
}

/** Anything that is no sensible time is the usual time. */
function timeoutOf(milliseconds: number): number {
  return milliseconds >= 1 ? Math.min(milliseconds, maxTimeoutMs) : defaultTimeoutMs;
}

/** Along the same road, with those who led here before it. */
function inner(path: CallServices, call: Call, outer: CallableTool): InnerCall {
  return (tool, { input, timeoutMs, signal, onProgress, onAsk }) => {
    const request = { tool, arguments: input, timeoutMs, signal, onProgress, onAsk };
    return callTool(path, call.caller, request, [...call.chain, outer.name]);
  };
}

/** A refusal is recorded like everything else; a bug shows its details only in the log. */
async function refuse(path: CallServices, call: Call, error: unknown, tool?: string): Promise<Answer> {
  const { code } = asHostError(error);
  const body = {
    callId: call.id,
    principal: call.caller.principal,
    session: call.caller.id,
    tool: String(tool ?? call.request.tool).slice(0, maxRecordedName),
    code,
  };
  await path.audit.append({ kind: 'refusal', body });
  return failed(path, call, error, tool ?? String(call.request.tool));
}

function failed(path: CallServices, call: Call, error: unknown, tool: string): Answer {
  if (asHostError(error).code === 'internal') path.logBug(error);
  return { ...answered(path, call), ...failure(error, tool) };
}

function answered(path: CallServices, call: Call): { callId: string; durationMs: number } {
  return { callId: call.id, durationMs: path.now() - call.started };
}

function subject(call: Call, { served, digest }: FrozenCall): JsonObject {
  return {
    callId: call.id,
    principal: call.caller.principal,
    session: call.caller.id,
    tool: served.name,
    definition: served.digest,
    arguments: digest,
  };
}
