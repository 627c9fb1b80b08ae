import type { CallLeaf } from './call-leaf.js';
import type { Endorsement } from './endorsements.js';
import type { SourceMatch } from './indexed-leaf.js';
import type { TaintFinding, TaintRule } from './taint-verdict.js';

const reasons: Readonly<Record<TaintRule, string>> = {
  destination: 'nobody vouched for this destination',
  identifier: 'nobody vouched for the object that this call acts on',
  control: 'nobody vouched for this value, and it decides what the call does',
  amount: 'this amount comes from a text of others',
  content: 'the content names a place that nobody vouched for',
  private: 'private data would go to this destination',
  code: 'this code belongs to no act that was decided before',
  destructive: 'it cannot be undone, and the session contains text of others',
  path: 'this path is protected',
  tainted: 'this value comes from a result, and the input accepts no untrusted data',
  outside: 'private data of this session could leave with this call',
};

/** Reasons that say where a value was seen. The agent gets these instead: they are the same if it was not seen. */
const unseenReasons: Readonly<Partial<Record<TaintRule, string>>> = {
  amount: 'nobody vouched for this amount',
  private: 'it could pass on data of this session',
  tainted: 'nobody vouched for this value',
  destination: 'nobody vouched for this value',
  control: 'nobody vouched for this value',
};

/** A finding with its texts. The agent learns the rule and the input, nothing about the value. */
export function findingOf(
  rule: TaintRule,
  { pointer, text }: Pick<CallLeaf, 'pointer' | 'text'>,
  match: SourceMatch | undefined,
  endorses: readonly Endorsement[],
): TaintFinding {
  const unseen = unseenReasons[rule] ?? reasons[rule];
  const reason = rule === 'amount' && match === undefined ? unseen : reasons[rule];
  const where = pointer === '' ? 'the call' : pointer;
  return {
    rule,
    pointer,
    value: text,
    source: match?.source,
    quote: match?.quote,
    forPerson: `${where}: ${reason}${text === '' ? '' : `: ${shorten(text)}`}${match === undefined ? '' : `. ${whereSeen(match)}`}`,
    forAgent: `${where}: ${unseen}`,
    endorses,
  };
}

/** Where a value was seen, for a person. */
export function whereSeen({ source, quote }: SourceMatch): string {
  if (source === undefined) return 'It may come from an earlier result: not all of them are known any more.';
  const { tool, call, pointer } = source;
  return `It first appeared in ${tool}, call ${call}${pointer === '' ? '' : `, at ${pointer}`}: ${quote ?? ''}`;
}

function shorten(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}
