import type { StandingRuleOperations } from '../../../host/host.js';
import { isObject, type Json, type JsonObject } from '../../../model/json.js';
import type { ArgumentCondition, Condition } from '../../../model/standing-rule.js';
import { rulesDocument } from '../../print/rule-document.js';
import { checkedRule, ruleTarget } from '../../rule-input.js';
import { operatorOf } from '../operator.js';
import { Refusal } from '../refusal.js';
import { type Answered, documentOf, membersOf, type Route, textMember } from '../route.js';

const shown: Answered = {
  text: 'Rules with their conditions.',
  schema: documentOf('toolwharf/rules@1', { rules: { type: 'array', items: { type: 'object' } } }),
};
const tests = ['equals', 'one-of', 'under', 'at-most', 'at-least', 'matches'];

/** Rules under which calls run without asking each time. */
export function ruleRoutes(rules: StandingRuleOperations, now: () => number): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/approvals/rules',
      role: 'operator',
      summary: 'Standing rules, ended ones too.',
      answers: { 200: shown },
      answer: async () => ({ body: rulesDocument(await rules.list()) }),
    },
    {
      method: 'POST',
      path: '/api/v1/approvals/rules',
      role: 'operator',
      summary: 'Allows calls of a tool whose arguments are within bounds. Every argument is bound or freed.',
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
          any: { type: 'array', items: { type: 'string' }, description: 'arguments that may be anything' },
          principal: { type: 'string', description: 'for this caller only' },
          minutes: { type: 'number', description: 'how long it holds; until it is revoked unless told' },
          destructive: { type: 'boolean' },
        },
      },
      answers: { 200: shown, 404: { text: 'There is no such tool.' } },
      answer: async (exchange) => {
        const given = membersOf(exchange.body, [
          'tool',
          'when',
          'any',
          'principal',
          'minutes',
          'destructive',
        ]);
        const target = await ruleTarget(await exchange.caller.session(), textMember(given, 'tool'));
        const { minutes, destructive = false } = given;
        if (minutes !== undefined && (typeof minutes !== 'number' || !(minutes > 0)))
          throw wrong('minutes must be a number above zero');
        if (typeof destructive !== 'boolean') throw wrong('destructive must be true or false');
        const rule = checkedRule(
          {
            principal: given.principal === undefined ? null : textMember(given, 'principal'),
            conditions: [...listOf(given, 'when').map(conditionOf), ...listOf(given, 'any').map(freed)],
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
      summary: 'Ends a rule: such calls are asked for again.',
      answers: { 204: { text: 'It holds no more.' }, 404: { text: 'No such rule holds.' } },
      answer: async (exchange) => {
        if (!(await rules.revoke(exchange.parts.id as string, operatorOf(exchange))))
          throw new Refusal(404, 'not_found', 'no such rule holds');
        return { status: 204 };
      },
    },
  ];
}

function listOf(given: JsonObject, name: string): readonly Json[] {
  const list = given[name] ?? [];
  if (!Array.isArray(list)) throw wrong(`${name} must be a list`);
  return list as readonly Json[];
}

function freed(argument: Json): ArgumentCondition {
  if (typeof argument !== 'string') throw wrong('any must be a list of names');
  return { argument, condition: { test: 'any' } };
}

function conditionOf(entry: Json): ArgumentCondition {
  if (!isObject(entry)) throw wrong('when must be a list of objects');
  const { argument, test, value } = membersOf(entry, ['argument', 'test', 'value']);
  if (typeof argument !== 'string' || value === undefined)
    throw wrong('a condition needs argument and value');
  return { argument, condition: testOf(test, value) };
}

function testOf(test: Json | undefined, value: Json): Condition {
  if (test === 'equals') return { test, value };
  if (test === 'one-of' && Array.isArray(value)) return { test, values: value as readonly Json[] };
  if (test === 'under' && typeof value === 'string') return { test, path: value };
  if (test === 'matches' && typeof value === 'string') return { test, pattern: value };
  if ((test === 'at-most' || test === 'at-least') && typeof value === 'number')
    return { test, number: value };
  throw wrong('a test, or its value, is not understood', `tests are ${tests.join(', ')}`);
}

function wrong(message: string, hint?: string): Refusal {
  return new Refusal(400, 'usage', message, hint === undefined ? {} : { hint });
}
