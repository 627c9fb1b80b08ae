import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exposedNames } from './exposed-names.js';

const one = (packageId: string, tool: string, only = false) => ({ packageId, tool, only });

test('a name is package and tool, or only the tool if both are the same', () => {
  expect(
    exposedNames([
      one('weather', 'get'),
      one('word_count', 'word_count', true),
      one('x', 'y', true),
      one('p.q', 'r'),
    ]),
  ).toEqual(['weather_get', 'word_count', 'x_y', 'p_q_r']);
});

test('reserved, long and colliding names get a suffix that depends only on the tool', () => {
  const [first, second] = exposedNames([one('a', 'b_c'), one('a_b', 'c')]);
  expect(first).toMatch(/^a_b_c_[0-9a-f]{6}$/);
  expect(second).toMatch(/^a_b_c_[0-9a-f]{6}$/);
  expect(first).not.toBe(second);
  expect(exposedNames([one('a_b', 'c'), one('a', 'b_c')])).toEqual([second, first]);
  expect(exposedNames([one('patch', 'confirm_action')])[0]).toMatch(/^patch_confirm_action_[0-9a-f]{6}$/);
  expect(exposedNames([one('call', 'tool')])[0]).toMatch(/^call_tool_[0-9a-f]{6}$/);
  expect(exposedNames([one('find', 'tools')])[0]).toMatch(/^find_tools_[0-9a-f]{6}$/);
  expect(exposedNames([one('describe_tool', 'describe_tool', true)])[0]).toMatch(
    /^describe_tool_[0-9a-f]{6}$/,
  );
  expect(exposedNames([one('p'.repeat(60), 'tool')])[0]).toHaveLength(64);
});

test('a tool cannot take the exposed name of another tool', () => {
  const [long] = exposedNames([one('bank', 'transfer_'.repeat(9))]);
  const both = exposedNames([one('bank', 'transfer_'.repeat(9)), one(long as string, long as string, true)]);
  expect(both[0]).toBe(long);
  expect(both[1]).not.toBe(long);
});

test('names are valid for every client and unique', () => {
  const tools = fc.uniqueArray(
    fc.tuple(fc.string({ minLength: 1, maxLength: 90 }), fc.string({ minLength: 1, maxLength: 90 })),
    { selector: ([a, b]) => `${a}\0${b}`, maxLength: 20 },
  );
  fc.assert(
    fc.property(tools, (pairs) => {
      const names = exposedNames(pairs.map(([a, b]) => one(a, b)));
      for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(new Set(names).size).toBe(names.length);
    }),
  );
});
