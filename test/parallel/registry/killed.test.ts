// Commands that are killed (SIGKILL) in the middle of what they write: readers see the old or the new state, nothing is lost,
// and the same command works when it is given again.
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { documentIn } from '../../support/json-documents.js';
import { recipe } from '../../support/registry-recipe.js';
import { type Outcome, temporaryFolder, toolwharf } from '../../support/toolwharf.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const folder = temporaryFolder();
const at = (path: string) => join(folder.path, path);
const env = { HOME: at('home'), XDG_CONFIG_HOME: at('config'), TOOLWHARF_HOME: at('state') };
const preload = join(import.meta.dirname, '../../support/killed-at.cjs');

const run = (words: readonly string[], killedAt?: string): Promise<Outcome> => {
  const killed = killedAt === undefined ? {} : { NODE_OPTIONS: `--require ${preload}`, KILLED_AT: killedAt };
  return toolwharf(words, { cwd: at('work'), env: { ...env, ...killed } });
};

// biome-ignore lint/suspicious/noExplicitAny: documents are checked by their schemas when they are read.
type Facts = Record<string, any>;

async function json(words: readonly string[], code = 0): Promise<Facts> {
  const outcome = await run([...words, '--json']);
  expect(outcome.code, `${words.join(' ')}\n${outcome.stdout}${outcome.stderr}`).toBe(code);
  return documentIn(outcome.stdout).value as Facts;
}

const publish = [
  ...['publish', 'shop-hours', '--to', 'registry', '--namespace', 'acme'],
  ...['--keys', 'registry.keys', '--keys', 'acme.keys'],
];
let root = '';

beforeAll(async () => {
  for (const it of ['home', 'config', 'work/shop-hours']) mkdirSync(at(it), { recursive: true });
  for (const [path, text] of Object.entries(recipe('shop-hours', '1.0.0')))
    writeFileSync(at(`work/shop-hours/${path}`), text);
  root = (await json(['registry', 'init', 'registry', '--name', 'packages.example'])).facts.root;
  const { key } = (await json(['registry', 'keys', 'create', 'acme', '--keys', 'acme.keys'])).facts;
  await json(['registry', 'approve', 'acme', key, '--registry', 'registry']);
  const { review } = await json(publish, 5);
  const [entry] = (await json(['registry', 'review', 'show', review, '--registry', 'registry'])).entries;
  const approve = ['registry', 'review', 'approve', review, '--registry', 'registry'];
  await json([...approve, '--sha256', entry.sha256]);
  cpSync(at('work'), at('before'), { recursive: true });
  await json(publish);
  cpSync(at('work'), at('after'), { recursive: true });
});
afterAll(() => folder.remove());

/** Everything as it was before, or after, the first publication. */
function reset(to: 'before' | 'after'): void {
  rmSync(at('work'), { recursive: true });
  cpSync(at(to), at('work'), { recursive: true });
}

const verified = async (of = 'registry'): Promise<Facts> => {
  const { facts } = await json(['registry', 'verify', of, '--root', root]);
  expect(facts).toMatchObject({ ok: true, problems: [] });
  return facts;
};
const whole = ['log', 'metadata', 'proofs', 'targets'];

// The last file of a change is the copy of the head of the log; the one that readers see is before it.
test.each([
  ['open:2', { releases: 0, unfinished: false }],
  ['rename:1', { releases: 0, unfinished: false }],
  ['rename:2', { releases: 0, unfinished: true }],
  ['rename:6', { releases: 0, unfinished: true }],
  ['rename:12', { releases: 1, unfinished: true }],
])(
  'a publication that is killed at %s is there or not, and the next one finishes it',
  async (point, seen) => {
    reset('before');
    expect((await run(publish, point)).signal).toBe('SIGKILL');
    expect(await verified()).toMatchObject(seen);
    expect((await json(publish)).status).toMatch(/^(published|exists)$/);
    expect(await verified()).toMatchObject({ releases: 1 });
  },
);

test.each(['open:2', 'rename:1', 'rename:6'])(
  'a mirror that is killed at %s is completed by the next one, and leaves nothing else',
  async (point) => {
    reset('after');
    const mirror = ['registry', 'mirror', 'registry', 'copy', '--root', root];
    expect((await run(mirror, point)).signal).toBe('SIGKILL');
    expect((await json(mirror)).facts.releases).toBe(1);
    expect(await verified('copy')).toMatchObject({ releases: 1, unfinished: false });
    expect(readdirSync(at('work/copy')).sort()).toEqual(whole);
  },
);

const rotate = ['registry', 'rotate', 'snapshot', 'timestamp', 'log', '--registry', 'registry'];

test('a rotation that is killed before it was decided can be made again on the same day', async () => {
  reset('before');
  expect((await run(rotate, 'rename:1')).signal).toBe('SIGKILL');
  expect(await verified()).toMatchObject({ releases: 0, unfinished: false });
  const before = readdirSync(at('work/registry.keys')).length;
  await json(rotate);
  expect(readdirSync(at('work/registry.keys')).length).toBe(before + 3);
  await json(publish);
  expect(await verified()).toMatchObject({ releases: 1 });
});

test.each(['rename:2', 'rename:4'])(
  'a rotation that is killed at %s is finished by the next change, which signs with the new keys',
  async (point) => {
    reset('before');
    expect((await run(rotate, point)).signal).toBe('SIGKILL');
    expect(await verified()).toMatchObject({ releases: 0, unfinished: true });
    expect((await json(publish)).status).toBe('published');
    await json(rotate);
    expect(await verified()).toMatchObject({ releases: 1, unfinished: false });
  },
);

test('an init that was killed says which keys it left, and what to do', async () => {
  const init = ['registry', 'init', 'new', '--name', 'other.example'];
  expect((await run(init, 'rename:1')).signal).toBe('SIGKILL');
  const again = await run(init);
  expect([again.code, again.stdout]).toEqual([2, '']);
  expect(again.stderr).toMatch(/new\.keys has a key root-1 already, and .*new has no registry/);
  expect(again.stderr).toContain('delete those keys');
  rmSync(at('work/new.keys'), { recursive: true });
  await json(init);
});
