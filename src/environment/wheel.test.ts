import { expect, test } from 'vitest';
import { npmManifest } from './package-need.js';
import { sortedJson, sortedJsonDigest } from './sorted-json.js';
import { hashedRequirements, readWheelLock, readWheelName } from './wheel.js';

test('name and version of a wheel come from its file name', () => {
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
])('%j is not a wheel', (file) => {
  expect(readWheelName(file)).toBeUndefined();
});

const lock = {
  language: 'python',
  python: '3.11',
  platform: 'linux-x64',
  wheels: [{ name: 'a', version: '1.0', file: 'a-1.0-py3-none-any.whl', sha256: 'ab'.repeat(32) }],
};

test('a stored lock is read back, and a changed one is rejected', () => {
  const read = readWheelLock(JSON.parse(sortedJson(lock)));
  expect(read).toEqual(lock);
  expect(hashedRequirements(lock as NonNullable<typeof read>)).toBe(
    `a==1.0 --hash=sha256:${'ab'.repeat(32)}\n`,
  );
  const changed = (change: object) => readWheelLock({ ...lock, wheels: [{ ...lock.wheels[0], ...change }] });
  expect(changed({})).toBeDefined();
  expect(changed({ name: 'a --index-url x' })).toBeUndefined();
  expect(changed({ version: '1.0 --hash' })).toBeUndefined();
  expect(changed({ sha256: 'ab' })).toBeUndefined();
  expect(changed({ file: null })).toBeUndefined();
  expect(readWheelLock(null)).toBeUndefined();
  expect(readWheelLock({ ...lock, wheels: [null] })).toBeUndefined();
});

test('equal values have equal digests, independent of the order of their keys', () => {
  expect(sortedJsonDigest({ a: 1, b: { c: [1, 2], d: null } })).toBe(
    sortedJsonDigest({ b: { d: null, c: [1, 2] }, a: 1 }),
  );
  expect(sortedJsonDigest({ a: [1, 2] })).not.toBe(sortedJsonDigest({ a: [2, 1] }));
});

test('npm packages need an exact version', () => {
  expect(JSON.parse(Buffer.from(npmManifest(['@a/b@1.0.0', 'c@2.0.0-rc.1'])).toString())).toEqual({
    dependencies: { '@a/b': '1.0.0', c: '2.0.0-rc.1' },
  });
  for (const it of ['c', 'c@^1', 'c@latest', 'c@git+https://x', '--x@1.0.0=', '../c@1.0.0'])
    expect(() => npmManifest([it])).toThrow(expect.objectContaining({ code: 'invalid_manifest' }));
});
