// A publisher and a consumer with the real command: two state folders and two configurations, with a server on loopback
// between them, and then with nothing but a copied folder.
import type { ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { documentIn } from '../../support/json-documents.js';
import { type Outcome, temporaryFolder, toolwharf, until } from '../../support/toolwharf.js';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const examples = join(import.meta.dirname, '../../../examples');
/** One package of every format, as it is called in the registry. */
const packages = [
  { from: 'patch/word_count.py', path: 'word_count.py', id: 'word_count' },
  { from: 'talos/webhook-signatures', path: 'webhook-signatures', id: 'webhook-signatures' },
  { from: 'toolspace/json-diff', path: 'json-diff', id: 'json-diff' },
  { from: 'findagent/statistics-desk', path: 'statistics-desk', id: 'statistics-desk' },
  { from: 'nexo/subnet-desk', path: 'subnet-desk', id: 'subnet-desk' },
] as const;

const folder = temporaryFolder({ secret: 'made-up-for-this-test\n' });
const at = (path: string) => join(folder.path, path);

/** A machine: nothing of its own is shared with another one. */
function machine(name: string) {
  const env = {
    HOME: at(`${name}/home`),
    XDG_CONFIG_HOME: at(`${name}/config`),
    TOOLWHARF_HOME: at(`${name}/state`),
  };
  mkdirSync(at(`${name}/home`), { recursive: true });
  mkdirSync(at(`${name}/config/toolwharf`), { recursive: true });
  mkdirSync(at(`${name}/work`), { recursive: true });
  const run = (words: readonly string[], options: Parameters<typeof toolwharf>[1] = {}) =>
    toolwharf(words, { cwd: at(`${name}/work`), env, ...options });
  return {
    run,
    /** The document that a command prints; it must end with this code. */
    async json(words: readonly string[], code = 0): Promise<Facts> {
      const outcome = await run([...words, '--json']);
      expect(outcome.code, `${words.join(' ')}\n${outcome.stdout}${outcome.stderr}`).toBe(code);
      return documentIn(outcome.stdout).value as Facts;
    },
    configure(text: string) {
      // Without a terminal all commands are one session, which is careful after the first answer.
      writeFileSync(at(`${name}/config/toolwharf/config.toml`), `[taint]\nmode = "observe"\n${text}`);
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: documents are checked by their schemas when they are read.
type Facts = Record<string, any>;

const publisher = machine('publisher');
const consumer = machine('consumer');
let server: ChildProcess | undefined;
let stopped: Promise<Outcome> | undefined;
let url = '';
let root = '';

beforeAll(async () => {
  root = (await publisher.json(['registry', 'init', 'registry', '--name', 'packages.example'])).facts.root;
  const { key } = (await publisher.json(['registry', 'keys', 'create', 'acme', '--keys', 'acme.keys'])).facts;
  await publisher.json(['registry', 'approve', 'acme', key, '--registry', 'registry']);
  const { token } = (
    await publisher.json(['registry', 'token', 'create', 'acme', 'acme', '--registry', 'registry'])
  ).facts;
  writeFileSync(at('publisher/work/token'), `${token}\n`, { mode: 0o600 });
  await startServer();
  const table = `[registries.team]\nurl = "${url}"\nroot = "${root}"\n`;
  publisher.configure(table);
  consumer.configure(table);
  for (const { from, path } of packages)
    cpSync(join(examples, from), at(`publisher/work/${path}`), { recursive: true });
});
afterAll(async () => {
  await stopServer();
  folder.remove();
});

async function startServer(...more: string[]): Promise<void> {
  let printed = '';
  stopped = publisher.run(['registry', 'serve', 'registry', '--port', '0', '--json', ...more], {
    open: true,
    during: (child) => {
      server = child;
      child.stdout?.on('data', (chunk) => {
        printed += chunk;
      });
    },
  });
  await until(() => printed.includes('\n'), 60_000);
  url = (documentIn(printed).value as Facts).facts.url;
}

async function stopServer(): Promise<void> {
  server?.kill('SIGTERM');
  await stopped;
  server = undefined;
}

/** Sends a package, lets a person approve exactly what was sent, and publishes it. */
async function publish(path: string, at: readonly string[] = atServer): Promise<void> {
  await submit(path, at);
  expect((await publisher.json(publication(path, at))).status).toBe('published');
  expect((await publisher.json(publication(path, at))).status).toBe('exists');
}

const atServer = ['--to', 'team', '--keys', 'acme.keys', '--token-file', 'token'];
/** With the keys of the registry, and those of the publisher. */
const inFolder = ['--to', 'registry', '--keys', 'registry.keys', '--keys', 'acme.keys'];
const publication = (path: string, at: readonly string[]) => ['publish', path, '--namespace', 'acme', ...at];

async function submit(path: string, at: readonly string[]): Promise<void> {
  const waiting = await publisher.json(publication(path, at), 5);
  expect(waiting.status).toBe('waits-for-review');
  const queue = ['registry', 'review'];
  const [entry] = (await publisher.json([...queue, 'show', waiting.review, '--registry', 'registry']))
    .entries;
  const other = '0'.repeat(64);
  const approve = [...queue, 'approve', waiting.review, '--registry', 'registry', '--sha256'];
  expect((await publisher.run([...approve, other])).code).toBe(6);
  await publisher.json([...approve, entry.sha256]);
}

/** Looks at the plan, and agrees to exactly this one. */
async function install(it: ReturnType<typeof machine>, id: string): Promise<void> {
  const { digest } = await it.json(['plan', `registry:acme/${id}`]);
  const secret = id === 'webhook-signatures' ? ['--secret', `signing_secret=@${at('secret')}`] : [];
  await it.json(['install', `registry:acme/${id}`, '--agree', digest, '--skip-smoke', ...secret]);
}

const found = async (word: string) =>
  (await consumer.json(['search', word])).packages.map(
    (it: Facts) => `${it.name} ${it.version} ${it.format}`,
  );

test('a package of every format is published, found, and shown with its signed verdict', async () => {
  const [first, ...others] = packages;
  await publish(first.path);
  for (const { path } of others) await submit(path, atServer);
  // At the same time, as several builds of one publisher do.
  const published = await Promise.all(others.map(({ path }) => publisher.json(publication(path, atServer))));
  expect(published.map((it) => it.status)).toEqual(others.map(() => 'published'));
  expect((await found('acme')).sort()).toEqual([
    'acme/json-diff 1.0.0 toolspace',
    'acme/statistics-desk 1.0.0 findagent',
    'acme/subnet-desk 1.2.0 nexo',
    'acme/webhook-signatures 1.0.0 talos',
    'acme/word_count 1.0.0 patch',
  ]);
  expect(await found('subnets')).toEqual(['acme/subnet-desk 1.2.0 nexo']);
  expect(await found('nothing-like-this')).toEqual([]);
  const shown = await consumer.json(['info', 'registry:acme/word_count']);
  expect(shown).toMatchObject({
    registry: 'team',
    version: '1.0.0',
    offered: true,
    verdict: { decision: 'review', review: 'approved' },
  });
});

function setVersion(old: string, version: string): void {
  const file = at('publisher/work/word_count.py');
  const text = readFileSync(file, 'utf8');
  expect(text).toContain(`version: "${old}"`);
  writeFileSync(file, text.replace(`version: "${old}"`, `version: "${version}"`));
}

test('a consumer plans and installs all of them by name, and calls one', async () => {
  for (const { id } of packages) {
    await install(consumer, id);
  }
  const call = await consumer.json(['call', 'word_count/word_count', '{"text":"one two three"}']);
  expect(JSON.stringify(call)).toContain('"words":3');
});

test('a new version is offered, an update installs it, and a withdrawal is seen', async () => {
  expect((await consumer.json(['outdated'])).packages).toEqual([]);
  setVersion('1.0.0', '1.1.0');
  await publish('word_count.py');
  const [outdated] = (await consumer.json(['outdated'])).packages;
  expect(JSON.stringify(outdated)).toContain('1.1.0');
  const updated = await consumer.run(['update', 'word_count', '--yes', '--skip-smoke']);
  expect(updated.code, updated.stderr).toBe(0);
  expect((await consumer.json(['outdated'])).packages).toEqual([]);

  const yank = ['registry', 'yank', 'acme/word_count@1.1.0', '--reason', 'it counts wrong', '--to', 'team'];
  const withoutKeys = await publisher.run([...yank, '--token-file', 'token']);
  expect([withoutKeys.code, withoutKeys.stderr]).toEqual([
    2,
    expect.stringContaining('registry keys create'),
  ]);
  await publisher.json([...yank, '--keys', 'acme.keys', '--token-file', 'token']);
  const { releases, version } = await consumer.json(['info', 'registry:acme/word_count']);
  expect(version).toBe('1.0.0');
  expect(releases).toMatchObject([
    { version: '1.1.0', offered: false, yanked: 'it counts wrong' },
    { version: '1.0.0', offered: true },
  ]);
  const [withdrawn] = (await consumer.json(['outdated'])).packages;
  expect(JSON.stringify(withdrawn)).toContain('1.0.0');
  const refused = await consumer.run(['plan', 'registry:acme/word_count@1.1.0']);
  expect(refused.stderr).toContain('withdrawn by its publisher: it counts wrong');
});

test('a private registry is searched, shown and copied with a token of the vault, which no other host gets', async () => {
  await stopServer();
  await startServer('--private');
  consumer.configure(`[registries.team]\nurl = "${url}"\nroot = "${root}"\n`);
  const copy = ['registry', 'mirror', 'team', at('private-copy')];
  for (const words of [['search', 'subnets'], ['info', 'registry:acme/json-diff'], copy])
    expect((await consumer.run(words)).code, words.join(' ')).toBe(4);
  const create = ['registry', 'token', 'create', 'consumer', '--read', '--registry', 'registry'];
  const { token } = (await publisher.json(create)).facts;
  const store = async (host: string) => {
    const set = ['secret', 'set', '@registry', 'team', '--host', host];
    const stored = await consumer.run(set, { stdin: `${token}\n` });
    expect(stored.code, stored.stderr).toBe(0);
  };
  await store('elsewhere.example');
  expect((await consumer.run(['search', 'subnets'])).code).toBe(4);
  await store('127.0.0.1');
  expect(await found('subnets')).toEqual(['acme/subnet-desk 1.2.0 nexo']);
  expect((await consumer.json(['info', 'registry:acme/json-diff'])).version).toBe('1.0.0');
  expect((await consumer.json(copy)).facts).toMatchObject({ releases: 6, root });
  expect((await consumer.json(['registry', 'verify', at('private-copy')])).facts.ok).toBe(true);
  // The control: a copy of a registry with another root is not made.
  const other = '0'.repeat(64);
  consumer.configure(`[registries.team]\nurl = "${url}"\nroot = "${other}"\n`);
  expect((await consumer.run(['registry', 'mirror', url, at('other-copy')])).code).toBe(6);
  consumer.configure(`[registries.team]\nurl = "${url}"\nroot = "${root}"\n`);
});

test('a copied folder is enough, without a server', async () => {
  const copied = await publisher.json(['registry', 'mirror', 'registry', at('copy')]);
  expect(copied.facts.releases).toBe(6);
  await stopServer();
  // The control: the server is really gone.
  const gone = await consumer.run(['info', 'registry:acme/json-diff']);
  expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining('ECONNREFUSED')]);
  expect(gone.stderr).toContain('is the registry running?');

  const other = machine('offline');
  other.configure(`[registries.stick]\npath = "${at('copy')}"\nroot = "${root}"\n`);
  const [subnets] = (await other.json(['search', 'subnets'])).packages;
  expect(subnets).toMatchObject({ name: 'acme/subnet-desk', registry: 'stick' });
  for (const { id } of packages) {
    await install(other, id);
  }
  const call = await other.json(['call', 'word_count/word_count', '{"text":"one two"}']);
  expect(JSON.stringify(call)).toContain('"words":2');

  // The same copy again: it gets what was published meanwhile, and then the withdrawal.
  expect((await other.json(['outdated'])).packages).toEqual([]);
  setVersion('1.1.0', '1.2.0');
  await publish('word_count.py', inFolder);
  expect((await other.json(['outdated'])).packages).toEqual([]);
  await publisher.json(['registry', 'mirror', 'registry', at('copy'), '--root', root]);
  expect(JSON.stringify((await other.json(['outdated'])).packages)).toContain('1.2.0');
  const updated = await other.run(['update', 'word_count', '--yes', '--skip-smoke']);
  expect(updated.code, updated.stderr).toBe(0);
  expect(JSON.stringify(await other.json(['info', 'word_count']))).toContain('1.2.0');
  const yank = ['registry', 'yank', 'acme/word_count@1.2.0', '--reason', 'it counts twice', ...inFolder];
  await publisher.json(yank);
  await publisher.json(['registry', 'mirror', 'registry', at('copy'), '--root', root]);
  const { version, releases } = await other.json(['info', 'registry:acme/word_count']);
  expect(version).toBe('1.0.0');
  expect(releases[0]).toMatchObject({ version: '1.2.0', offered: false, yanked: 'it counts twice' });
  const refused = await other.run(['plan', 'registry:acme/word_count@1.2.0']);
  expect(refused.stderr).toContain('withdrawn by its publisher: it counts twice');
  expect((await other.run(['list'])).stdout).toContain('it counts twice');
});

test('a registry is intact, and one changed byte of an archive is found', async () => {
  const { facts } = await publisher.json(['registry', 'verify', 'registry']);
  expect(facts).toMatchObject({ ok: true, releases: 7, root });
  expect((await publisher.json(['registry', 'verify', at('copy'), '--root', root])).facts.ok).toBe(true);
  // A forged registry is intact too, so people compare its root.
  const forged = await consumer.run(['registry', 'verify', at('copy'), '--root', '0'.repeat(64)]);
  expect([forged.code, forged.stdout]).toEqual([6, '']);
  expect((await consumer.run(['registry', 'verify', at('copy')])).stdout).toContain(`SHA-256 ${root}`);
  const archive = readdirSync(at('copy/targets'), { recursive: true, encoding: 'utf8' }).find((it) =>
    /json-diff.*\.tgz$/.test(it),
  );
  const path = join(at('copy/targets'), String(archive));
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(100) ^ 1, 100);
  writeFileSync(path, bytes);
  const changed = await publisher.json(['registry', 'verify', at('copy')], 6);
  expect(changed.facts.problems).toEqual([expect.stringContaining('json-diff')]);
  const refused = await machineOfCopy().run(['install', 'registry:acme/json-diff', '--yes', '--skip-smoke']);
  expect([refused.code, refused.stdout]).toEqual([6, '']);
});

/** A machine that has seen nothing yet, with the copy. */
function machineOfCopy() {
  const it = machine('new');
  it.configure(`[registries.stick]\npath = "${at('copy')}"\nroot = "${root}"\n`);
  return it;
}
