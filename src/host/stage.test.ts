import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { patchTool, temporaryFolder } from '../../test/toolwharf.js';
import { folderBundle } from '../bundle/folder.js';
import { formatNamed, inspect } from '../formats/index.js';
import { digestOf, type Loaded } from './catalog.js';
import { Stage } from './stage.js';

let folder: ReturnType<typeof temporaryFolder>;
let stage: Stage;
beforeEach(() => {
  folder = temporaryFolder({ 'tool.py': patchTool({ name: 'tool' }), 'data/words.txt': 'one\n' });
  stage = new Stage();
});
afterEach(() => {
  stage.close();
  folder.remove();
});

function load(): Loaded {
  const bundle = folderBundle({ root: folder.path, manifest: 'tool.py', single: false, shown: '' });
  const understood = inspect(formatNamed('patch'), bundle).package;
  if (understood === undefined) throw new Error('the tool is broken');
  const catalog = { package: understood, announced: [], digest: digestOf(understood, bundle) };
  return { path: '', file: '', format: 'patch', bundle, diagnostics: [], catalog };
}

test('the copy is whole, readable by others, and made once', async () => {
  const loaded = load();
  const place = await stage.place(loaded);
  expect(statSync(join(place, 'data', 'words.txt')).mode & 0o777).toBe(0o755);
  expect(await stage.place(loaded)).toBe(place);
});

test('a file that changed after the check is refused', async () => {
  const loaded = load();
  writeFileSync(join(folder.path, 'data', 'words.txt'), 'two\n');
  await expect(stage.place(loaded)).rejects.toThrow(expect.objectContaining({ code: 'integrity' }));
});

test('a file that came after the check is refused', async () => {
  const loaded = load();
  writeFileSync(join(folder.path, 'sitecustomize.py'), 'print(1)\n');
  await expect(stage.place(loaded)).rejects.toThrow(expect.objectContaining({ code: 'integrity' }));
});

test('a copy that was made stays as it was', async () => {
  const loaded = load();
  const place = await stage.place(loaded);
  writeFileSync(join(folder.path, 'data', 'words.txt'), 'two\n');
  expect(await stage.place(loaded)).toBe(place);
});

test('a copy that a cleaner damaged is made anew', async () => {
  const loaded = load();
  const place = await stage.place(loaded);
  rmSync(join(place, 'data', 'words.txt'));
  expect(readFileSync(join(await stage.place(loaded), 'data', 'words.txt'), 'utf8')).toBe('one\n');
  rmSync(dirname(place), { recursive: true });
  expect(readFileSync(join(await stage.place(loaded), 'tool.py'), 'utf8')).toContain('def main');
});
