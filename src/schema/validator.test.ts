import { expect, test } from 'vitest';
import { inputValidator } from './validator.js';

test('arguments are always copied, and values that are not plain data are rejected', () => {
  const { check } = inputValidator({ type: 'object', additionalProperties: true });
  const input = { list: [{ a: 1 }], text: 'x', none: null };
  const checked = check(input);
  expect(checked).toEqual({ ok: true, value: input });
  expect(checked.ok && checked.value).not.toBe(input);
  expect(checked.ok && (checked.value as typeof input).list[0]).not.toBe(input.list[0]);
  const withProto = JSON.parse('{"inner":{"__proto__":{"admin":true}}}');
  const copy = check(withProto);
  expect(copy.ok && JSON.stringify(copy.value)).toBe('{"inner":{"__proto__":{"admin":true}}}');
  expect(copy.ok && (copy.value as { inner: { admin?: unknown } }).inner.admin).toBeUndefined();
  expect(() => check({ act: () => 1 } as never)).toThrow();
  expect(() => check({ act: Symbol('a') } as never)).toThrow();
});
