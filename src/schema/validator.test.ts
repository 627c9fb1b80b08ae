import { expect, test } from 'vitest';
import { inputValidator } from './validator.js';

test('arguments are copied whatever they are, and what is no data is refused', () => {
  const { check } = inputValidator({ type: 'object', additionalProperties: true });
  const given = { list: [{ a: 1 }], text: 'x', none: null };
  const checked = check(given);
  expect(checked).toEqual({ ok: true, value: given });
  expect(checked.ok && checked.value).not.toBe(given);
  expect(checked.ok && (checked.value as typeof given).list[0]).not.toBe(given.list[0]);
  const strange = JSON.parse('{"inner":{"__proto__":{"admin":true}}}');
  const copy = check(strange);
  expect(copy.ok && JSON.stringify(copy.value)).toBe('{"inner":{"__proto__":{"admin":true}}}');
  expect(copy.ok && (copy.value as { inner: { admin?: unknown } }).inner.admin).toBeUndefined();
  expect(() => check({ act: () => 1 } as never)).toThrow();
  expect(() => check({ act: Symbol('a') } as never)).toThrow();
});
