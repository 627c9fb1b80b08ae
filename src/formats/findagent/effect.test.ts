import { expect, test } from 'vitest';
import type { JsonObject } from '../../model/json.js';
import { effectsOf, workerOf } from './effect.js';

const http = (method: string, annotations: JsonObject = {}): JsonObject => ({
  action: { type: 'http', method },
  annotations,
});
const of = (tool: JsonObject, rule: JsonObject = {}, program = false, reaches = true) =>
  effectsOf(tool, rule, workerOf(tool, program), reaches);

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
])('%s with %j', (method, hints, effect, effectDeclared, idempotent, approval) => {
  expect(of(http(method, hints))).toMatchObject({ effect, effectDeclared, idempotent, approval });
});

test('a hint is never kept where it is false', () => {
  expect(of(http('POST', { readOnlyHint: true })).annotations).toMatchObject({ readOnlyHint: false });
  expect(of(http('DELETE', { destructiveHint: false })).annotations).toMatchObject({ destructiveHint: true });
  expect(of(http('GET', { title: 'Look', openWorldHint: false })).annotations).toEqual({
    title: 'Look',
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  });
});

test('overriding is told apart from agreeing', () => {
  expect(of(http('POST', { readOnlyHint: true })).readOnlyOverridden).toBe(true);
  expect(of(http('GET', { readOnlyHint: true })).readOnlyOverridden).toBe(false);
});

test('rules tighten and never loosen', () => {
  expect(of(http('GET'), { approval: 'human' }).approval).toBe('human');
  expect(of(http('DELETE'), { approval: 'none' }).approval).toBe('human');
  expect(of(http('GET'), { idempotent: false }).idempotent).toBe(false);
  expect(of(http('POST', { idempotentHint: false }), { idempotent: true }).idempotent).toBe(false);
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
])('%j, program %s, network %s: %s, declared %s', (tool, program, reaches, effect, effectDeclared) => {
  expect(of(tool, {}, program, reaches)).toMatchObject({ effect, effectDeclared });
});
