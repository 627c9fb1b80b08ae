// Adding a rule never lets through what was refused. Random rules and calls, through the functions that calls go through.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { guardInput } from '../host/guard.js';
import { noGuardrails } from '../model/guardrails.js';
import { HostError } from '../model/host-error.js';
import type { JsonObject } from '../model/json.js';
import type { Package } from '../model/package.js';
import { personalCategories } from '../model/personal.js';
import type { Rule, RuleOrigin } from '../model/rule.js';
import { type Effect, effects, type Tool } from '../model/tool.js';
import { combine } from './combine.js';
import { decide } from './decide.js';
import { effectOf, matches, rulesFor } from './rules.js';
import { cappedAmount } from './spend.js';

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
const of = { id: 'desk', guardrails: noGuardrails, tools: [tool] } as unknown as Package;
const user: RuleOrigin = { kind: 'user', file: 'config.toml', line: 1 };
const project: RuleOrigin = { kind: 'project', file: 'toolwharf.toml', line: 1 };
const maybe = <T>(it: fc.Arbitrary<T>) => fc.option(it, { nil: undefined, freq: 2 });
const per = fc.constantFrom('second' as const, 'minute' as const, 'hour' as const, 'day' as const);

/** Everything a rule can say but `allow`, which belongs to the operator and takes questions away. */
const tightening: fc.Arbitrary<Rule> = fc
  .record({
    tool: fc.constantFrom('*', 'desk', 'desk/pay', 'd*/p*', 'other', 'desk/other'),
    origin: fc.constantFrom<RuleOrigin>(user, project, { kind: 'session' }),
    effects: maybe(fc.subarray<Effect>([...effects], { minLength: 1 })),
    approval: maybe(fc.constantFrom('ask' as const, 'deny' as const)),
    askAbove: maybe(fc.nat(20)),
    maxLength: maybe(fc.integer({ min: 1, max: 60 })),
    denyPatterns: maybe(fc.subarray(['ab+', 'x', '\\d{2}'])),
    redact: maybe(fc.subarray<string>([...personalCategories])),
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

const strictness = { allow: 0, ask: 1, refused: 2 } as const;

async function verdict(
  rules: readonly Rule[],
  subject: Tool,
  input: JsonObject,
): Promise<keyof typeof strictness> {
  const demands = combine(rulesFor(of, subject, 'findagent.json', rules));
  try {
    const given = await guardInput('desk', demands, input);
    cappedAmount('desk/pay', subject, demands, given);
    const decision = decide({ package: of, tool: subject, file: 'findagent.json', demands, input: given });
    return decision.kind === 'deny' ? 'refused' : decision.kind;
  } catch (error) {
    if (error instanceof HostError && ['guardrail', 'spend_limit'].includes(error.code)) return 'refused';
    throw error;
  }
}

describe('rules are put together as a meet', () => {
  const subjects = fc
    .record({
      effect: fc.constantFrom<Effect>(...effects),
      approval: fc.constantFrom('none' as const, 'human' as const),
    })
    .map((it) => ({ ...tool, ...it }));

  test('one more never makes a verdict milder, wherever it stands', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ weight: 4, arbitrary: tightening }, allowing), { maxLength: 5 }),
        tightening,
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

  test('the order does not matter, and saying it twice says nothing new', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ weight: 4, arbitrary: tightening }, allowing), { maxLength: 5 }),
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

  test('windows only get smaller', () => {
    fc.assert(
      fc.property(fc.array(tightening, { maxLength: 6 }), tightening, (rules, more) => {
        const before = combine(rules);
        const after = combine([...rules, more]);
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

describe('allow', () => {
  const allow: Rule = { tool: '*', approval: 'allow', origin: user };
  const decided = (subject: Tool, rules: readonly Rule[]) =>
    decide({
      package: of,
      tool: subject,
      file: 'findagent.json',
      demands: combine(rulesFor(of, subject, 'findagent.json', rules)),
      input: {},
    }).kind;
  const destructive: Tool = { ...tool, effect: 'destructive' };
  const asking: Tool = { ...tool, approval: 'human' };

  test('takes away what the host asks, and what a manifest asks only when told to', () => {
    expect(decided(destructive, [])).toBe('ask');
    expect(decided(destructive, [allow])).toBe('allow');
    expect(decided(asking, [allow])).toBe('ask');
    expect(decided(asking, [{ ...allow, overManifest: true }])).toBe('allow');
  });

  test('never takes away what another rule demands, nor anything from a project', () => {
    expect(decided(tool, [allow, { tool: 'desk', approval: 'ask', origin: user }])).toBe('ask');
    expect(decided(tool, [allow, { tool: 'desk', approval: 'deny', origin: project }])).toBe('deny');
    expect(decided(destructive, [{ ...allow, origin: project }])).toBe('ask');
  });
});

test('patterns', () => {
  for (const it of ['*', 'desk', 'desk/*', 'desk/pay', 'd*/p*y', '*/pay', 'desk*'])
    expect(matches(it, 'desk/pay')).toBe(true);
  for (const it of ['des', 'desk/pa', 'pay', 'desk/pay2', 'd.sk/pay', '*/p', 'desk/pay/*'])
    expect(matches(it, 'desk/pay')).toBe(false);
});

test('an effect nobody declared is what the user says, and graver where a project says so', () => {
  const quiet: Tool = { ...tool, effectDeclared: false };
  const says = (effect: Effect, origin: RuleOrigin): Rule => ({
    tool: 'desk',
    undeclaredEffect: effect,
    origin,
  });
  expect(effectOf('desk', quiet, [])).toBe('write');
  expect(effectOf('desk', quiet, [says('read', user)])).toBe('read');
  expect(effectOf('desk', quiet, [says('read', user), says('write', user)])).toBe('write');
  expect(effectOf('desk', quiet, [says('read', project)])).toBe('write');
  expect(effectOf('desk', quiet, [says('read', user), says('destructive', project)])).toBe('destructive');
  expect(effectOf('desk', tool, [says('read', user)])).toBe('write');
});
