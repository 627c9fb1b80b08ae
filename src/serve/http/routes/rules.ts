import type { StandingRuleOperations } from '../../../host/host.js';
import {
  arrayOf,
  boolean,
  json,
  number,
  object,
  oneOf,
  optional,
  type TypeOf,
  text,
} from '../../../host/operations/shape.js';
import type { Json } from '../../../model/json.js';
import type { ArgumentCondition, Condition } from '../../../model/standing-rule.js';
import { documents } from '../../documents/documents.js';
import { rulesDocument } from '../../print/rule-document.js';
import { checkedRule, ruleTarget } from '../../rule-input.js';
import { HttpError } from '../http-error.js';
import { operatorOf } from '../request-operator.js';
import { bodyOf, type ResponseSpec, type Route } from '../route.js';

const rulesResponse: ResponseSpec = {
  description: 'Standing rules with their conditions.',
  schema: documents['rules@1'].shape.schema,
};
const tests = ['equals', 'one-of', 'under', 'at-most', 'at-least', 'matches'] as const;
const conditionEntry = object({ argument: text(), test: oneOf(tests), value: json() });
const ruleBody = object({
  tool: text('PACKAGE/TOOL, or PACKAGE for a whole package'),
  when: optional(arrayOf(conditionEntry)),
  any: optional(arrayOf(text(), 'Arguments that may have any value.')),
  principal: optional(text('Limits the rule to this caller.')),
  minutes: optional(number('Lifetime of the rule. Default: until it is revoked.')),
  destructive: optional(boolean('Whether the rule covers destructive tools. Default: false.')),
});

/** Standing rules: matching calls run without asking a person. */
export function ruleRoutes(rules: StandingRuleOperations, now: () => number): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/approvals/rules',
      role: 'operator',
      summary: 'List standing rules, including ended ones.',
      responses: { 200: rulesResponse },
      handle: async () => ({ body: rulesDocument(await rules.list()) }),
    },
    {
      method: 'POST',
      path: '/api/v1/approvals/rules',
      role: 'operator',
      summary:
        'Create a standing rule. For one tool: every argument needs a condition or must be listed in any. For a package: it answers only the question about undeclared effects.',
      body: ruleBody.schema,
      responses: { 200: rulesResponse, 404: { description: 'Unknown tool.' } },
      handle: async (exchange) => {
        const body = bodyOf(ruleBody, exchange.body);
        const { tool, when = [], any = [], principal = null, minutes, destructive = false } = body;
        const target = await ruleTarget(await exchange.caller.session(), tool);
        if (minutes !== undefined && !(minutes > 0))
          throw invalidBody('minutes must be a number greater than 0');
        const rule = checkedRule(
          {
            principal,
            conditions: [...when.map(conditionOf), ...any.map(anyValue)],
            destructive,
            expiresAt: minutes === undefined ? null : Math.round(now() + minutes * 60_000),
          },
          target,
        );
        return { body: rulesDocument([await rules.add(rule, operatorOf(exchange))]) };
      },
    },
    {
      method: 'DELETE',
      path: '/api/v1/approvals/rules/{id}',
      role: 'operator',
      summary: 'Revoke a standing rule. Its calls are held again.',
      responses: {
        204: { description: 'The rule is revoked.' },
        404: { description: 'No active rule has this id.' },
      },
      handle: async (exchange) => {
        if (!(await rules.revoke(exchange.pathParams.id as string, operatorOf(exchange))))
          throw new HttpError(404, 'not_found', 'no active rule has this id');
        return { status: 204 };
      },
    },
  ];
}

function anyValue(argument: string): ArgumentCondition {
  return { argument, condition: { test: 'any' } };
}

function conditionOf({ argument, test, value }: TypeOf<typeof conditionEntry>): ArgumentCondition {
  return { argument, condition: testOf(test, value) };
}

function testOf(test: (typeof tests)[number], value: Json): Condition {
  if (test === 'equals') return { test, value };
  if (test === 'one-of' && Array.isArray(value)) return { test, values: value as readonly Json[] };
  if (test === 'under' && typeof value === 'string') return { test, path: value };
  if (test === 'matches' && typeof value === 'string') return { test, pattern: value };
  if ((test === 'at-most' || test === 'at-least') && typeof value === 'number')
    return { test, number: value };
  throw invalidBody('a condition has a value of the wrong type', `tests: ${tests.join(', ')}`);
}

function invalidBody(message: string, hint?: string): HttpError {
  return new HttpError(400, 'usage', message, hint === undefined ? {} : { hint });
}
