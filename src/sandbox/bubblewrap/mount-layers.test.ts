import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { mountLayers } from './mount-layers.js';

const user = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'toolwharf-layers-'));
  for (const path of ['a/b/secret', 'a/c/settings', 'a/free'].map(at)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '');
  }
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const at = (path: string) => join(root, path);
const bind = (path: string, writable: boolean) => ({ source: at(path), target: at(path), writable });
const workspace = () => ({ source: root, target: root, writable: true });

test('a read-only folder stays read-only if a folder beside it is hidden', () => {
  const { mounts, masks } = mountLayers(
    { mounts: [workspace(), bind('a/c', false)], hidden: [at('a/b/secret')] },
    user,
  );
  // The mount of a folder above comes first, so that it covers nothing.
  expect(mounts).toEqual([workspace(), bind('a', true), bind('a/c', false), bind('a/b', true)]);
  expect(masks).toEqual([{ path: at('a/b/secret'), folder: false }]);
});

test('the folders above a mount in a writable folder are mount points, whatever the order is', () => {
  const { mounts } = mountLayers({ mounts: [bind('a/c', false), workspace()], hidden: [] }, user);
  expect(mounts).toEqual([workspace(), bind('a', true), bind('a/c', false)]);
});

test('of two mounts at the same path, the last one counts', () => {
  const { mounts } = mountLayers(
    { mounts: [workspace(), { ...workspace(), writable: false }], hidden: [] },
    user,
  );
  expect(mounts).toEqual([{ ...workspace(), writable: false }]);
});

test('nothing is mounted from folders that another process could replace by links', () => {
  const hidden = [at('a/b/secret')];
  const anchored = mountLayers({ mounts: [workspace()], hidden }, user);
  expect(anchored.mounts).toEqual([workspace(), bind('a', true), bind('a/b', true)]);
  const { mounts, masks } = mountLayers({ mounts: [workspace()], hidden, unanchored: hidden }, user);
  expect(mounts).toEqual([workspace()]);
  expect(masks).toEqual([{ path: at('a/b/secret'), folder: false }]);
});

test('a hidden link hides its target', () => {
  symlinkSync('b/secret', at('a/link'));
  const { masks } = mountLayers({ mounts: [workspace()], hidden: [at('a/link')] }, user);
  expect(masks).toEqual([{ path: at('a/b/secret'), folder: false }]);
});
