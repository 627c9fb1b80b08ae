// What V8 made of the command's scripts is used at each start, and only with the very bytes it was made from.
import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { main, temporaryFolder } from './toolwharf.js';

const keep = join(import.meta.dirname, '..', 'scripts', 'keep-compiled.mjs');

function run(path: string, words: readonly string[] = []): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...words, path], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return stdout;
}

/** The launcher with one script of its own, which was compiled. */
function compiled(text: string): { readonly path: string; readonly script: string; readonly kept: string } {
  const { path: folder, remove } = temporaryFolder();
  onTestFinished(remove);
  const path = join(folder, 'main.cjs');
  copyFileSync(main, path);
  const script = join(folder, 'command.cjs');
  writeFileSync(script, text);
  run(path, ['--import', keep]);
  return { path, script, kept: join(folder, 'command.v8') };
}

test('what was compiled when the command was built fits this Node', () => {
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

test('an edited script runs as it is, although V8 would take what it made of the old one', () => {
  const old = 'process.stdout.write("one");';
  const edited = old.replace('one', 'two');
  const { path, script, kept } = compiled(old);
  const cachedData = new Script(`(() => {${old}})`).createCachedData();
  // The control: V8 does not notice.
  expect(new Script(`(() => {${edited}})`, { cachedData }).cachedDataRejected).toBe(false);
  const before = readFileSync(kept);
  expect(run(path)).toBe('one');
  writeFileSync(script, edited);
  expect(run(path)).toBe('two');
  expect(readFileSync(kept).equals(before)).toBe(true);
});

test('what was damaged, cut or emptied is not used', () => {
  const { path, kept } = compiled('process.stdout.write("one");');
  const sound = readFileSync(kept);
  const damaged = Buffer.from(sound);
  damaged[damaged.length - 8] = (damaged[damaged.length - 8] as number) ^ 1;
  for (const bytes of [damaged, sound.subarray(0, 40), Buffer.alloc(0), Buffer.alloc(200)]) {
    writeFileSync(kept, bytes);
    expect(run(path)).toBe('one');
  }
});

test('texts that are taken as they stand have no letters that the build would spell out', () => {
  const src = join(import.meta.dirname, '..', 'src');
  const raw = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((it) => it.endsWith('.ts') && !it.endsWith('.test.ts'))
    .filter((it) => readFileSync(join(src, it), 'utf8').includes('String.raw'));
  expect(raw.length).toBeGreaterThan(3);
  const wrong = raw.filter((it) => [...readFileSync(join(src, it), 'utf8')].some((sign) => sign > '\x7f'));
  expect(wrong).toEqual([]);
});

test('the former name of the command starts it too', () => {
  expect(spawnSync(process.execPath, [main.replace(/cjs$/, 'js'), '--version']).status).toBe(0);
});
