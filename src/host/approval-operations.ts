import type { ApprovalBinding, ApprovalRequest, ApprovalState } from '../model/approval.js';
import { HostError } from '../model/host-error.js';
import type { JsonObject } from '../model/json.js';
import { checkRule } from '../policy/standing-rule.js';
import type { ApprovalQueue, Outdated } from '../store/approvals.js';
import type { AuditLog } from '../store/audit.js';
import type { StandingRules } from '../store/standing-rules.js';
import type { Approvals } from './host.js';
import type { OperatorAuth } from './operator-auth.js';
import { actorName, approveOperation } from './pin-auth.js';

export interface ApprovalParts {
  readonly queue: ApprovalQueue;
  readonly rules: StandingRules;
  readonly audit: AuditLog;
  readonly desk: OperatorAuth;
  readonly now: () => number;
  readonly newId: (prefix: string) => string;
  /** What signatures of notices are made with. */
  readonly noticeKey: () => Promise<string>;
}

/** What operators decide: single calls, and rules for calls to come. */
export function approvalOperations(parts: ApprovalParts): Approvals {
  const { queue, rules, audit, desk, now, newId, noticeKey } = parts;
  // Numbers of another start mean nothing to this one.
  const start = newId('v');
  const get = async (id: string): Promise<ApprovalRequest> => {
    const found = await queue.get(id);
    if (found === undefined)
      throw new HostError('approval_not_found', `there is no held call ${id}`, {
        hint: 'see "toolwharf approvals list"',
      });
    return found;
  };
  const judge = async (id: string, to: 'approved' | 'denied', who: JsonObject & Who) => {
    const { tool } = await get(id);
    const body = { approval: id, tool, decision: to, ...who };
    // On record before it counts: a decision that cannot be written down does not take effect.
    await audit.append({ kind: 'approval', body });
    if (!(await queue.decide(id, to, who))) {
      await audit.append({ kind: 'approval', body: { ...body, decision: 'void' } });
      const { state, voidReason } = await get(id);
      throw new HostError(
        'approval_denied',
        `${id} is ${state}; only a proposed call can be decided`,
        voidReason === null ? {} : { hint: voidReason },
      );
    }
    return get(id);
  };
  return {
    list: (states: readonly ApprovalState[] = ['proposed', 'approved']) => queue.list(states),
    get,
    async approve(id, by) {
      await get(id);
      return judge(id, 'approved', { ...(await desk.verify(by, approveOperation)) });
    },
    // A no can never do harm that a yes could not, so nobody has to show anything for it.
    async deny(id, by) {
      const { name, channel } = typeof by === 'string' ? { name: by, channel: 'library' as const } : by;
      return judge(id, 'denied', { by: name, channel, verified: false });
    },
    version: async () => `${start}.${queue.changes}`,
    onChange: (listener) => queue.onChange(listener),
    async noticeKey(by) {
      const who = await desk.verify(by, 'see the key of notices');
      await audit.append({ kind: 'operator', body: { act: 'notice key shown', ...who } });
      return noticeKey();
    },
    rules: {
      list: () => rules.list(),
      async add(rule, by) {
        checkRule(rule, now());
        const who = await desk.verify(by, 'make a standing rule');
        const id = newId('rule');
        const { tool, definition, principal, conditions, destructive, expiresAt } = rule;
        const body = { act: 'rule add', rule: id, tool, definition, principal, destructive, expiresAt };
        const tests = conditions.map((it) => ({ argument: it.argument, test: it.condition.test }));
        await audit.append({ kind: 'operator', body: { ...body, tests, ...who } });
        return rules.add(id, rule, who);
      },
      async revoke(id, by) {
        const name = actorName(by);
        await audit.append({ kind: 'operator', body: { act: 'rule revoke', rule: id, by: name } });
        return (await rules.end({ id }, `it was revoked by ${name}`)).length > 0;
      },
    },
  };
}

interface Who {
  readonly by: string;
  readonly channel: 'library' | 'terminal' | 'api' | 'client';
  readonly verified: boolean;
}

/** Makes outstanding requests void, and says so in the record. */
export type Invalidate = (outdated: Outdated, reason: string) => Promise<void>;

export function invalidator(queue: ApprovalQueue, rules: StandingRules, audit: AuditLog): Invalidate {
  return async (outdated, reason) => {
    for (const approval of await queue.invalidate(outdated, reason))
      await audit.append({ kind: 'approval', body: { approval, decision: 'void', reason } });
    const { definition } = outdated;
    if (definition === undefined) return;
    for (const rule of await rules.end({ definition }, reason))
      await audit.append({ kind: 'operator', body: { act: 'rule end', rule, reason } });
  };
}

/** What became another since a call was held, in words; undefined when nothing did. */
export function changeOf(stored: ApprovalBinding, now: ApprovalBinding): string | undefined {
  const changes = [
    ...(stored.definition === now.definition ? [] : [`the definition of ${stored.tool} was changed`]),
    ...(stored.policy === now.policy ? [] : ['the policy was changed']),
    ...(stored.credentials === now.credentials ? [] : ['the credentials of the package were changed']),
  ];
  return changes.length === 0 ? undefined : changes.join(', and ');
}
