// The content store on a real disk: whole trees or nothing, read-only, shared files, and what is left after a kill.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { removeTree } from '../../../src/environment/file-tree.js';
import { contentStore } from '../../../src/sources/content-store.js';
import type { TreeFile } from '../../../src/sources/tree-file.js';

/** A program that adds and removes trees until it is killed. */
async function adder(): Promise<string> {
  const input = join(base, 'adder.mts');
  writeFileSync(
    input,
    `import { contentStore } from ${JSON.stringify(join(import.meta.dirname, '../../../src/sources/content-store.ts'))};
    let count = 0;
    const store = contentStore({ folder: process.argv[2], newName: () => String(count) });
    const { signal } = new AbortController();
    for (;;) {
      count += 1;
      const files = Array.from({ length: 12 }, (_, it) => ({
        path: \`d\${it % 3}/f\${it}\`, executable: false, bytes: Buffer.alloc(6000, \`\${process.pid} \${it} \${it % 2 && count}\`),
      }));
      const { digest } = await store.add(files, { signal });
      if (count === 1) console.log('ready');
      if (count % 3 === 0) await store.remove(digest);
    }`,
  );
  const bundle = await rolldown({ input, platform: 'node', logLevel: 'silent' });
  const file = join(base, 'adder.mjs');
  await bundle.write({ file, format: 'esm' });
  await bundle.close();
  return file;
}

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'content-'));
});
afterEach(() => removeTree(base));

const open = () => contentStore({ folder: join(base, 'store'), newName: () => randomUUID().slice(0, 8) });
const { signal } = new AbortController();

function file(path: string, text: string, executable = false): TreeFile {
  return { path, executable, bytes: Buffer.from(text) };
}

/** Every file and folder of the store below `trees`, `files` and `staging`. */
function listing(): string[] {
  return readdirSync(join(base, 'store'), { recursive: true, encoding: 'utf8' }).sort();
}

describe('a tree', () => {
  test('is stored read-only with its executable bits, under a digest of names, bits and contents', async () => {
    const store = open();
    const tree = await store.add([file('a', 'one'), file('b/run', 'two', true)], { signal });
    expect(tree).toMatchObject({ bytes: 6, files: 2, folder: store.path(tree.digest) });
    expect(readFileSync(join(tree.folder, 'b/run'), 'utf8')).toBe('two');
    expect(statSync(join(tree.folder, 'a')).mode & 0o777).toBe(0o444);
    expect(statSync(join(tree.folder, 'b/run')).mode & 0o777).toBe(0o555);
    expect(statSync(join(tree.folder, 'b')).mode & 0o777).toBe(0o555);
    expect(await store.verify(tree.digest)).toEqual({ ...tree, created: false });
    const others = [
      [file('a', 'one'), file('b/run', 'two')],
      [file('a', 'One'), file('b/run', 'two', true)],
      [file('a', 'one'), file('b/ran', 'two', true)],
    ];
    for (const it of others) expect((await store.add(it, { signal })).digest).not.toBe(tree.digest);
    const reversed = await store.add([file('b/run', 'two', true), file('a', 'one')], { signal });
    expect(reversed.digest).toBe(tree.digest);
  });

  test('loses a folder that contains everything, except one that formats look for', async () => {
    const store = open();
    const plain = await store.add([file('x', '1'), file('y/z', '2')], { signal });
    const wrapped = [file('repo-1/x', '1'), file('repo-1/y/z', '2')];
    expect((await store.add(wrapped, { signal, withoutTopFolder: true })).digest).toBe(plain.digest);
    expect((await store.add(wrapped, { signal })).digest).not.toBe(plain.digest);
    const skills = await store.add([file('skills/a/SKILL.md', '')], { signal, withoutTopFolder: true });
    expect(existsSync(join(skills.folder, 'skills/a/SKILL.md'))).toBe(true);
  });

  test('changes the mode of no folder outside itself', async () => {
    const outside = mkdtempSync(join(base, 'outside-'));
    chmodSync(outside, 0o755);
    let names = 0;
    const store = contentStore({ folder: join(outside, 'store'), newName: () => `n${names++}` });
    const files = [file('repo-1/x', '1'), file('repo-1/y/z', '2')];
    const tree = await store.add(files, { signal, withoutTopFolder: true });
    expect(statSync(join(tree.folder, 'y')).mode & 0o777).toBe(0o555);
    expect(statSync(outside).mode & 0o777).toBe(0o755);
    for (const it of ['store', 'store/trees']) expect(statSync(join(outside, it)).mode & 0o777).toBe(0o711);
  });

  test('that somebody changed is reported with both digests, and stored again by the next add', async () => {
    const store = open();
    const files = [file('a', 'one')];
    const { digest, folder } = await store.add(files, { signal });
    chmodSync(join(folder, 'a'), 0o644);
    writeFileSync(join(folder, 'a'), 'two');
    const problem = await store.verify(digest).catch((error: unknown) => error);
    expect(problem).toMatchObject({ code: 'integrity' });
    expect((problem as Error).message).toMatch(new RegExp(`expected ${digest}, found [0-9a-f]{64}$`));
    expect((await store.add(files, { signal })).digest).toBe(digest);
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('one');
  });

  test('shares equal files with other trees, and a removed tree leaves nothing of its own', async () => {
    const store = open();
    const shared = 's'.repeat(10_000);
    const first = await store.add([file('a', shared), file('own', 'f'.repeat(9000))], { signal });
    const before = listing();
    const second = await store.add([file('b', shared), file('other', 'g'.repeat(9000))], { signal });
    expect(statSync(join(first.folder, 'a')).ino).toBe(statSync(join(second.folder, 'b')).ino);
    const executable = await store.add([file('b', shared, true)], { signal });
    expect(statSync(join(executable.folder, 'b')).ino).not.toBe(statSync(join(second.folder, 'b')).ino);
    await store.remove(executable.digest);
    await store.remove(second.digest);
    expect(listing()).toEqual(before);
    await store.verify(first.digest);
  });

  test('does not take over a shared file that is damaged', async () => {
    const store = open();
    const text = 's'.repeat(10_000);
    const first = await store.add([file('a', text)], { signal });
    chmodSync(join(first.folder, 'a'), 0o644);
    writeFileSync(join(first.folder, 'a'), 't'.repeat(10_000));
    const second = await store.add([file('b', text)], { signal });
    expect(readFileSync(join(second.folder, 'b'), 'utf8')).toBe(text);
  });
});

describe('after a failure', () => {
  test('of the files nothing is stored', async () => {
    const store = open();
    await store.add([file('a', 'one')], { signal });
    const before = listing();
    const broken = async function* () {
      yield file('b', 'x'.repeat(10_000));
      throw new Error('the archive is damaged');
    };
    await expect(store.add(broken(), { signal })).rejects.toThrow('the archive is damaged');
    expect(listing()).toEqual(before);
  });

  test('a cancellation at any file leaves nothing', async () => {
    const store = open();
    await store.add([file('a', 'one')], { signal });
    const before = listing();
    for (const stopAt of [0, 1, 2, 3]) {
      const controller = new AbortController();
      const files = async function* () {
        for (let index = 0; index < 3; index += 1) {
          if (index === stopAt) controller.abort();
          yield file(`f${index}`, 'x'.repeat(5000));
        }
        if (stopAt === 3) controller.abort();
      };
      await expect(store.add(files(), { signal: controller.signal })).rejects.toMatchObject({
        code: 'canceled',
      });
      expect(listing()).toEqual(before);
    }
  });

  test('sweep removes what a killed process left, keeps named trees and the work of living processes', async () => {
    const store = open();
    const kept = await store.add([file('a', 'k'.repeat(5000))], { signal });
    const other = await store.add([file('a', 'o'.repeat(5000))], { signal });
    const child = spawn(process.execPath, ['-e', '']);
    await new Promise((done) => child.once('exit', done));
    mkdirSync(join(base, 'store/staging', `${child.pid}.dead`, 'tree'), { recursive: true });
    const living = await store.openStaging();
    expect(await store.sweep(new Set([kept.digest]))).toEqual([other.digest]);
    expect(await store.list()).toEqual([kept.digest]);
    expect(readdirSync(join(base, 'store/staging'))).toEqual([living.folder.split('/').at(-1)]);
    expect(readdirSync(join(base, 'store/files'))).toHaveLength(1);
    await living.close();
    expect(readdirSync(join(base, 'store/staging'))).toEqual([]);
  });

  test('kill -9 at random instants leaves whole trees, and sweep leaves nothing else', async () => {
    const script = await adder();
    const store = open();
    for (let round = 0; round < 6; round += 1) {
      const child = spawn(process.execPath, [script, join(base, 'store')], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const exited = new Promise((done) => child.once('exit', done));
      await new Promise((ready) => child.stdout.once('data', ready));
      // Not a wait for something: the instant of the kill is what the test varies.
      await new Promise((done) => setTimeout(done, round * 7));
      child.kill('SIGKILL');
      await exited;
      const digests = await store.list();
      for (const digest of digests) await store.verify(digest);
      expect(await store.sweep(new Set(digests))).toEqual([]);
      expect(readdirSync(join(base, 'store/staging'))).toEqual([]);
    }
    await store.sweep(new Set());
    expect(listing()).toEqual(['files', 'staging', 'trees']);
  });
});
