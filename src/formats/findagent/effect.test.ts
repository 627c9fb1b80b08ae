import { expect, test } from 'vitest';
import type { JsonObject } from '../../model/json.js';
import { backendOf, effectsOf } from './effect.js';

const http = (method: string, annotations: JsonObject = {}): JsonObject => ({
  action: { type: 'http', method },
  annotations,
});
const effects = (tool: JsonObject, rule: JsonObject = {}, program = false, hasNetwork = true) =>
  effectsOf(tool, rule, backendOf(tool, program), hasNetwork);

test.each<[string, JsonObject, string, boolean, boolean, string]>([
  ['GET', {}, 'read', true, true, 'none'],
  ['GET', { readOnlyHint: false }, 'write', true, false, 'none'],
  ['GET', { destructiveHint: true }, 'destructive', true, false, 'human'],
  ['POST', {}, 'write', true, false, 'none'],
  ['POST', { readOnlyHint: true }, 'write', true, false, 'none'],
  ['POST', { idempotentHint: true }, 'write', true, true, 'none'],
  ['PUT', {}, 'write', true, false, 'none'],
  ['PATCH', {}, 'write', true, false, 'none'],
  ['DELETE', {}, 'destructive', true, false, 'human'],
  ['DELETE', { destructiveHint: false, readOnlyHint: true }, 'destructive', true, false, 'human'],
])(
  '%s with the hints %j has the expected effect',
  (method, hints, effect, effectDeclared, idempotent, approval) => {
    expect(effects(http(method, hints))).toMatchObject({ effect, effectDeclared, idempotent, approval });
  },
);

test('a hint that contradicts the method is replaced', () => {
  expect(effects(http('POST', { readOnlyHint: true })).annotations).toMatchObject({ readOnlyHint: false });
  expect(effects(http('DELETE', { destructiveHint: false })).annotations).toMatchObject({
    destructiveHint: true,
  });
  expect(effects(http('GET', { title: 'Look', openWorldHint: false })).annotations).toEqual({
    title: 'Look',
    readOnlyHint: true,
    idempotentHint: true,
    openWorldHint: false,
  });
  // Nobody declared whether a POST destroys something or can be repeated.
  expect(effects(http('POST')).annotations).toEqual({ readOnlyHint: false, openWorldHint: true });
});

test('readOnlyOverridden is true only if the host overrides the hint', () => {
  expect(effects(http('POST', { readOnlyHint: true })).readOnlyOverridden).toBe(true);
  expect(effects(http('GET', { readOnlyHint: true })).readOnlyOverridden).toBe(false);
});

test('a rule can tighten the effects but never loosen them', () => {
  expect(effects(http('GET'), { approval: 'human' }).approval).toBe('human');
  expect(effects(http('DELETE'), { approval: 'none' }).approval).toBe('human');
  expect(effects(http('GET'), { idempotent: false }).idempotent).toBe(false);
  expect(effects(http('POST', { idempotentHint: false }), { idempotent: true }).idempotent).toBe(false);
});

test.each<[JsonObject, boolean, boolean, string, boolean]>([
  [{ action: { type: 'prompt-template' } }, false, true, 'none', true],
  [{ action: { type: 'compose' } }, false, true, 'write', false],
  [{ action: { type: 'compose' }, annotations: { readOnlyHint: true } }, false, true, 'write', false],
  [{ action: { type: 'compose' }, annotations: { destructiveHint: true } }, false, true, 'destructive', true],
  [{}, false, true, 'write', false],
  [{}, true, true, 'write', false],
  [{ annotations: { readOnlyHint: true } }, true, true, 'read', true],
  [{ annotations: { readOnlyHint: true } }, true, false, 'none', true],
  [{ annotations: { destructiveHint: false } }, true, true, 'write', true],
])('%j, program %s, network %s: %s, declared %s', (tool, program, hasNetwork, effect, effectDeclared) => {
  expect(effects(tool, {}, program, hasNetwork)).toMatchObject({ effect, effectDeclared });
});
