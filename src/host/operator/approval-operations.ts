import { sha256 } from '../../files/sha256.js';
import {
  type ApprovalBinding,
  type ApprovalRequest,
  type ApprovalState,
  isHeldForTaint,
  maxAsked,
} from '../../model/approval.js';
import { type CancelSignal, neverCanceled } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import { canonicalJson, type JsonObject } from '../../model/json.js';
import { splitDefinition } from '../../model/tool-set.js';
import { replaceHidden } from '../../model/unicode.js';
import { checkRule } from '../../policy/rules/standing-rule.js';
import type { ApprovalQueue, InvalidationFilter } from '../../store/approvals.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { DenialRows } from '../../store/denials.js';
import type { StandingRules } from '../../store/standing-rules.js';
import type { Approvals } from '../host.js';
import type { ApprovalLinkOperations } from './approval-links.js';
import { clientApprover } from './client-approver.js';
import type { OperatorAuth, VerifiedActor } from './operator-auth.js';
import { actorName } from './pin-auth.js';
import { previewRule } from './rule-preview.js';
import type { TaintHolds } from './taint-holds.js';
import type { TokenCache } from './token-cache.js';

/** The longest wait for a change. */
const maxWaitSeconds = 60;
/** Characters of a note. */
const maxNote = 500;

export interface ApprovalServices {
  readonly queue: ApprovalQueue;
  readonly denials: DenialRows;
  readonly links: ApprovalLinkOperations;
  readonly rules: StandingRules;
  readonly audit: AuditLog;
  readonly operatorAuth: OperatorAuth;
  readonly tokens: TokenCache;
  readonly taintHolds: Pick<TaintHolds, 'addWords'>;
  readonly now: () => number;
  readonly newId: (prefix: string) => string;
  /** The key that signs webhook notices, as hex. */
  readonly noticeKey: () => Promise<string>;
}

/** Operations on held calls and on standing rules. */
export function approvalOperations(services: ApprovalServices): Approvals {
  const { queue, denials, links, rules, audit, operatorAuth, tokens, taintHolds, now, newId, noticeKey } =
    services;
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
  const decide = async (
    id: string,
    to: 'approved' | 'denied',
    who: JsonObject & VerifiedActor,
    given: string | undefined,
    replacement: JsonObject | null = null,
  ) => {
    const note = noteOf(given);
    const { tool } = await get(id);
    const replaced = replacement === null ? {} : { replaced: sha256(canonicalJson(replacement)) };
    const body = {
      approval: id,
      tool,
      decision: to,
      ...who,
      ...replaced,
      ...(note === null ? {} : { note }),
    };
    // Written to the audit log first: a decision that cannot be recorded does not take effect.
    await audit.append({ kind: 'approval', body });
    // Before the decision: a caller that asks again must find it.
    if (to === 'denied') await denials.add({ approval: id, note });
    if (!(await queue.decide(id, to, who, replacement))) {
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
    async approve(id, actor, note, asked) {
      noteOf(note);
      const request = await get(id);
      const { principal } = request;
      const words = askedOf(asked, request);
      const isAtClient = typeof actor !== 'string' && actor.channel === 'client';
      const who = isAtClient
        ? await clientApprover(actor, principal, tokens)
        : await operatorAuth.verify(actor, 'approve');
      if (words !== null) await taintHolds.addWords(id, words);
      return decide(id, 'approved', { ...who }, note);
    },
    async approveWith(id, args, actor, note) {
      noteOf(note);
      await get(id);
      const who = await operatorAuth.verify(actor, 'approve');
      return decide(id, 'approved', { ...who }, note, args);
    },
    // Denying cannot widen anything, so it never needs the PIN.
    async deny(id, actor, note) {
      const { name, channel } =
        typeof actor === 'string' ? { name: actor, channel: 'library' as const } : actor;
      return decide(id, 'denied', { by: name, channel, verified: false }, note);
    },
    links,
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
      preview: (rule, days = 7) => previewRule(rule, days, queue, now()),
      async revoke(id, actor) {
        const name = actorName(actor);
        await audit.append({ kind: 'operator', body: { operation: 'rule revoke', rule: id, by: name } });
        return (await rules.end({ id }, `revoked by ${name}`)).length > 0;
      },
    },
  };
}

/** On one line, without hidden characters; null if it is empty. */
function noteOf(given: string | undefined): string | null {
  const note = replaceHidden((given ?? '').replace(/\s+/g, ' ').trim(), () => '');
  if (note.length > maxNote)
    throw new HostError('invalid_input', `the note is longer than ${maxNote} characters`);
  return note === '' ? null : note;
}

/** What the person asked for; null if they do not say it. */
function askedOf(given: string | undefined, request: ApprovalRequest): string | null {
  const asked = (given ?? '').trim();
  if (asked === '') return null;
  if (asked.length > maxAsked)
    throw new HostError('invalid_input', `what was asked for is longer than ${maxAsked} characters`);
  if (!isHeldForTaint(request))
    throw new HostError('usage', `${request.id} is not held for what its session has seen`, {
      hint: 'leave out what was asked for: it would vouch for nothing',
    });
  return asked;
}

/** Voids the matching undecided and approved requests, with an audit entry for each. */
export type Invalidate = (filter: InvalidationFilter, reason: string) => Promise<void>;

export function invalidator(queue: ApprovalQueue, rules: StandingRules, audit: AuditLog): Invalidate {
  return async (filter, reason) => {
    for (const approval of await queue.invalidate(filter, reason))
      await audit.append({ kind: 'approval', body: { approval, decision: 'void', reason } });
    const { definition, view } = filter;
    if (definition === undefined && view === undefined) return;
    for (const rule of await rules.end({ definition, view }, reason))
      await audit.append({ kind: 'operator', body: { operation: 'rule end', rule, reason } });
  };
}

/** What changed since a call was held, as text; undefined if nothing did. */
export function changeOf(stored: ApprovalBinding, now: ApprovalBinding): string | undefined {
  const [definition, view] = splitDefinition(stored.definition);
  const [definitionNow, viewNow] = splitDefinition(now.definition);
  const changes = [
    ...(definition === definitionNow ? [] : [`the definition of ${stored.tool} was changed`]),
    ...(view === viewNow ? [] : [`the set of the session shows ${stored.tool} differently`]),
    ...(stored.policy === now.policy ? [] : ['the policy was changed']),
    ...(stored.credentials === now.credentials ? [] : ['the credentials of the package were changed']),
  ];
  return changes.length === 0 ? undefined : changes.join(', and ');
}
