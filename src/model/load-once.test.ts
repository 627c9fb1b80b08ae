import { expect, test } from 'vitest';
import { LoadOnce } from './load-once.js';

function loader() {
  const loads: { resolve: (value: string) => void; reject: (error: Error) => void }[] = [];
  const value = new LoadOnce(
    () => new Promise<string>((resolve, reject) => void loads.push({ resolve, reject })),
  );
  return { value, loads };
}

test('nothing is loaded before it is needed, and then once for all callers', async () => {
  const { value, loads } = loader();
  expect(loads).toHaveLength(0);
  const both = [value.get(), value.get()];
  loads[0]?.resolve('one');
  expect(await Promise.all([...both, value.get()])).toEqual(['one', 'one', 'one']);
  expect(loads).toHaveLength(1);
});

test('a failure reaches those who wait, and the next caller loads again', async () => {
  const { value, loads } = loader();
  const both = [value.get(), value.get()].map((it) => it.catch((error: Error) => error.message));
  loads[0]?.reject(new Error('busy'));
  expect(await Promise.all(both)).toEqual(['busy', 'busy']);
  const next = value.get();
  loads[1]?.resolve('two');
  expect(await next).toBe('two');
});

test('what is forgotten is loaded again; an old load cannot come back or remove the new one', async () => {
  const { value, loads } = loader();
  const old = value.get().catch((error: Error) => error.message);
  value.forget();
  const next = value.get();
  loads[1]?.resolve('new');
  loads[0]?.reject(new Error('old'));
  expect([await old, await next, await value.get()]).toEqual(['old', 'new', 'new']);
  expect(loads).toHaveLength(2);
});
