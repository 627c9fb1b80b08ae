import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { patchTool, temporaryFolder } from '../../../test/support/toolwharf.js';
import { folderBundle } from '../../bundle/folder.js';
import { formatNamed, inspect } from '../../formats/index.js';
import type { LoadedPackage } from './loaded-package.js';
import { PackageDigests } from './package-digest.js';
import { Stage } from './stage.js';

let folder: ReturnType<typeof temporaryFolder>;
let stage: Stage;
const digests = new PackageDigests();

beforeEach(() => {
  folder = temporaryFolder({ 'tool.py': patchTool({ name: 'tool' }), 'data/words.txt': 'one\n' });
  stage = new Stage(digests);
});
afterEach(() => {
  stage.close();
  folder.remove();
});

function load(): LoadedPackage {
  const bundle = folderBundle({ root: folder.path, manifest: 'tool.py', singleFile: false, displayRoot: '' });
  const pkg = inspect(formatNamed('patch'), bundle).package;
  if (pkg === undefined) throw new Error('the tool is broken');
  const catalog = { package: pkg, announced: [], digest: digests.of(pkg, bundle) };
  return { path: '', file: '', format: 'patch', bundle, diagnostics: [], catalog };
}

test('a package is copied once, completely, and readable for other users', async () => {
  const loaded = load();
  const copy = await stage.folderFor(loaded);
  expect(statSync(join(copy, 'data', 'words.txt')).mode & 0o777).toBe(0o755);
  expect(await stage.folderFor(loaded)).toBe(copy);
});

test('a file that changed after the check is rejected', async () => {
  const loaded = load();
  writeFileSync(join(folder.path, 'data', 'words.txt'), 'two\n');
  await expect(stage.folderFor(loaded)).rejects.toThrow(expect.objectContaining({ code: 'integrity' }));
});

test('a file that was added after the check is rejected', async () => {
  const loaded = load();
  writeFileSync(join(folder.path, 'sitecustomize.py'), 'print(1)\n');
  await expect(stage.folderFor(loaded)).rejects.toThrow(expect.objectContaining({ code: 'integrity' }));
});

test('an edit of the original does not change the copy', async () => {
  const loaded = load();
  const copy = await stage.folderFor(loaded);
  writeFileSync(join(folder.path, 'data', 'words.txt'), 'two\n');
  expect(await stage.folderFor(loaded)).toBe(copy);
});

test('a copy is made again after a cleaner removed files of it', async () => {
  const loaded = load();
  const copy = await stage.folderFor(loaded);
  rmSync(join(copy, 'data', 'words.txt'));
  expect(readFileSync(join(await stage.folderFor(loaded), 'data', 'words.txt'), 'utf8')).toBe('one\n');
  rmSync(dirname(copy), { recursive: true });
  expect(readFileSync(join(await stage.folderFor(loaded), 'tool.py'), 'utf8')).toContain('def main');
});
