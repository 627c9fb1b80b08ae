// The V8 code cache of the command is used at each start, and only for the exact script it was made from.
import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { main, temporaryFolder } from '../support/toolwharf.js';

const saveCompiled = join(import.meta.dirname, '../../scripts/save-compiled.mjs');

function run(path: string, args: readonly string[] = []): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args, path], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return stdout;
}

/** The launcher with a test script and its code cache. */
function compiled(text: string): { readonly path: string; readonly script: string; readonly cache: string } {
  const { path: folder, remove } = temporaryFolder();
  onTestFinished(remove);
  const path = join(folder, 'main.cjs');
  copyFileSync(main, path);
  const script = join(folder, 'command.cjs');
  writeFileSync(script, text);
  run(path, ['--import', saveCompiled]);
  return { path, script, cache: join(folder, 'command.v8') };
}

test('this Node accepts the code caches of the build', () => {
  const folder = join(main, '..');
  const made = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((it) => it.endsWith('.v8'));
  expect(made.length).toBeGreaterThan(10);
  for (const it of made) {
    const text = readFileSync(join(folder, it.replace(/v8$/, 'cjs')), 'latin1');
    const script = new Script(`(function (exports, require, module, __filename, __dirname) {${text}\n})`, {
      cachedData: readFileSync(join(folder, it)).subarray(32),
    });
    expect(script.cachedDataRejected, it).toBe(false);
  }
});

test('an edited script runs without the old code cache, which V8 itself would accept', () => {
  const old = 'process.stdout.write("one");';
  const edited = old.replace('one', 'two');
  const { path, script, cache } = compiled(old);
  const cachedData = new Script(`(() => {${old}})`).createCachedData();
  // Control: V8 does not notice the edit.
  expect(new Script(`(() => {${edited}})`, { cachedData }).cachedDataRejected).toBe(false);
  const before = readFileSync(cache);
  expect(run(path)).toBe('one');
  writeFileSync(script, edited);
  expect(run(path)).toBe('two');
  expect(readFileSync(cache).equals(before)).toBe(true);
});

test('a damaged, truncated or empty code cache is not used', () => {
  const { path, cache } = compiled('process.stdout.write("one");');
  const valid = readFileSync(cache);
  const damaged = Buffer.from(valid);
  damaged[damaged.length - 8] = (damaged[damaged.length - 8] as number) ^ 1;
  for (const bytes of [damaged, valid.subarray(0, 40), Buffer.alloc(0), Buffer.alloc(200)]) {
    writeFileSync(cache, bytes);
    expect(run(path)).toBe('one');
  }
});

test('files with String.raw texts contain only ASCII, which the build does not escape', () => {
  const src = join(import.meta.dirname, '../../src');
  const raw = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((it) => it.endsWith('.ts') && !it.endsWith('.test.ts'))
    .filter((it) => readFileSync(join(src, it), 'utf8').includes('String.raw'));
  expect(raw.length).toBeGreaterThan(3);
  const wrong = raw.filter((it) =>
    [...readFileSync(join(src, it), 'utf8')].some((character) => character > '\x7f'),
  );
  expect(wrong).toEqual([]);
});

test('the former file name of the command still starts it', () => {
  expect(spawnSync(process.execPath, [main.replace(/cjs$/, 'js'), '--version']).status).toBe(0);
});
