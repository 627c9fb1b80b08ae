// MCP servers given as a command line or a URL: what is written for them, the trial start, and the installation.
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Session } from '../../../src/index.js';
import { notOfferedTexts } from '../../../src/serve/print/tried-host.js';
import { notesRegistry, notesServer } from '../../support/notes-server.js';
import type { LoopbackServer } from '../../support/toolwharf.js';
import { type Workbench, workbench } from '../../support/workbench.js';

const by = 'operator';
const key = 'k3yQ9vX2mB7wLp4Zt8Rd';

let registry: LoopbackServer;
let port = 0;
beforeAll(async () => {
  registry = await notesRegistry();
  port = registry.port;
});
afterAll(() => registry.close());

let bench: Workbench;
let session: Session;
beforeEach(async () => {
  bench = await workbench({});
  session = await bench.session({
    directories: [],
    accept: null,
    policy: { indexes: { npmRegistry: `http://127.0.0.1:${port}/` } },
    allow: [`toolwharf=net:127.0.0.1:${port}`],
  });
});
afterEach(() => bench.close());

const manifestOf = (source: string) => JSON.parse(source.slice('mcp:'.length));
const notes = ['npx', '-y', '@example/notes', '--limit', '5'];

describe('the manifest that is written for a command line', () => {
  test('names the package, its command and what the server needs, without secrets', async () => {
    const { installations } = session;
    const command = ['MODE=fast', ...notes, '--api-key', key];
    const draft = await installations.draftServer({ name: 'notes', command, env: { TOKEN: 'abc' } });
    expect(manifestOf(draft.source)).toEqual({
      schema: 'toolwharf/mcp@1',
      name: 'notes',
      install: { npm: '@example/notes' },
      command: 'notes-server',
      args: ['--limit', '5', '--api-key', '${API_KEY}'],
      cwd: '${data}',
      env: { MODE: { default: 'fast' }, TOKEN: { secret: true, required: true } },
      values: { API_KEY: { secret: true, required: true } },
      network: [],
    });
    expect(draft.values).toEqual({ TOKEN: 'abc', API_KEY: key });
    expect(draft.secrets).toEqual(['TOKEN', 'API_KEY']);
    expect(draft.source).not.toContain(key);
  });

  test('offers the folders of its arguments, and the person chooses how they are used', async () => {
    const folder = join(bench.path, 'docs');
    mkdirSync(folder);
    const command = [...notes, folder];
    const offered = await session.installations.draftServer({ name: 'notes', command });
    expect(offered.offered).toEqual([`read:${folder}`]);
    expect(manifestOf(offered.source).files).toBeUndefined();
    const allow = [`write:${folder}`, 'net:api.example.com'];
    const chosen = await session.installations.draftServer({ name: 'notes', command, allow });
    expect(chosen.offered).toEqual([]);
    expect(manifestOf(chosen.source)).toMatchObject({
      files: { write: [folder] },
      network: ['api.example.com'],
    });
  });

  test('lets the person say what is a secret', async () => {
    const env = { TOKEN: 'abc', REGION: 'eu' };
    const draft = await session.installations.draftServer({
      ...{ name: 'notes', command: notes, env },
      ...{ settings: ['TOKEN'], secrets: ['REGION'] },
    });
    expect(manifestOf(draft.source).env).toEqual({
      TOKEN: { default: 'abc' },
      REGION: { secret: true, required: true },
    });
  });

  const slack = 'https://hooks.example.com/services/T02AB34CD/B05EF67GH/q8Zr3Lk0VtY5nWx2Jc7Pd1Ms';
  test.each([
    ['DATABASE_URL', 'postgres://u:hunter2@db.example.com/notes'],
    ['MONGODB_URI', 'mongodb://u:hunter2@a.example.com:27017,b.example.com:27017/notes'],
    ['SLACK_WEBHOOK_URL', slack],
    ['MYSQL_PASS', 'hunter2'],
    ['DBPASS', 'hunter2'],
    ['HEADER', 'Authorization: Bearer sk-hunter2'],
  ])('seals %s, as a variable and as an argument', async (name, value) => {
    const request = { name: 'notes', command: [...notes, `--${name}=${value}`], env: { [name]: value } };
    const draft = await session.installations.draftServer(request);
    expect(draft.source).not.toContain(value);
    expect(draft.secrets).toEqual([name, `${name}_2`]);
    if (value === 'hunter2') return;
    const bare = { name: 'notes', command: [...notes, '--header', value, value] };
    const { source, secrets } = await session.installations.draftServer(bare);
    expect(source).not.toContain(value);
    expect(secrets).toEqual(['HEADER', 'KEY']);
  });

  test.each([
    ['BASE_URL', 'https://api.example.com/v1/models/gpt-4o-2024-08-06-preview'],
    ['REDIS_URL', 'redis://localhost:6379/0'],
    ['GIT_URL', 'ssh://git@git.example.com/notes.git'],
    ['PASSIVE', 'yes'],
    ['COMPASS', 'north'],
    ['PASS_THROUGH', 'yes'],
    ['REGION', 'eu-central-1'],
  ])('leaves %s readable', async (name, value) => {
    const request = { name: 'notes', command: [...notes, value], env: { [name]: value } };
    const draft = await session.installations.draftServer(request);
    expect(draft.secrets).toEqual([]);
    expect(manifestOf(draft.source)).toMatchObject({
      args: ['--limit', '5', value],
      env: { [name]: { default: value } },
    });
  });

  test.each([
    ['https://mcp.example.com/mcp?api_key=abc', 'the parameter api_key'],
    ['https://abc@mcp.example.com/mcp', 'a user name'],
    ['https://u:abc@mcp.example.com/mcp', 'a password'],
    [slack, 'a part of its path'],
  ])('is not written for %s, unless somebody says that it is no secret', async (url, secret) => {
    const draft = session.installations.draftServer({ name: 'notes', url });
    await expect(draft).rejects.toMatchObject({
      code: 'usage',
      message: `its URL contains a secret (${secret})`,
      hint: expect.stringContaining('--setting url'),
    });
    const said = await session.installations.draftServer({ name: 'notes', url, settings: ['url'] });
    expect(manifestOf(said.source).url).toBe(url);
  });

  test('is not written for a key in a place that cannot be sealed', async () => {
    const command = ['node', `--ghp_${'aB3dE5gH7jK9'.repeat(3)}`];
    await expect(session.installations.draftServer({ name: 'notes', command })).rejects.toThrow(
      /looks like a key/,
    );
  });

  test('of a URL has its header values as secrets', async () => {
    const headers = { Authorization: `Bearer ${key}` };
    const draft = await session.installations.draftServer({
      ...{ name: 'tracker', url: 'https://mcp.example.com/mcp', headers },
    });
    expect(manifestOf(draft.source)).toMatchObject({
      headers: { Authorization: 'Bearer ${AUTHORIZATION}' },
      values: { AUTHORIZATION: { secret: true, required: true } },
    });
    expect(draft.values).toEqual({ AUTHORIZATION: key });
    const plan = await session.installations.plan({ source: draft.source });
    expect(plan.requires).toEqual(['net:mcp.example.com']);
    expect(plan.credentials).toMatchObject([{ name: 'AUTHORIZATION', hosts: ['mcp.example.com'] }]);
  });

  test('is not written for what cannot be locked', async () => {
    const draft = (command: string[]) => session.installations.draftServer({ name: 'notes', command });
    await expect(draft(['bash', '-c', 'x'])).rejects.toMatchObject({ code: 'usage' });
    await expect(draft(['npx', '@example/missing'])).rejects.toThrow(/missing does not exist/);
  });
});

describe('a variable that names where packages come from', () => {
  const index = 'https://packages.example.com/';
  const draft = (command: string[], env: Record<string, string>) =>
    session.installations.draftServer({ name: 'notes', command, env });

  test.each(['npm_config_registry', 'NPM_CONFIG_REGISTRY', 'npm_config_@example:registry'])(
    '%s',
    async (name) => {
      const refused = {
        code: 'usage',
        message: `the variable ${name} names another registry`,
        hint: expect.stringContaining('--npm-registry'),
      };
      await expect(draft(notes, { [name]: index })).rejects.toMatchObject(refused);
      // A program of this machine fetches no package.
      await expect(draft(['node', '--version'], { [name]: index })).resolves.toBeDefined();
    },
  );

  test.each([
    ...['UV_INDEX', 'UV_INDEX_URL', 'UV_DEFAULT_INDEX', 'UV_EXTRA_INDEX_URL'],
    ...['PIP_INDEX_URL', 'PIP_EXTRA_INDEX_URL'],
  ])('%s', async (name) => {
    const refused = { code: 'usage', message: `the variable ${name} names another index` };
    await expect(draft(['uvx', 'notes'], { [name]: index })).rejects.toMatchObject(refused);
    await expect(draft([`${name}=${index}`, 'uvx', 'notes'], {})).rejects.toMatchObject(refused);
    await expect(draft(['uvx', 'notes'], { OTHER: index })).resolves.toBeDefined();
  });
});

describe('a trial start', () => {
  test('shows the tools, the hosts and the skipped install scripts, and an installation takes it over', async () => {
    const { installations } = session;
    const request = { name: 'notes', command: notes, env: { TOKEN: 'abc', MODE: 'fast' } };
    const trial = await installations.tryServer({ ...request, allow: ['net:api.example.com'], by });
    expect(trial).toEqual({
      status: 'started',
      tools: [{ name: 'see', description: 'Shows what it got.' }],
      hosts: ['net:api.example.com'],
      otherHosts: [],
      scripts: ['@example/notes'],
    });
    expect(await installations.list()).toEqual([]);
    const allow = trial.hosts;
    const { source, values } = await installations.draftServer({ ...request, allow });
    const plan = await installations.plan({ source, allow });
    expect(plan).toMatchObject({
      package: { id: 'notes', version: '1.4.0' },
      requires: ['net:api.example.com'],
      agreed: ['net:api.example.com'],
      dependencies: ['@example/notes 1.4.0 (npm)'],
    });
    const change = await installations.install({ source, allow, agree: plan.digest, values, by });
    expect(change.left).toEqual([
      expect.stringContaining('@example/notes needs a build step that was not run'),
    ]);
    const answer = await session.call({ tool: 'notes/see', arguments: {} });
    expect(answer).toMatchObject({ status: 'ok' });
    expect(JSON.stringify(answer)).toContain('fast');
  }, 60_000);

  test('that fails says why, runs the named install scripts, and leaves nothing behind', async () => {
    const scripts = ['@example/notes'];
    const trial = await session.installations.tryServer({ name: 'notes', command: notes, scripts, by });
    expect(trial).toMatchObject({
      status: 'failed',
      tools: [],
      scripts: [],
      failure: expect.stringContaining('TOKEN is missing'),
    });
    const environments = join(bench.path, 'state', 'environments');
    const [installed = ''] = readdirSync(join(environments, 'installed'));
    const own = join(environments, 'installed', installed, 'node_modules', '@example', 'notes');
    expect(readdirSync(own)).toContain('built.txt');
    await bench.host.close();
    expect(readdirSync(join(environments, 'installed'))).toEqual([]);
    expect(readdirSync(join(environments, 'locks'))).toEqual([]);
    expect(readdirSync(join(bench.path, 'state', 'store', 'trees'))).toEqual([]);
  }, 60_000);

  test('offers no host that would open the whole internet, this machine or its network', async () => {
    const other = ['public', '127.0.0.1:6379', '169.254.169.254', 'intranet'];
    const tried = ['public:443', '127.0.0.1:6379', '169.254.169.254:80', 'intranet:443'];
    const env = { TOKEN: 'abc', ALSO: tried.join(',') };
    const trial = await session.installations.tryServer({ name: 'notes', command: notes, env, by });
    expect(trial).toMatchObject({ status: 'started', hosts: ['net:api.example.com'], otherHosts: other });
    expect(notOfferedTexts(trial)).toEqual([
      'tried public, not offered: net:public would allow every public host',
      'tried 127.0.0.1:6379, not offered: --allow net:127.0.0.1:6379 would allow it',
      expect.stringContaining('169.254.169.254'),
      expect.stringContaining('intranet'),
    ]);
  }, 60_000);

  test('that nobody installs leaves nothing when its session ends, also in a host that goes on', async () => {
    const request = { name: 'notes', command: notes, env: { TOKEN: 'abc' } };
    expect(await session.installations.tryServer({ ...request, by })).toMatchObject({ status: 'started' });
    const installed = join(bench.path, 'state', 'environments', 'installed');
    expect(readdirSync(installed)).toHaveLength(1);
    const other = await bench.session({ directories: [], accept: null });
    await other.close();
    expect(readdirSync(installed)).toHaveLength(1);
    await session.close();
    expect(readdirSync(installed)).toEqual([]);
  }, 60_000);

  test('sees no folder of its arguments, but its own script', async () => {
    const folder = join(bench.path, 'project');
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, 'server.mjs'), notesServer);
    const command = ['node', join(folder, 'server.mjs'), bench.root];
    const request = { name: 'local', command, env: { TOKEN: 'abc' } };
    const trial = await session.installations.tryServer({ ...request, by });
    expect(trial).toMatchObject({ status: 'started', hosts: ['net:api.example.com'] });
    const draft = await session.installations.draftServer(request);
    expect(draft.offered).toEqual([`read:${bench.root}`]);
    expect(draft.notes).toEqual([expect.stringContaining('is not locked')]);
  }, 60_000);
});
