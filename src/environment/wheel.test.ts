import { expect, test } from 'vitest';
import { canonical, digestOf } from './canonical.js';
import { npmManifest } from './need.js';
import { hashedRequirements, readLock, readWheelName } from './wheel.js';

test('names and versions are read off file names', () => {
  expect(readWheelName('Foo_Bar-1.2.3-py3-none-any.whl')).toEqual({ name: 'foo-bar', version: '1.2.3' });
  expect(readWheelName('a-1.0-2b-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl')?.version).toBe(
    '1.0',
  );
});

test.each([
  'a-1.0.tar.gz',
  '../a-1.0-py3-none-any.whl',
  'a-1.0-py3-none-any.whl\n',
  '-r-1-py3-none-any.whl',
  'a.whl',
])('%j is no wheel', (file) => {
  expect(readWheelName(file)).toBeUndefined();
});

const lock = {
  language: 'python',
  python: '3.11',
  platform: 'linux-x64',
  wheels: [{ name: 'a', version: '1.0', file: 'a-1.0-py3-none-any.whl', sha256: 'ab'.repeat(32) }],
};

test('a lock is read back, and a bent one is not', () => {
  const read = readLock(JSON.parse(canonical(lock)));
  expect(read).toEqual(lock);
  expect(hashedRequirements(lock as NonNullable<typeof read>)).toBe(
    `a==1.0 --hash=sha256:${'ab'.repeat(32)}\n`,
  );
  const bent = (change: object) => readLock({ ...lock, wheels: [{ ...lock.wheels[0], ...change }] });
  expect(bent({})).toBeDefined();
  expect(bent({ name: 'a --index-url x' })).toBeUndefined();
  expect(bent({ version: '1.0 --hash' })).toBeUndefined();
  expect(bent({ sha256: 'ab' })).toBeUndefined();
  expect(bent({ file: null })).toBeUndefined();
  expect(readLock(null)).toBeUndefined();
  expect(readLock({ ...lock, wheels: [null] })).toBeUndefined();
});

test('equal values have equal digests, whatever the order of their keys', () => {
  expect(digestOf({ a: 1, b: { c: [1, 2], d: null } })).toBe(digestOf({ b: { d: null, c: [1, 2] }, a: 1 }));
  expect(digestOf({ a: [1, 2] })).not.toBe(digestOf({ a: [2, 1] }));
});

test('npm packages are named with one version', () => {
  expect(JSON.parse(Buffer.from(npmManifest(['@a/b@1.0.0', 'c@2.0.0-rc.1'])).toString())).toEqual({
    dependencies: { '@a/b': '1.0.0', c: '2.0.0-rc.1' },
  });
  for (const it of ['c', 'c@^1', 'c@latest', 'c@git+https://x', '--x@1.0.0=', '../c@1.0.0'])
    expect(() => npmManifest([it])).toThrow(expect.objectContaining({ code: 'invalid_manifest' }));
});
