import type { StandingRuleOperations } from '../../../host/host.js';
import { isObject, type Json, type JsonObject } from '../../../model/json.js';
import type { ArgumentCondition, Condition } from '../../../model/standing-rule.js';
import { rulesDocument } from '../../print/rule-document.js';
import { checkedRule, ruleTarget } from '../../rule-input.js';
import { HttpError } from '../http-error.js';
import { operatorOf } from '../request-operator.js';
import { bodyMembers, documentSchema, type ResponseSpec, type Route, textMember } from '../route.js';

const rulesResponse: ResponseSpec = {
  description: 'Standing rules with their conditions.',
  schema: documentSchema('toolwharf/rules@1', { rules: { type: 'array', items: { type: 'object' } } }),
};
const tests = ['equals', 'one-of', 'under', 'at-most', 'at-least', 'matches'];

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
        'Create a standing rule for a tool. Every argument needs a condition or must be listed in any.',
      body: {
        type: 'object',
        required: ['tool'],
        additionalProperties: false,
        properties: {
          tool: { type: 'string', description: 'PACKAGE/TOOL' },
          when: {
            type: 'array',
            items: {
              type: 'object',
              required: ['argument', 'test', 'value'],
              additionalProperties: false,
              properties: { argument: { type: 'string' }, test: { enum: tests }, value: {} },
            },
          },
          any: {
            type: 'array',
            items: { type: 'string' },
            description: 'Arguments that may have any value.',
          },
          principal: { type: 'string', description: 'Limits the rule to this caller.' },
          minutes: { type: 'number', description: 'Lifetime of the rule. Default: until it is revoked.' },
          destructive: { type: 'boolean' },
        },
      },
      responses: { 200: rulesResponse, 404: { description: 'Unknown tool.' } },
      handle: async (exchange) => {
        const members = bodyMembers(exchange.body, [
          'tool',
          'when',
          'any',
          'principal',
          'minutes',
          'destructive',
        ]);
        const target = await ruleTarget(await exchange.caller.session(), textMember(members, 'tool'));
        const { minutes, destructive = false } = members;
        if (minutes !== undefined && (typeof minutes !== 'number' || !(minutes > 0)))
          throw invalidBody('minutes must be a number greater than 0');
        if (typeof destructive !== 'boolean') throw invalidBody('destructive must be true or false');
        const rule = checkedRule(
          {
            principal: members.principal === undefined ? null : textMember(members, 'principal'),
            conditions: [
              ...listOf(members, 'when').map(conditionOf),
              ...listOf(members, 'any').map(anyValue),
            ],
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

function listOf(members: JsonObject, name: string): readonly Json[] {
  const list = members[name] ?? [];
  if (!Array.isArray(list)) throw invalidBody(`${name} must be a list`);
  return list as readonly Json[];
}

function anyValue(argument: Json): ArgumentCondition {
  if (typeof argument !== 'string') throw invalidBody('any must be a list of argument names');
  return { argument, condition: { test: 'any' } };
}

function conditionOf(entry: Json): ArgumentCondition {
  if (!isObject(entry)) throw invalidBody('when must be a list of objects');
  const { argument, test, value } = bodyMembers(entry, ['argument', 'test', 'value']);
  if (typeof argument !== 'string' || value === undefined)
    throw invalidBody('a condition needs argument and value');
  return { argument, condition: testOf(test, value) };
}

function testOf(test: Json | undefined, value: Json): Condition {
  if (test === 'equals') return { test, value };
  if (test === 'one-of' && Array.isArray(value)) return { test, values: value as readonly Json[] };
  if (test === 'under' && typeof value === 'string') return { test, path: value };
  if (test === 'matches' && typeof value === 'string') return { test, pattern: value };
  if ((test === 'at-most' || test === 'at-least') && typeof value === 'number')
    return { test, number: value };
  throw invalidBody(
    'a condition has an unknown test or a value of the wrong type',
    `tests: ${tests.join(', ')}`,
  );
}

function invalidBody(message: string, hint?: string): HttpError {
  return new HttpError(400, 'usage', message, hint === undefined ? {} : { hint });
}
