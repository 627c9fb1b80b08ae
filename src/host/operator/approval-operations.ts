import type { ApprovalBinding, ApprovalRequest, ApprovalState } from '../../model/approval.js';
import { type CancelSignal, neverCanceled } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import type { JsonObject } from '../../model/json.js';
import { checkRule } from '../../policy/rules/standing-rule.js';
import type { ApprovalQueue, InvalidationFilter } from '../../store/approvals.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { StandingRules } from '../../store/standing-rules.js';
import type { Approvals } from '../host.js';
import { clientApprover } from './client-approver.js';
import type { OperatorAuth, VerifiedActor } from './operator-auth.js';
import { actorName } from './pin-auth.js';
import type { TokenCache } from './token-cache.js';

/** The longest wait for a change. */
const maxWaitSeconds = 60;

export interface ApprovalServices {
  readonly queue: ApprovalQueue;
  readonly rules: StandingRules;
  readonly audit: AuditLog;
  readonly operatorAuth: OperatorAuth;
  readonly tokens: TokenCache;
  readonly now: () => number;
  readonly newId: (prefix: string) => string;
  /** The key that signs webhook notices, as hex. */
  readonly noticeKey: () => Promise<string>;
}

/** Operations on held calls and on standing rules. */
export function approvalOperations(services: ApprovalServices): Approvals {
  const { queue, rules, audit, operatorAuth, tokens, now, newId, noticeKey } = services;
  // The change counter starts again with each host, so a version also names the host's start.
  const startId = newId('v');
  const version = () => `${startId}.${queue.changes}`;
  const waitForChange = async (after: string, seconds: number, signal: CancelSignal): Promise<string> => {
    if (!(seconds >= 0 && seconds <= maxWaitSeconds))
      throw new HostError('usage', `seconds must be a number from 0 to ${maxWaitSeconds}`);
    let stop = () => {};
    const changed = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, seconds * 1000);
      const unsubscribe = queue.onChange(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
      stop = () => {
        clearTimeout(timer);
        unsubscribe();
      };
    });
    try {
      // Subscribed before the check, so that no change is missed.
      if (version() === after && !signal.aborted) await changed;
    } finally {
      stop();
    }
    return version();
  };
  const get = async (id: string): Promise<ApprovalRequest> => {
    const request = await queue.get(id);
    if (request === undefined)
      throw new HostError('approval_not_found', `no held call with the id ${id}`, {
        hint: 'list them: toolwharf approvals list',
      });
    return request;
  };
  const decide = async (id: string, to: 'approved' | 'denied', who: JsonObject & VerifiedActor) => {
    const { tool } = await get(id);
    const body = { approval: id, tool, decision: to, ...who };
    // Written to the audit log first: a decision that cannot be recorded does not take effect.
    await audit.append({ kind: 'approval', body });
    if (!(await queue.decide(id, to, who))) {
      await audit.append({ kind: 'approval', body: { ...body, decision: 'void' } });
      const { state, voidReason } = await get(id);
      throw new HostError(
        'approval_denied',
        `${id} is already ${state}; only a proposed call can be decided`,
        voidReason === null ? {} : { hint: voidReason },
      );
    }
    return get(id);
  };
  return {
    list: (states: readonly ApprovalState[] = ['proposed', 'approved']) => queue.list(states),
    get,
    async approve(id, actor) {
      const { principal } = await get(id);
      const isAtClient = typeof actor !== 'string' && actor.channel === 'client';
      const who = isAtClient
        ? await clientApprover(actor, principal, tokens)
        : await operatorAuth.verify(actor, 'approve');
      return decide(id, 'approved', { ...who });
    },
    // Denying cannot widen anything, so it never needs the PIN.
    async deny(id, actor) {
      const { name, channel } =
        typeof actor === 'string' ? { name: actor, channel: 'library' as const } : actor;
      return decide(id, 'denied', { by: name, channel, verified: false });
    },
    version: async () => version(),
    onChange: (listener) => queue.onChange(listener),
    waitForChange: (after, seconds, signal = neverCanceled) => waitForChange(after, seconds, signal),
    async noticeKey(actor) {
      const who = await operatorAuth.verify(actor, 'show the key that signs notices');
      await audit.append({ kind: 'operator', body: { operation: 'notice key show', ...who } });
      return noticeKey();
    },
    rules: {
      list: () => rules.list(),
      async add(rule, actor) {
        checkRule(rule, now());
        const who = await operatorAuth.verify(actor, 'add a standing rule');
        const id = newId('rule');
        const { tool, definition, principal, conditions, destructive, expiresAt } = rule;
        const body = { operation: 'rule add', rule: id, tool, definition, principal, destructive, expiresAt };
        const tests = conditions.map((it) => ({ argument: it.argument, test: it.condition.test }));
        await audit.append({ kind: 'operator', body: { ...body, tests, ...who } });
        return rules.add(id, rule, who);
      },
      async revoke(id, actor) {
        const name = actorName(actor);
        await audit.append({ kind: 'operator', body: { operation: 'rule revoke', rule: id, by: name } });
        return (await rules.end({ id }, `revoked by ${name}`)).length > 0;
      },
    },
  };
}

/** Voids the matching undecided and approved requests, with an audit entry for each. */
export type Invalidate = (filter: InvalidationFilter, reason: string) => Promise<void>;

export function invalidator(queue: ApprovalQueue, rules: StandingRules, audit: AuditLog): Invalidate {
  return async (filter, reason) => {
    for (const approval of await queue.invalidate(filter, reason))
      await audit.append({ kind: 'approval', body: { approval, decision: 'void', reason } });
    const { definition } = filter;
    if (definition === undefined) return;
    for (const rule of await rules.end({ definition }, reason))
      await audit.append({ kind: 'operator', body: { operation: 'rule end', rule, reason } });
  };
}

/** What changed since a call was held, as text; undefined if nothing did. */
export function changeOf(stored: ApprovalBinding, now: ApprovalBinding): string | undefined {
  const changes = [
    ...(stored.definition === now.definition ? [] : [`the definition of ${stored.tool} was changed`]),
    ...(stored.policy === now.policy ? [] : ['the policy was changed']),
    ...(stored.credentials === now.credentials ? [] : ['the credentials of the package were changed']),
  ];
  return changes.length === 0 ? undefined : changes.join(', and ');
}
