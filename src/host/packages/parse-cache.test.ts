// A cached parse result is never used for files that would be parsed differently now.
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
import { type DiscoveredManifest, discover } from '../../bundle/discover.js';
import { builtInFormats } from '../../formats/built-in-formats.js';
import { defaultParseOptions, inspect } from '../../formats/inspect.js';
import type { Bundle } from '../../model/bundle.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { ParseCacheRows } from '../../store/parse-cache.js';
import { type SqliteDatabase as Database, openDatabase } from '../../store/sqlite/sqlite-database.js';
import { ParseCache } from './parse-cache.js';

const examples = join(import.meta.dirname, '..', '..', '..', 'examples');
const defaults = defaultParseOptions;
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

const found = (cwd = folder) => discover([join(folder, 'packages')], { cwd, formats: builtInFormats }).found;
const store = (build = 'one') => new ParseCacheRows(database, build, () => 1);
const fail = (error: unknown) => {
  throw error;
};

/** Parses all packages through the cache. `parsed`: how many of them were not in the cache. */
async function parseAll(cache: ParseCache, options = defaults, cwd = folder) {
  let parsed = 0;
  const results = [];
  for (const it of found(cwd)) {
    const load = async () => {
      parsed += 1;
      return it.format.load();
    };
    results.push(await cache.parse({ ...it, format: { ...it.format, load } }, options));
  }
  return { parsed, results };
}

async function parseWithoutCache(options = defaults, cwd = folder) {
  return Promise.all(found(cwd).map(async (it) => inspect(await it.format.load(), it.bundle, options)));
}

test('unchanged files are parsed once, even across two hosts, with the same result', async () => {
  const first = new ParseCache(store(), fail);
  const count = found().length;
  expect(new Set(found().map((it) => it.format.name)).size).toBe(builtInFormats.length);
  expect((await parseAll(first)).parsed).toBe(count);
  expect((await parseAll(first)).parsed).toBe(0);
  await first.close();
  const next = await parseAll(new ParseCache(store(), fail));
  expect(next.parsed).toBe(0);
  expect(next.results).toStrictEqual(await parseWithoutCache());
});

test('another build, another base folder for shown paths, or other options cause a new parse', async () => {
  const first = new ParseCache(store(), fail);
  const count = (await parseAll(first)).parsed;
  await first.close();
  expect((await parseAll(new ParseCache(store('two'), fail))).parsed).toBe(count);
  const strict = { agentVersion: '0.0.1', reservedIds: ['word_count'] };
  const other = await parseAll(new ParseCache(store(), fail), strict);
  expect(other).toStrictEqual({ parsed: count, results: await parseWithoutCache(strict) });
  const elsewhere = await parseAll(new ParseCache(store(), fail), defaults, '/');
  expect(elsewhere).toStrictEqual({ parsed: count, results: await parseWithoutCache(defaults, '/') });
});

test('a damaged row is ignored and the file is parsed again', async () => {
  const first = new ParseCache(store(), fail);
  const count = (await parseAll(first)).parsed;
  await first.close();
  await database.withConnection((it) => it.exec('update parse_cache set made = substr(made, 1, 40)'));
  const again = await parseAll(new ParseCache(store(), fail));
  expect(again).toStrictEqual({ parsed: count, results: await parseWithoutCache() });
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

test('after any edits the result equals that of a parse without the cache', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...Object.keys(edits)), fc.nat()), { minLength: 1, maxLength: 3 }),
      fc.boolean(),
      async (steps, restart) => {
        rmSync(join(folder, 'packages'), { recursive: true });
        cpSync(examples, join(folder, 'packages'), { recursive: true });
        let cache = new ParseCache(store(), fail);
        await parseAll(cache);
        for (const [name, number] of steps) {
          const all = everything();
          const path = join(folder, 'packages', all[number % all.length] as string);
          try {
            edits[name]?.(path);
          } catch {
            // Not every edit applies to every file.
          }
          if (restart) {
            await cache.close();
            cache = new ParseCache(store(), fail);
          }
          expect((await parseAll(cache)).results).toStrictEqual(await parseWithoutCache());
        }
      },
    ),
    { numRuns: 10, seed: 11 },
  );
});

test('a package that changes while it is parsed is not cached', async () => {
  const [talos] = found().filter((it) => it.format.name === 'talos');
  if (talos === undefined) throw new Error('there is no such example');
  const format = await talos.format.load();
  const cache = new ParseCache(null, fail);
  let changing = true;
  const changingBundle = {
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
    parse: (bundle: typeof talos.bundle, options: typeof defaults) => {
      reads += 1;
      bundle.read(bundle.manifest);
      changing = false;
      return format.parse(bundle, options);
    },
  };
  const discovered = {
    ...talos,
    bundle: changingBundle,
    format: { ...talos.format, load: async () => twice },
  };
  await cache.parse(discovered, defaults);
  await cache.parse(discovered, defaults);
  await cache.parse(discovered, defaults);
  expect(reads).toBe(2);
});

/** Packages in memory with a large manifest, and a count of how often they were parsed. */
function largePackages() {
  const [example] = found().filter((it) => it.format.name === 'patch');
  if (example === undefined) throw new Error('there is no such example');
  const { manifest, folder: name } = example.bundle;
  const { bytes } = example.bundle.read(manifest) as { bytes: Uint8Array };
  const filled = Buffer.concat([bytes, Buffer.from(`\n# ${'x'.repeat(78)}`.repeat(10_000))]);
  const counted = { parsed: 0 };
  const load = async () => {
    counted.parsed += 1;
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
    digest: () => undefined,
  };
  const at = (index: number) => ({
    ...example,
    path: `${example.path}.${index}`,
    format: { ...example.format, load },
    bundle,
  });
  return { at, counted };
}

test('repeated edits of large manifests do not fill the memory', async () => {
  const { at, counted } = largePackages();
  const cache = new ParseCache(null, fail);
  for (const index of [0, 0, 0]) await cache.parse(at(index), defaults);
  expect(counted.parsed).toBe(1);
  for (let index = 1; index < 100; index++) await cache.parse(at(index), defaults);
  expect(counted.parsed).toBe(100);
  await cache.parse(at(99), defaults);
  expect(counted.parsed).toBe(100);
  // The first entries were dropped.
  await cache.parse(at(0), defaults);
  expect(counted.parsed).toBe(101);
});

test('a large entry is not stored for the next host', async () => {
  const kept: string[] = [];
  const recordingStore = {
    get: async () => undefined,
    keep: async (all: ReadonlyMap<string, string>) => void kept.push(...all.values()),
  };
  const { at } = largePackages();
  const cache = new ParseCache(recordingStore, fail);
  const withMessage = (length: number) => {
    const real = at(length);
    const message = 'x'.repeat(length);
    const load = async () => {
      const format = await (found()[0] as DiscoveredManifest).format.load();
      const [first] = inspect(
        format,
        { ...real.bundle, read: () => ({ kind: 'missing' }) },
        defaults,
      ).diagnostics;
      return { ...format, parse: () => ({ diagnostics: [{ ...(first as Diagnostic), message }] }) };
    };
    return { ...real, format: { ...real.format, load } };
  };
  await cache.parse(withMessage(1000), defaults);
  await cache.parse(withMessage(300_000), defaults);
  await cache.close();
  expect(kept).toEqual([expect.stringContaining('x'.repeat(1000))]);
  expect(kept[0]?.length).toBeLessThan(10_000);
});
