import type { ApprovalBinding, ApprovalRequest } from '../../model/approval.js';
import { HostError } from '../../model/host-error.js';
import type { Decision } from '../../policy/decide.js';
import type { TaintHold } from '../../policy/taint/taint-verdict.js';
import type { Answer, Confirmation } from '../host.js';
import { changeOf } from '../operator/approval-operations.js';
import { confirmationOf } from './answer.js';
import { answerBase, type Call } from './call.js';
import { auditSubject } from './call-binding.js';
import type { CallServices } from './call-services.js';
import type { CallableTool } from './callable-tool.js';
import { type Caller, killSubjectOf } from './caller.js';
import { evidenceOf, taintEvidence } from './evidence.js';
import type { FrozenCall } from './frozen-call.js';
import { concealed } from './hidden-results.js';

const approvalLifetimeMs = 10 * 60_000;
/** Held calls of one principal at a time, and new ones per window: nobody reads the fiftieth question in a row. */
const maxHeld = 10;
const newHeldWindowMs = 60_000;
const maxNewHeld = { principal: 30, session: 20 };

/** Stores the call until a person decides. The same call again gets the same approval request. */
export async function hold(
  services: CallServices,
  call: Call,
  frozen: FrozenCall,
  binding: ApprovalBinding,
  { confirmation: kind, reasons }: Extract<Decision, { kind: 'ask' }>,
  taint?: TaintHold,
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
      confirmation: await shownConfirmation(services, call, open),
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
    evidence: [...evidenceOf(frozen.callable, frozen.input), ...taintEvidence(taint)],
    createdAt,
    expiresAt: createdAt + approvalLifetimeMs,
  };
  await services.audit.append({
    kind: 'hold',
    body: {
      ...auditSubject(call, frozen),
      ...{ approval: request.id, reason: kind },
      ...(taint === undefined
        ? {}
        : { taint: taint.findings.map(({ rule, pointer }) => ({ rule, pointer })) }),
    },
  });
  if (taint !== undefined) await services.taintHolds.add(request.id, (await call.caller.labels()).id, taint);
  await services.approvals.propose(request);
  // A kill that came in the meantime did not see this request.
  const killReason = services.kills.reasonFor(killSubjectOf(call.caller, frozen.callable));
  if (killReason !== undefined) {
    await services.invalidate({ id: request.id }, killReason);
    throw new HostError('killed', `${frozen.callable.name} cannot be called: ${killReason}`);
  }
  const undecided = {
    state: 'proposed',
    decision: null,
    voidReason: null,
    answer: null,
    replacement: null,
  } as const;
  const held: ApprovalRequest = { ...request, ...undecided };
  services.sendNotice(held, frozen.callable);
  const confirmation = await shownConfirmation(services, call, held);
  return {
    ...answerBase(services, call),
    tool: frozen.callable.name,
    status: 'confirmation_required',
    confirmation,
  };
}

/** What the agent sees of a held call. */
export async function shownConfirmation(
  { links }: Pick<CallServices, 'links'>,
  { caller }: Pick<Call, 'caller'>,
  held: ApprovalRequest,
): Promise<Confirmation> {
  return concealed(confirmationOf(held, await links.linkTo(held)), await caller.labels());
}

/** Tells the caller that a person denied its call, with what the person wrote. */
export async function deniedCall({ denials }: CallServices, approval: string): Promise<HostError> {
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
export async function voidOutdated(
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
