import { ruleConditions } from '../../host/operations/operator-shapes.js';
import {
  anyText,
  boolean,
  integer,
  isoTime,
  nullable,
  object,
  oneOf,
  optional,
  text,
} from '../../host/operations/shape.js';
import { conditionText, type StandingRule } from '../../model/standing-rule.js';
import { revealLine } from './reveal.js';

/** One rule in the document. */
export const ruleEntry = object({
  id: text(),
  tool: text('PACKAGE/TOOL, or PACKAGE/* for a whole package'),
  definition: nullable(text('Digest of the package. Null for a whole package.')),
  principal: nullable(text()),
  conditions: ruleConditions,
  destructive: boolean(),
  expiresAt: nullable(isoTime()),
  createdAt: isoTime(),
  createdBy: anyText(),
  verified: boolean('The PIN was given.'),
  state: oneOf(['active', 'expired', 'ended']),
  endReason: optional(anyText()),
  used: integer('How many calls the rule allowed.'),
});

/** Standing rules as JSON, schema `toolwharf/rules@1`. */
export function rulesDocument(rules: readonly StandingRule[]) {
  return { schema: 'toolwharf/rules@1', rules: rules.map(toEntry) };
}

function toEntry({ createdAt, expiresAt, endReason, ...rule }: StandingRule) {
  return {
    ...rule,
    createdAt: time(createdAt),
    expiresAt: expiresAt === null ? null : time(expiresAt),
    ...(endReason === null ? {} : { endReason }),
  };
}

/** A rule as text for people. */
export function printRule(rule: StandingRule): string {
  const { id, tool, definition, principal, conditions, destructive, expiresAt, state, endReason, used } =
    rule;
  const end = definition === null ? 'revoked' : 'revoked, or the package changes';
  const lines = [
    `${id}  ${endReason === null ? state : `ended: ${endReason}`}`,
    `  allows  ${tool}${destructive ? ', even though its effects cannot be undone' : ''}`,
    `  for     ${principal ?? 'every caller'}`,
    ...(definition === null ? ['  when    only its undeclared effect needs approval'] : []),
    ...conditions.map((it) => `  when    ${conditionText(it)}`),
    `  until   ${expiresAt === null ? end : time(expiresAt)}`,
    `  used    ${used === 1 ? 'once' : `${used} times`}`,
  ];
  return `${lines.map(revealLine).join('\n')}\n`;
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
