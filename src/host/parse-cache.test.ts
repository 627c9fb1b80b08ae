// What was understood of a manifest is never used for files that a front end would understand in another way.
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Discovered, discover } from '../bundle/discover.js';
import { frontEnds } from '../formats/front-ends.js';
import { defaultParseOptions, inspect } from '../formats/inspect.js';
import type { Bundle } from '../model/bundle.js';
import type { Diagnostic } from '../model/diagnostic.js';
import { type Database, exclusively, openDatabase } from '../store/database.js';
import { ParseCacheRows } from '../store/parse-cache.js';
import { ParseCache } from './parse-cache.js';

const examples = join(import.meta.dirname, '..', '..', 'examples');
const usual = defaultParseOptions;
let folder: string;
let database: Database;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwharf-parse-cache-'));
  mkdirSync(join(folder, 'state'));
  database = openDatabase(join(folder, 'state'));
  cpSync(examples, join(folder, 'packages'), { recursive: true });
});
afterEach(async () => {
  await database.destroy();
  rmSync(folder, { recursive: true, force: true });
});

const found = (cwd = folder) => discover([join(folder, 'packages')], { cwd }).found;
const shelf = (build = 'one') => new ParseCacheRows(database, build, () => 1);
const fail = (error: unknown) => {
  throw error;
};

/** With counting front ends: how many manifests were read by one. */
async function readAll(cache: ParseCache, options = usual, cwd = folder) {
  let read = 0;
  const results = [];
  for (const it of found(cwd)) {
    const load = async () => {
      read += 1;
      return it.format.load();
    };
    results.push(await cache.of({ ...it, format: { ...it.format, load } }, options));
  }
  return { read, results };
}

async function readAnew(options = usual, cwd = folder) {
  return Promise.all(found(cwd).map(async (it) => inspect(await it.format.load(), it.bundle, options)));
}

test('the same files are read once, by the next host too, and mean the same', async () => {
  const first = new ParseCache(shelf(), fail);
  const count = found().length;
  expect(new Set(found().map((it) => it.format.name)).size).toBe(frontEnds.length);
  expect((await readAll(first)).read).toBe(count);
  expect((await readAll(first)).read).toBe(0);
  await first.close();
  const next = await readAll(new ParseCache(shelf(), fail));
  expect(next.read).toBe(0);
  expect(next.results).toStrictEqual(await readAnew());
});

test('another build, another folder to show paths from and other options read anew', async () => {
  const first = new ParseCache(shelf(), fail);
  const count = (await readAll(first)).read;
  await first.close();
  expect((await readAll(new ParseCache(shelf('two'), fail))).read).toBe(count);
  const strict = { agentVersion: '0.0.1', reservedIds: ['word_count'] };
  const other = await readAll(new ParseCache(shelf(), fail), strict);
  expect(other).toStrictEqual({ read: count, results: await readAnew(strict) });
  const elsewhere = await readAll(new ParseCache(shelf(), fail), usual, '/');
  expect(elsewhere).toStrictEqual({ read: count, results: await readAnew(usual, '/') });
});

test('an unreadable row is no reason to fail', async () => {
  const first = new ParseCache(shelf(), fail);
  const count = (await readAll(first)).read;
  await first.close();
  await exclusively(database, (it) => it.exec('update parse_cache set made = substr(made, 1, 40)'));
  const again = await readAll(new ParseCache(shelf(), fail));
  expect(again).toStrictEqual({ read: count, results: await readAnew() });
});

/** Every file and folder below the packages. */
function everything(): string[] {
  return readdirSync(join(folder, 'packages'), { recursive: true, encoding: 'utf8' }).sort();
}

type Edit = (path: string) => void;

const edits: Readonly<Record<string, Edit>> = {
  append: (path) => appendFileSync(path, '\n# more\n'),
  garble: (path) => writeFileSync(path, '{ "name": '),
  empty: (path) => writeFileSync(path, ''),
  flip: (path) => {
    const bytes = readFileSync(path);
    const at = bytes.length >> 1;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(path, bytes);
  },
  remove: (path) => rmSync(path, { recursive: true }),
  'make a folder of': (path) => {
    rmSync(path, { recursive: true });
    mkdirSync(path);
  },
  'link away': (path) => {
    rmSync(path, { recursive: true });
    symlinkSync('/etc/hostname', path);
  },
  'link to itself': (path) => {
    rmSync(path, { recursive: true });
    symlinkSync(path, path);
  },
  rename: (path) => renameSync(path, `${path}.old`),
  'add beside': (path) => writeFileSync(`${path}.mjs`, 'export function handler() {}\n'),
  'build beside': (path) => {
    mkdirSync(join(path, '..', 'dist'), { recursive: true });
    writeFileSync(join(path, '..', 'dist', 'index.mjs'), 'export function handler() {}\n');
  },
};

test('after any edits the result is that of a front end that reads now', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...Object.keys(edits)), fc.nat()), { minLength: 1, maxLength: 3 }),
      fc.boolean(),
      async (steps, restart) => {
        rmSync(join(folder, 'packages'), { recursive: true });
        cpSync(examples, join(folder, 'packages'), { recursive: true });
        let cache = new ParseCache(shelf(), fail);
        await readAll(cache);
        for (const [name, number] of steps) {
          const all = everything();
          const path = join(folder, 'packages', all[number % all.length] as string);
          try {
            edits[name]?.(path);
          } catch {
            // Not every edit is one for every file.
          }
          if (restart) {
            await cache.close();
            cache = new ParseCache(shelf(), fail);
          }
          expect((await readAll(cache)).results).toStrictEqual(await readAnew());
        }
      },
    ),
    { numRuns: 10, seed: 11 },
  );
});

test('what changes while it is read is not kept', async () => {
  const [talos] = found().filter((it) => it.format.name === 'talos');
  if (talos === undefined) throw new Error('there is no such example');
  const format = await talos.format.load();
  const cache = new ParseCache(null, fail);
  let changing = true;
  const restless = {
    ...talos.bundle,
    read: (path: string) => {
      const entry = talos.bundle.read(path);
      if (changing && entry.kind === 'file')
        return { ...entry, bytes: Buffer.concat([entry.bytes, Buffer.from(' ')]) };
      return entry;
    },
  };
  let reads = 0;
  const twice = {
    ...format,
    parse: (bundle: typeof talos.bundle, options: typeof usual) => {
      reads += 1;
      bundle.read(bundle.manifest);
      changing = false;
      return format.parse(bundle, options);
    },
  };
  const discovered = { ...talos, bundle: restless, format: { ...talos.format, load: async () => twice } };
  await cache.of(discovered, usual);
  await cache.of(discovered, usual);
  await cache.of(discovered, usual);
  expect(reads).toBe(2);
});

/** A package in memory: an example with much to read, and how often its front end was asked. */
function largePackages() {
  const [example] = found().filter((it) => it.format.name === 'patch');
  if (example === undefined) throw new Error('there is no such example');
  const { manifest, folder: name } = example.bundle;
  const { bytes } = example.bundle.read(manifest) as { bytes: Uint8Array };
  const filled = Buffer.concat([bytes, Buffer.from(`\n# ${'x'.repeat(78)}`.repeat(10_000))]);
  const counted = { read: 0 };
  const load = async () => {
    counted.read += 1;
    const parse = (shown: Bundle) => {
      shown.read(manifest);
      return { diagnostics: [] };
    };
    return { ...(await example.format.load()), parse };
  };
  const bundle: Bundle = {
    manifest,
    folder: name,
    files: () => [manifest],
    display: (path) => path,
    read: () => ({ kind: 'file', bytes: filled }),
  };
  const at = (index: number) => ({
    ...example,
    path: `${example.path}.${index}`,
    format: { ...example.format, load },
    bundle,
  });
  return { at, counted };
}

test('whoever writes large manifests again and again does not fill the memory', async () => {
  const { at, counted } = largePackages();
  const cache = new ParseCache(null, fail);
  for (const index of [0, 0, 0]) await cache.of(at(index), usual);
  expect(counted.read).toBe(1);
  for (let index = 1; index < 100; index++) await cache.of(at(index), usual);
  expect(counted.read).toBe(100);
  await cache.of(at(99), usual);
  expect(counted.read).toBe(100);
  // The first ones had to go.
  await cache.of(at(0), usual);
  expect(counted.read).toBe(101);
});

test('what takes much room is not kept for the next host', async () => {
  const kept: string[] = [];
  const noting = {
    get: async () => undefined,
    keep: async (all: ReadonlyMap<string, string>) => void kept.push(...all.values()),
  };
  const { at } = largePackages();
  const cache = new ParseCache(noting, fail);
  const saying = (length: number) => {
    const real = at(length);
    const message = 'x'.repeat(length);
    const load = async () => {
      const format = await (found()[0] as Discovered).format.load();
      const [first] = inspect(
        format,
        { ...real.bundle, read: () => ({ kind: 'missing' }) },
        usual,
      ).diagnostics;
      return { ...format, parse: () => ({ diagnostics: [{ ...(first as Diagnostic), message }] }) };
    };
    return { ...real, format: { ...real.format, load } };
  };
  await cache.of(saying(1000), usual);
  await cache.of(saying(300_000), usual);
  await cache.close();
  expect(kept).toEqual([expect.stringContaining('x'.repeat(1000))]);
  expect(kept[0]?.length).toBeLessThan(10_000);
});
