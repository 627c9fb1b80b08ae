import { expect, test } from 'vitest';
import type { Json } from '../../model/json.js';
import type { JsonTemplate } from '../../model/template.js';
import { parseBody } from './body.js';

/** A template as a JSON value, with placeholders shown as `‹name›`. */
function render(template: JsonTemplate): Json {
  switch (template.kind) {
    case 'literal':
      return template.value;
    case 'array':
      return template.items.map(render);
    case 'object':
      return Object.fromEntries(template.members.map(({ name, value }) => [name, render(value)]));
    case 'template':
      return template.template.parts
        .map((it) => (it.kind === 'text' ? it.text : it.kind === 'input' ? `‹${it.path.join('.')}›` : '?'))
        .join('');
  }
}

const json = (template: Json, type?: string) => {
  const { body } = parseBody(template, type);
  return body.kind === 'json' ? render(body.body) : body.kind;
};

test.each<[Json, Json]>([
  [{ a: '{x}' }, { a: '‹x›' }],
  [
    { a: 'to {x}, {y}', n: 3, b: true, z: null },
    { a: 'to ‹x›, ‹y›', n: 3, b: true, z: null },
  ],
  [
    ['{x}', { y: ['{y}'] }],
    ['‹x›', { y: ['‹y›'] }],
  ],
  [{ a: '{{x}}' }, { a: '{{x}}' }],
  ['{"a": "{x}"}', { a: '‹x›' }],
  ['{"a": {x}}', { a: '‹x›' }],
  ['{"a": {x}, "b": {"c": {y}}}', { a: '‹x›', b: { c: '‹y›' } }],
  ['[{x}, 2]', ['‹x›', 2]],
  ['{"a": {}, "b": {"c": 1}}', { a: {}, b: { c: 1 } }],
  ['{"a":{"b":{"c":"}}"}}}', { a: { b: { c: '}}' } } }],
  ['{"a": "\\"{x}\\""}', { a: '"‹x›"' }],
  ['{"q": "{ user(id: 1) { name } }"}', { q: '{ user(id: 1) { name } }' }],
])('the body %j is parsed as JSON', (template, expected) => {
  expect(json(template)).toEqual(expected);
});

test.each([
  'plain {x}',
  '{x}',
  '{"a": }',
  '"{x}"',
  '5',
  'a={x}',
  '{x} {"a":1}',
  '['.repeat(100) + ']'.repeat(100),
])('the body %j is sent as text', (template) => {
  expect(json(template)).toBe('text');
});

test('the content type decides how a text body is parsed', () => {
  expect(json('{"a": "{x}"}', 'text/plain')).toBe('text');
  expect(json('{"a": "{x}"}', 'application/vnd.api+json; charset=utf-8')).toEqual({ a: '‹x›' });
  const { body, names } = parseBody('a={x}&b=1+2', 'application/x-www-form-urlencoded');
  expect(names).toEqual(['x']);
  expect(body).toEqual({
    kind: 'form',
    fields: [
      { name: 'a', value: { parts: [{ kind: 'input', path: ['x'] }] } },
      { name: 'b', value: { parts: [{ kind: 'text', text: '1%202' }] } },
    ],
  });
});

test('placeholder names, suspects and misplaced placeholders are collected', () => {
  const parsed = parseBody({ '{k}': '{a} {{b}}', l: ['{c}'] }, undefined);
  expect(parsed.names).toEqual(['a', 'c']);
  expect(parsed.suspects).toEqual(['{{b}}']);
  expect(parsed.problems.map((it) => it.code)).toEqual(['findagent.placeholder-place']);
});

test('a body nested too deeply is sent as text and parses fast', () => {
  expect(json('['.repeat(200_000) + ']'.repeat(200_000))).toBe('text');
  expect(json('{"a":'.repeat(100_000))).toBe('text');
});

test('a member named __proto__ is an ordinary member', () => {
  const { body } = parseBody('{"__proto__": {"polluted": 1}}', undefined);
  expect(body).toMatchObject({ kind: 'json', body: { kind: 'object', members: [{ name: '__proto__' }] } });
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});
