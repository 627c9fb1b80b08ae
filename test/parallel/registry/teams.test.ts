// A namespace of a team: two of three keys must sign, and each key is on another machine. All with the real command.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { documentIn } from '../../support/json-documents.js';
import { temporaryFolder, toolwharf } from '../../support/toolwharf.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const folder = temporaryFolder();
const at = (path: string) => join(folder.path, path);
// biome-ignore lint/suspicious/noExplicitAny: documents are checked by their schemas when they are read.
type Facts = Record<string, any>;

const run = (...words: string[]) => toolwharf([...words, '--state', at('state')], { cwd: folder.path });
async function json(words: readonly string[], code = 0): Promise<Facts> {
  const outcome = await run(...words, '--json');
  expect(outcome.code, `${words.join(' ')}\n${outcome.stdout}${outcome.stderr}`).toBe(code);
  return documentIn(outcome.stdout).value as Facts;
}

const members = ['ann', 'ben', 'eve'];
/** On her machine, each member reads a copy of the registry; only the operator has the online keys. */
const copy = ['--to', 'copy'];
const mirror = async () => {
  rmSync(at('copy'), { recursive: true, force: true });
  rmSync(at('copy.data'), { recursive: true, force: true });
  await json(['registry', 'mirror', 'registry', 'copy']);
};
const send = (file: string, code = 0) =>
  json(['registry', 'send', file, '--to', 'registry', '--keys', 'registry.keys'], code);

beforeAll(async () => {
  await json(['registry', 'init', 'registry']);
  const keys = [];
  for (const it of members)
    keys.push((await json(['registry', 'keys', 'create', it, '--keys', `${it}.keys`])).facts.key);
  await json(['registry', 'approve', 'team', ...keys, '--threshold', '2', '--registry', 'registry']);
  const tool = readFileSync(join(import.meta.dirname, '../../../examples/patch/word_count.py'));
  mkdirSync(at('tool'));
  writeFileSync(at('tool/word_count.py'), tool);
});
afterAll(() => folder.remove());

test('a release is published once two members signed it, one after the other', async () => {
  const publish = ['publish', 'tool', '--to', 'registry', '--namespace', 'team', '--keys', 'registry.keys'];
  const mine = [...publish, '--keys', 'ann.keys'];
  // The control: one signature is not enough, and nobody is asked to look at the package.
  expect(await json(mine, 5)).toMatchObject({ error: { code: 'denied' } });
  // The operator screens it; a person at the registry approves the archive.
  const { review } = await json([...mine, '--save', 'release.json'], 5);
  const entry = (await json(['registry', 'review', 'show', review, '--registry', 'registry'])).entries[0];
  await json(['registry', 'review', 'approve', review, '--registry', 'registry', '--sha256', entry.sha256]);

  await json([...mine, '--save', 'release.json']);
  await send('release.json', 5);
  await mirror();
  const unseen = await run('registry', 'sign', 'release.json', ...copy, '--keys', 'ben.keys');
  expect([unseen.code, unseen.stderr]).toEqual([
    5,
    expect.stringContaining('publishes team/word_count 1.0.0'),
  ]);
  const sign = ['registry', 'sign', 'release.json', ...copy, '--yes'];
  // Twice the same person counts once, and a key of somebody else does not count.
  expect((await json([...sign, '--keys', 'ann.keys'])).facts).toMatchObject({ signatures: 1, needed: 2 });
  await json(['registry', 'keys', 'create', 'mallory', '--keys', 'mallory.keys']);
  expect((await json([...sign, '--keys', 'mallory.keys'])).facts.signatures).toBe(1);
  cpSync(at('release.json'), at('before.json'));
  expect((await json([...sign, '--keys', 'ben.keys'])).facts).toMatchObject({
    ...{ signatures: 2, needed: 2 },
    releases: [{ name: 'team/word_count', version: '1.0.0', sha256: entry.sha256 }],
  });
  await send('before.json', 5);
  await send('release.json');
  expect((await json(['registry', 'verify', 'registry'])).facts).toMatchObject({ ok: true, releases: 1 });
  // The same file again is not the next one.
  await send('release.json', 2);
});

test('a withdrawal and a renewal need two members too', async () => {
  await mirror();
  const yank = ['registry', 'yank', 'team/word_count@1.0.0', '--reason', 'wrong', ...copy];
  await json([...yank, '--keys', 'eve.keys', '--save', 'yank.json']);
  await send('yank.json', 5);
  await json(['registry', 'sign', 'yank.json', ...copy, '--yes', '--keys', 'ben.keys']);
  await send('yank.json');
  await mirror();
  await json(['registry', 'renew', 'team', ...copy, '--keys', 'ann.keys', '--save', 'renew.json']);
  await json(['registry', 'sign', 'renew.json', ...copy, '--yes', '--keys', 'eve.keys']);
  await send('renew.json');
  const { owners } = (await json(['registry', 'owners', 'team', '--registry', 'registry'])).facts;
  expect(owners).toMatchObject([{ namespace: 'team', threshold: 2, releases: 1 }]);
  expect(owners[0].keys.length).toBe(3);
});

test('a new owner signs on a machine of its own what was there, and the operator replaces the keys with that file', async () => {
  await mirror();
  const { key } = (await json(['registry', 'keys', 'create', 'zoe', '--keys', 'zoe.keys'])).facts;
  const replace = ['registry', 'approve', 'team', key, '--replace', '--registry', 'registry'];
  // The control: without what the new owner signed, the registry would become invalid.
  await json(replace, 5);
  await json(['registry', 'renew', 'team', ...copy, '--keys', 'zoe.keys', '--save', 'zoe.json']);
  const signed = JSON.parse(readFileSync(at('zoe.json'), 'utf8'));
  const other = { ...signed, metadata: signed.metadata.replace('"yanked":"wrong"', '"yanked":"right"') };
  writeFileSync(at('other.json'), JSON.stringify(other));
  await json([...replace, '--signed', 'other.json'], 6);
  await json([...replace, '--signed', 'zoe.json']);
  expect((await json(['registry', 'verify', 'registry'])).facts).toMatchObject({ ok: true, releases: 1 });
  const { owners } = (await json(['registry', 'owners', '--registry', 'registry'])).facts;
  expect(owners).toMatchObject([{ namespace: 'team', keys: [key], threshold: 1 }]);
});

test.each(['', '{}', 'not JSON', '{"schema":"toolwharf/publication@1","namespace":"../x","metadata":"{}"}'])(
  'a file that says %j is a wrong use',
  async (text) => {
    writeFileSync(at('wrong.json'), text);
    const outcome = await run(
      'registry',
      'sign',
      'wrong.json',
      '--to',
      'registry',
      '--keys',
      'ann.keys',
      '--yes',
    );
    expect([outcome.code, outcome.stderr]).toEqual([2, expect.stringContaining('--save FILE')]);
  },
);

test('nobody at the registry looks at a package that its publisher may not publish', async () => {
  const waiting = async () =>
    (await json(['registry', 'review', 'list', '--registry', 'registry'])).entries.length;
  const before = await waiting();
  const publish = ['publish', 'tool', '--to', 'registry', '--keys', 'registry.keys', '--keys', 'ann.keys'];
  expect((await run(...publish)).stderr).toContain('nobody was approved for the namespace word_count');
  mkdirSync(at('next'));
  const text = readFileSync(at('tool/word_count.py'), 'utf8').replace('version: "1.0.0"', 'version: "1.1.0"');
  writeFileSync(at('next/word_count.py'), text);
  const other = ['publish', 'next', '--to', 'registry', '--namespace', 'team', '--keys', 'registry.keys'];
  expect((await run(...other, '--keys', 'mallory.keys')).code).toBe(5);
  expect(await waiting()).toBe(before);
});
