// Adding a rule never allows what was denied before. Random rules and calls, checked with the functions of the call pipeline.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyInputGuardrails } from '../../host/call/input-guardrails.js';
import { noGuardrails } from '../../model/guardrails.js';
import { HostError } from '../../model/host-error.js';
import type { JsonObject } from '../../model/json.js';
import type { Package } from '../../model/package.js';
import { personalDataCategories } from '../../model/personal-data.js';
import type { Rule, RuleOrigin } from '../../model/rule.js';
import { type Effect, effects, type Tool } from '../../model/tool.js';
import { decide } from '../decide.js';
import { combineRules } from './requirements.js';
import { cappedAmount } from './spend-limit.js';
import { effectOf, matchesToolName, rulesFor } from './tool-rules.js';

const tool: Tool = {
  name: 'pay',
  description: '',
  input: { type: 'object', properties: { amount: { type: 'number' } } },
  annotations: {},
  effect: 'write',
  effectDeclared: true,
  idempotent: false,
  untrustedInputs: [],
  approval: 'none',
  examples: [],
  action: null,
};
const noReach = { writesWorkspace: false, usesNetwork: false };
const pkg = { id: 'desk', guardrails: noGuardrails, tools: [tool] } as unknown as Package;
const user: RuleOrigin = { kind: 'user', file: 'config.toml', line: 1 };
const project: RuleOrigin = { kind: 'project', file: 'toolwharf.toml', line: 1 };
const maybe = <T>(it: fc.Arbitrary<T>) => fc.option(it, { nil: undefined, freq: 2 });
const per = fc.constantFrom('second' as const, 'minute' as const, 'hour' as const, 'day' as const);

/** Rules with every restriction. `allow`, which waives confirmations, is a separate case. */
const restricting: fc.Arbitrary<Rule> = fc
  .record({
    tool: fc.constantFrom('*', 'desk', 'desk/pay', 'd*/p*', 'other', 'desk/other'),
    origin: fc.constantFrom<RuleOrigin>(user, project, { kind: 'session' }),
    effects: maybe(fc.subarray<Effect>([...effects], { minLength: 1 })),
    approval: maybe(fc.constantFrom('ask' as const, 'deny' as const)),
    askAbove: maybe(fc.nat(20)),
    maxLength: maybe(fc.integer({ min: 1, max: 60 })),
    denyPatterns: maybe(fc.subarray(['ab+', 'x', '\\d{2}'])),
    redact: maybe(fc.subarray<string>([...personalDataCategories])),
    maxAmount: maybe(fc.nat(20)),
    rateLimit: maybe(fc.record({ count: fc.integer({ min: 1, max: 9 }), per })),
    spend: maybe(fc.record({ amount: fc.nat(50), per })),
  })
  .map(
    (it) =>
      Object.fromEntries(Object.entries(it).filter(([, value]) => value !== undefined)) as unknown as Rule,
  );

const allowing: fc.Arbitrary<Rule> = fc.record({
  tool: fc.constantFrom('*', 'desk/pay'),
  approval: fc.constant('allow' as const),
  overManifest: fc.boolean(),
  origin: fc.constant(user),
});

const calls: fc.Arbitrary<JsonObject> = fc.record(
  {
    amount: fc.oneof<fc.Arbitrary<number | string | null>[]>(
      fc.integer({ min: -2, max: 25 }),
      fc.constantFrom('5', null, 4111111111111111),
    ),
    text: fc.constantFrom(
      'abb',
      'plain',
      'x',
      'me@example.com',
      '4111 1111 1111 1111',
      'DE89 3704 0044 0532 0130 00',
    ),
  },
  { requiredKeys: [] },
);

const strictness = { allow: 0, ask: 1, denied: 2 } as const;

async function verdict(
  rules: readonly Rule[],
  subject: Tool,
  input: JsonObject,
): Promise<keyof typeof strictness> {
  const requirements = combineRules(rulesFor(pkg, subject, 'findagent.json', rules, noReach));
  try {
    const given = await applyInputGuardrails('desk', requirements, input);
    cappedAmount('desk/pay', subject, requirements, given);
    const decision = decide({
      package: pkg,
      tool: subject,
      file: 'findagent.json',
      requirements,
      input: given,
    });
    return decision.kind === 'deny' ? 'denied' : decision.kind;
  } catch (error) {
    if (error instanceof HostError && ['guardrail', 'spend_limit'].includes(error.code)) return 'denied';
    throw error;
  }
}

describe('combining rules', () => {
  const subjects = fc
    .record({
      effect: fc.constantFrom<Effect>(...effects),
      approval: fc.constantFrom('none' as const, 'human' as const),
    })
    .map((it) => ({ ...tool, ...it }));

  test('an additional rule never makes the decision less strict, at any position', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ weight: 4, arbitrary: restricting }, allowing), { maxLength: 5 }),
        restricting,
        fc.nat(5),
        subjects,
        calls,
        async (rules, more, place, subject, input) => {
          const before = await verdict(rules, subject, input);
          const after = await verdict(rules.toSpliced(place, 0, more), subject, input);
          expect(strictness[after]).toBeGreaterThanOrEqual(strictness[before]);
        },
      ),
      { numRuns: 400 },
    );
  });

  test('order and duplicates of rules do not change the decision', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ weight: 4, arbitrary: restricting }, allowing), { maxLength: 5 }),
        subjects,
        calls,
        async (rules, subject, input) => {
          const found = await verdict(rules, subject, input);
          expect(await verdict(rules.toReversed(), subject, input)).toBe(found);
          expect(await verdict([...rules, ...rules], subject, input)).toBe(found);
        },
      ),
      { numRuns: 150 },
    );
  });

  test('limits per time window only get smaller', () => {
    fc.assert(
      fc.property(fc.array(restricting, { maxLength: 6 }), restricting, (rules, more) => {
        const before = combineRules(rules);
        const after = combineRules([...rules, more]);
        for (const { value } of before.rates)
          expect(after.rates.find((it) => it.value.per === value.per)?.value.count).toBeLessThanOrEqual(
            value.count,
          );
        for (const { value } of before.spends)
          expect(after.spends.find((it) => it.value.per === value.per)?.value.amount).toBeLessThanOrEqual(
            value.amount,
          );
      }),
      { numRuns: 200 },
    );
  });
});

describe('an allow rule', () => {
  const allow: Rule = { tool: '*', approval: 'allow', origin: user };
  const decided = (subject: Tool, rules: readonly Rule[]) =>
    decide({
      package: pkg,
      tool: subject,
      file: 'findagent.json',
      requirements: combineRules(rulesFor(pkg, subject, 'findagent.json', rules, noReach)),
      input: {},
    }).kind;
  const destructive: Tool = { ...tool, effect: 'destructive' };
  const asking: Tool = { ...tool, approval: 'human' };

  test('waives a confirmation of the host, and one of the manifest only with overManifest', () => {
    expect(decided(destructive, [])).toBe('ask');
    expect(decided(destructive, [allow])).toBe('allow');
    expect(decided(asking, [allow])).toBe('ask');
    expect(decided(asking, [{ ...allow, overManifest: true }])).toBe('allow');
  });

  test('never waives what another rule requires, and has no effect in a project', () => {
    expect(decided(tool, [allow, { tool: 'desk', approval: 'ask', origin: user }])).toBe('ask');
    expect(decided(tool, [allow, { tool: 'desk', approval: 'deny', origin: project }])).toBe('deny');
    expect(decided(destructive, [{ ...allow, origin: project }])).toBe('ask');
  });
});

test('a pattern matches whole package ids and tool names', () => {
  for (const it of ['*', 'desk', 'desk/*', 'desk/pay', 'd*/p*y', '*/pay', 'desk*'])
    expect(matchesToolName(it, 'desk/pay')).toBe(true);
  for (const it of ['des', 'desk/pa', 'pay', 'desk/pay2', 'd.sk/pay', '*/p', 'desk/pay/*'])
    expect(matchesToolName(it, 'desk/pay')).toBe(false);
});

test('an undeclared effect is what the user says, or stronger where a project says so', () => {
  const undeclared: Tool = { ...tool, effectDeclared: false };
  const says = (effect: Effect, origin: RuleOrigin): Rule => ({
    tool: 'desk',
    undeclaredEffect: effect,
    origin,
  });
  expect(effectOf('desk', undeclared, [])).toBe('write');
  expect(effectOf('desk', undeclared, [says('read', user)])).toBe('read');
  expect(effectOf('desk', undeclared, [says('read', user), says('write', user)])).toBe('write');
  expect(effectOf('desk', undeclared, [says('read', project)])).toBe('write');
  expect(effectOf('desk', undeclared, [says('read', user), says('destructive', project)])).toBe(
    'destructive',
  );
  expect(effectOf('desk', tool, [says('read', user)])).toBe('write');
});
