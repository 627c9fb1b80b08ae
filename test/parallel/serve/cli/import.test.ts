// The command `import` with files of all clients: what moves, what stays and why, and how the file comes back.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { removeTree } from '../../../../src/environment/file-tree.js';
import { createHost } from '../../../../src/host/create.js';
import { HostError } from '../../../../src/model/host-error.js';
import { parseArguments } from '../../../../src/serve/cli/command/arguments.js';
import { importCommand } from '../../../../src/serve/cli/commands/import.js';
import { type ClientName, clientNames } from '../../../../src/serve/clients/client.js';
import { clients } from '../../../../src/serve/clients/clients.js';
import { entriesOf } from '../../../../src/serve/clients/settings-edit.js';
import { clientKeyPath } from '../../../../src/serve/socket/client-key.js';
import { schemaProblems } from '../../../support/json-documents.js';
import { bareServer } from '../../../support/mcp-upstream.js';
import { testTerminal } from '../../../support/terminal.js';
import { main, temporaryFolder } from '../../../support/toolwharf.js';

const command = importCommand({ platform: 'linux', node: process.execPath, home: '/nowhere' });
const key = 'k3yQ9vX2mB7wLp4Zt8Rd';

let folder: ReturnType<typeof temporaryFolder>;
let home: string;
let project: string;
let script: string;
beforeEach(() => {
  folder = temporaryFolder({
    'home/.keep': '',
    'project/.keep': '',
    'server/server.mjs': bareServer(`
on = { 'tools/list': () => ({ tools: [{ name: 'see', description: 'Sees.', inputSchema: { type: 'object' } }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'seen' }] }) };`),
    'server/broken.mjs': 'process.exit(3);',
  });
  home = join(folder.path, 'home');
  project = join(folder.path, 'project');
  script = join(folder.path, 'server', 'server.mjs');
});
afterEach(() => removeTree(folder.path));

const state = () => join(folder.path, 'state');

interface Run {
  /** Answers of the person, in order. Absent: there is no person. */
  readonly answers?: readonly string[];
  readonly environment?: Record<string, string>;
  /** Runs when the first question is asked. */
  readonly meanwhile?: () => void;
  readonly signal?: AbortSignal;
}

async function run(args: readonly string[], { answers, environment = {}, meanwhile, signal }: Run = {}) {
  const base = testTerminal({
    cwd: project,
    environment: { HOME: home, ...environment },
    ...(answers === undefined ? {} : { answer: true }),
  });
  const left = [...(answers ?? [])];
  const terminal = {
    ...base,
    main,
    ...(signal === undefined ? {} : { signal }),
    ask: async (question: string) => {
      base.printed.err += `${question}\n`;
      meanwhile?.();
      return left.shift() ?? '';
    },
    openHost: ({ state: at }: { readonly state: string }) => createHost({ state: at }),
  };
  const code = await command.run(parseArguments(command, [...args, '--state', state()]), terminal);
  return { code, ...base.printed };
}

async function json(args: readonly string[], options: Run = {}) {
  const { code, out, err } = await run([...args, '--json'], options);
  const value = JSON.parse(out);
  expect(schemaProblems('import@1', value)).toEqual([]);
  return { code, err, value };
}

async function errorOf(args: readonly string[], options: Run = {}): Promise<HostError> {
  const error = await run(args, options).catch((it: unknown) => it);
  expect(error).toBeInstanceOf(HostError);
  return error as HostError;
}

function put(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const read = (path: string) => readFileSync(path, 'utf8');
const cursorFile = () => join(home, '.cursor/mcp.json');
const putCursor = (servers: object) => put(cursorFile(), JSON.stringify({ mcpServers: servers }, null, 2));
/** Agrees to what the script on this machine asks for: its own folder. */
const yes = (...names: string[]) => [
  '--yes',
  ...names.flatMap((it) => ['--allow', `${it}=read:${dirname(script)}`]),
];
const node = () => ({ command: 'node', args: [script] });

/** Every text below a folder. */
function allTexts(path: string): string {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((it) => it.isFile())
    .map((it) => readFileSync(join(it.parentPath, it.name), 'latin1'))
    .join('\n');
}

/** A file of each client with one server, and something around it that must stay. */
const texts: Readonly<Record<ClientName, () => string>> = {
  'claude-desktop': () =>
    `{\r\n  "theme": "dark",\r\n  "mcpServers": {\r\n    "docs": ${JSON.stringify(node())}\r\n  }\r\n}`,
  'claude-code': () => JSON.stringify({ mcpServers: { docs: { type: 'stdio', ...node() } } }),
  cursor: () => `\uFEFF{ "mcpServers": { "docs": ${JSON.stringify(node())}, }, }\n`,
  vscode: () =>
    `{\n\t// mine\n\t"servers": { "docs": { "type": "stdio", ...NODE } },\n\t"inputs": []\n}\n`.replace(
      '...NODE',
      JSON.stringify(node()).slice(1, -1),
    ),
  'gemini-cli': () =>
    JSON.stringify({ theme: 'x', mcpServers: { docs: { ...node(), trust: true } } }, null, 4),
  windsurf: () => JSON.stringify({ mcpServers: { docs: node() } }, null, 2),
  codex: () =>
    `# mine\nmodel = "x"\n\n[mcp_servers.docs] # keep\ncommand = "node"\nargs = ["${script}"]\n\n[mcp_servers.docs.env]\nAPI_KEY = "${key}"\n\n[profiles.a]\nmodel = "y"\n`,
  zed: () =>
    `{\n  // zed\n  "theme": "One",\n  "context_servers": { "docs": { "source": "custom", ...NODE } }\n}\n`.replace(
      '...NODE',
      JSON.stringify(node()).slice(1, -1),
    ),
  cline: () =>
    JSON.stringify({ mcpServers: { docs: { ...node(), autoApprove: ['see'], disabled: false } } }, null, 2),
  opencode: () =>
    JSON.stringify(
      { theme: 'x', mcp: { docs: { type: 'local', command: ['node', script], environment: { MODE: 'a' } } } },
      null,
      2,
    ),
  goose: () =>
    `# goose\nextensions:\n  developer: # built in\n    enabled: true\n    type: builtin\n    name: developer\n  docs:\n    enabled: true\n    type: stdio\n    name: docs\n    cmd: node\n    args: ["${script}"]\n    envs: {}\n# the end\ntheme: dark\n`,
  continue: () =>
    `name: mine\nversion: 1.0.0\nmcpServers:\n  - name: docs\n    command: node\n    args:\n      - ${script} # the docs\nmodels: []\n`,
  'lm-studio': () => JSON.stringify({ mcpServers: { docs: node() } }, null, 2),
};

describe.each(clientNames)('%s', (name) => {
  test('its server moves, a second import has nothing to do, and --undo restores every byte', async () => {
    const client = clients[name];
    const [scope = 'user'] = client.scopes;
    const file = client.file(scope, { platform: 'linux', home, project, environment: {} });
    put(file, texts[name]());
    const before = readFileSync(file);
    const moved = await json([name, ...yes('docs')]);
    expect(moved).toMatchObject({
      code: 0,
      value: {
        ...{ schema: 'toolwharf/import@1', client: name, scope, file, status: 'imported', name: 'toolwharf' },
        servers: expect.arrayContaining([
          expect.objectContaining({ entry: 'docs', status: 'moved', package: 'docs', state: 'ready' }),
        ]),
      },
    });
    const left = [...entriesOf({ file, text: read(file) }, client).keys()];
    expect(left).toEqual(name === 'goose' ? ['developer', 'toolwharf'] : ['toolwharf']);
    expect(read(file)).toContain('--installed');
    expect(read(file)).not.toContain(key);
    const again = await json([name, '--yes']);
    expect(again).toMatchObject({ code: 0, value: { status: 'unchanged' } });
    const undone = await json([name, '--undo', '--yes']);
    expect(undone).toMatchObject({ code: 0, value: { status: 'restored' } });
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(existsSync(clientKeyPath(state(), file, 'toolwharf'))).toBe(false);
    expect(readdirSync(join(state(), 'imports'))).toEqual([]);
  }, 60_000);
});

describe('Claude Code', () => {
  const file = () => join(home, '.claude.json');
  const putLocal = () =>
    put(
      file(),
      JSON.stringify(
        {
          mcpServers: { everywhere: node() },
          projects: {
            [project]: { allowedTools: [], mcpServers: { docs: { type: 'stdio', ...node(), env: {} } } },
            '/other': { mcpServers: { docs: { type: 'stdio', ...node(), env: {} } } },
          },
        },
        null,
        2,
      ),
    );

  test('servers that "claude mcp add" wrote for this project move, and those of other projects stay', async () => {
    putLocal();
    const before = read(file());
    const moved = await json(['claude-code', ...yes('docs')]);
    expect(moved).toMatchObject({
      code: 0,
      value: {
        ...{ scope: 'local', file: file(), status: 'imported' },
        servers: [{ entry: 'docs', status: 'moved', state: 'ready' }],
        alsoIn: [{ scope: 'user', servers: ['everywhere'] }],
      },
    });
    const { projects, mcpServers } = JSON.parse(read(file()));
    const [own, others] = [projects[project].mcpServers, projects['/other'].mcpServers];
    expect([Object.keys(own), Object.keys(others), Object.keys(mcpServers)]).toEqual([
      ['toolwharf'],
      ['docs'],
      ['everywhere'],
    ]);
    expect(await json(['claude-code', '--undo', '--yes'])).toMatchObject({
      value: { scope: 'local', status: 'restored' },
    });
    expect(read(file())).toBe(before);
  }, 60_000);

  test('two scopes of one file have different keys, and are undone one by one', async () => {
    putLocal();
    const before = JSON.parse(read(file()));
    await json(['claude-code', ...yes('docs')]);
    const second = await json(['claude-code', ...yes('everywhere')]);
    expect(second.value).toMatchObject({ scope: 'user', status: 'imported' });
    const { projects, mcpServers } = JSON.parse(read(file()));
    expect(projects[project].mcpServers.toolwharf.args).not.toEqual(mcpServers.toolwharf.args);
    expect(await errorOf(['claude-code', '--scope', 'local', '--undo', '--yes'])).toMatchObject({
      code: 'integrity',
    });
    for (const scope of ['local', 'user'])
      await json(['claude-code', '--scope', scope, '--undo', '--merge', '--yes']);
    expect(JSON.parse(read(file()))).toEqual(before);
  }, 60_000);
});

test('the reason is named for each entry that stays', async () => {
  putCursor({
    docs: node(),
    off: { ...node(), disabled: true },
    asks: { ...node(), env: { TOKEN: '${input:token}' } },
    unset: { ...node(), env: { TOKEN: '${env:MISSING_TOKEN}' } },
    open: { command: 'node', args: ['${workspaceFolder}/x.mjs'] },
    sse: { type: 'sse', url: 'https://mcp.example.com/sse' },
    address: { url: 'https://mcp.example.com/mcp?api_key=abc' },
    shell: { command: 'bash', args: ['-c', 'node x'] },
    empty: {},
    text: 'x',
    left: node(),
  });
  const before = read(cursorFile());
  const { value, code } = await json(['cursor', ...yes('docs'), '--skip', 'left', '--no-trial']);
  expect(code).toBe(0);
  const reasons = Object.fromEntries(
    value.servers.map((it: { entry: string; reason?: string }) => [it.entry, it.reason]),
  );
  expect(reasons).toEqual({
    docs: undefined,
    off: 'it is turned off in the client',
    asks: 'its value comes from a question of the client (token)',
    unset: 'it needs the variable MISSING_TOKEN, which is not set here',
    open: 'it uses the folder that is open in the client (workspaceFolder)',
    sse: 'it uses the older SSE transport, which the host does not support',
    address: expect.stringContaining('its URL contains a secret (the parameter api_key)'),
    shell: expect.stringContaining('a line of a shell cannot be read or locked'),
    empty: 'it has neither a command nor a URL',
    text: 'it is not an object',
    left: 'you left it out',
  });
  expect(JSON.parse(read(cursorFile())).mcpServers).toEqual({
    ...Object.fromEntries(Object.entries(JSON.parse(before).mcpServers).filter(([name]) => name !== 'docs')),
    toolwharf: expect.anything(),
  });
}, 60_000);

test('the older URL of Gemini CLI stays', async () => {
  const servers = {
    old: { url: 'https://mcp.example.com/sse' },
    today: { httpUrl: 'https://mcp.example.com/mcp' },
  };
  put(join(home, '.gemini/settings.json'), JSON.stringify({ mcpServers: servers }));
  const { value } = await json(['gemini-cli', '--dry-run']);
  expect(value.servers).toMatchObject([
    { entry: 'today', status: 'planned' },
    { entry: 'old', status: 'outside', reason: expect.stringContaining('SSE') },
  ]);
});

describe('secrets', () => {
  test('that arguments refer to are sealed, and stay out of everything that is stored', async () => {
    const environment = { TOKEN: 'hunter2-of-the-shell', DOCS: home };
    const header = 'Authorization: Bearer ${TOKEN}';
    putCursor({
      docs: { command: 'node', args: [script, '--header', header, '--dir=${DOCS}', 'x-${env:TOKEN}'] },
      prefix: { command: 'env', args: ['MODE=${TOKEN}', 'node', script] },
      runner: { command: 'npx', args: ['-y', 'notes@${TOKEN}'] },
      address: { url: 'https://mcp.example.com/${TOKEN}/mcp' },
    });
    const args = ['cursor', ...yes('docs', 'prefix'), '--no-trial'];
    const dry = await json([...args, '--dry-run'], { environment });
    expect(JSON.stringify(dry.value)).not.toContain(environment.TOKEN);
    const { value, err } = await json(args, { environment });
    expect(value.servers).toMatchObject([
      { entry: 'docs', status: 'moved', secrets: ['HEADER', 'ARGUMENT'] },
      { entry: 'prefix', status: 'moved', secrets: ['MODE'] },
      { entry: 'runner', status: 'outside', reason: expect.stringContaining('cannot be sealed') },
      { entry: 'address', status: 'outside', reason: expect.stringContaining('the variable TOKEN') },
    ]);
    expect(JSON.stringify(value) + err).not.toContain(environment.TOKEN);
    const stored = allTexts(state());
    expect(stored).not.toContain(environment.TOKEN);
    // The search would find it: what is not a secret is there.
    expect(stored).toContain(`--dir=${home}`);
  }, 60_000);

  const secrets = { API_KEY: key, OTHER: 'S3cretOfTheEnvironment77' };
  const putSecrets = () =>
    putCursor({
      docs: { ...node(), env: { API_KEY: key, OTHER_TOKEN: '${env:OTHER}', MODE: 'fast' } },
      tracker: { url: 'https://mcp.example.com/mcp', headers: { Authorization: `Bearer ${key}` } },
    });
  const environment = { OTHER: secrets.OTHER };

  test('are sealed, and are in no output, no audit log and not in the file', async () => {
    putSecrets();
    const args = [...yes('docs'), '--allow', 'tracker=net:mcp.example.com'];
    const shown = await run(['cursor', '--dry-run'], { environment });
    const moved = await json(['cursor', ...args, '--skip-smoke'], { environment });
    expect(moved.value.servers).toMatchObject([
      {
        entry: 'docs',
        status: 'moved',
        secrets: ['API_KEY', 'OTHER_TOKEN'],
        allowed: [`read:${dirname(script)}`],
      },
      { entry: 'tracker', status: 'moved', secrets: ['AUTHORIZATION'] },
    ]);
    // Control: only the backup for --undo has what the file had.
    const backup = moved.value.backup as string;
    expect(read(backup)).toContain(key);
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(backup)).mode & 0o777).toBe(0o700);
    const everything = [shown.out, shown.err, moved.err, JSON.stringify(moved.value), read(cursorFile())];
    const own = readdirSync(state(), { withFileTypes: true })
      .filter((it) => it.name !== 'imports')
      .map((it) =>
        it.isDirectory() ? allTexts(join(state(), it.name)) : readFileSync(join(state(), it.name), 'latin1'),
      );
    for (const text of [...everything, ...own])
      for (const secret of Object.values(secrets)) expect(text.includes(secret)).toBe(false);
  }, 60_000);

  test('--setting keeps one plain', async () => {
    putCursor({ docs: { ...node(), env: { TOKEN_LIMIT_KEY: '500' } } });
    const sealed = await json(['cursor', '--dry-run']);
    const plain = await json(['cursor', '--dry-run', '--setting', 'TOKEN_LIMIT_KEY']);
    expect([sealed, plain].map((it) => it.value.servers[0].secrets)).toEqual([['TOKEN_LIMIT_KEY'], []]);
  });
});

describe('agreement', () => {
  test('--yes needs every grant by the name of its server', async () => {
    putCursor({ docs: node() });
    const before = read(cursorFile());
    const error = await errorOf(['cursor', '--yes', '--no-trial']);
    expect(error).toMatchObject({
      code: 'approval_required',
      hint: `name it: --allow docs=read:${dirname(script)}; or leave them out: --skip docs`,
    });
    expect(await errorOf(['cursor', '--no-trial'])).toMatchObject({ code: 'approval_required' });
    expect(await errorOf(['cursor', '--yes', '--allow', 'net:example.com'])).toMatchObject({ code: 'usage' });
    expect(await errorOf(['cursor', '--only', 'nothing'])).toMatchObject({ code: 'usage' });
    expect(read(cursorFile())).toBe(before);
  }, 60_000);

  test('--allow grants to one server, by its own name before the name of a package', async () => {
    putCursor({ Notes: node(), notes: node() });
    const grant = `read:${dirname(script)}`;
    const allowed = async (...args: string[]) => {
      const { value } = await json(['cursor', '--dry-run', ...args]);
      return value.servers.map((it: { entry: string; package: string; allowed: string[] }) => [
        ...[it.entry, it.package, it.allowed],
      ]);
    };
    expect(await allowed('--allow', `notes=${grant}`)).toEqual([
      ['Notes', 'notes', []],
      ['notes', 'notes-2', [grant]],
    ]);
    expect(await allowed('--as', 'Notes=first', '--allow', `first=${grant}`)).toEqual([
      ['Notes', 'first', [grant]],
      ['notes', 'notes', []],
    ]);
    const unclear = ['--as', 'Notes=x', '--as', 'notes=x', '--allow', `x=${grant}`];
    expect(await errorOf(['cursor', '--dry-run', ...unclear])).toMatchObject({
      ...{ code: 'usage', message: expect.stringContaining('several servers: Notes, notes') },
    });
    putCursor({ a: node(), 'a=b': node() });
    expect(await errorOf(['cursor', '--dry-run', '--allow', `a=b=${grant}`])).toMatchObject({
      code: 'usage',
    });
    expect(await errorOf(['cursor', '--dry-run', '--allow', `c=${grant}`])).toMatchObject({ code: 'usage' });
  }, 60_000);

  test('a dry run starts and changes nothing, and its digest can be agreed to', async () => {
    putCursor({ docs: node() });
    const before = read(cursorFile());
    const allow = yes('docs').slice(1);
    const dry = await json(['cursor', '--dry-run', ...allow]);
    expect(dry.value).toMatchObject({ status: 'planned', digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(read(cursorFile())).toBe(before);
    expect(await errorOf(['cursor', '--agree', 'x', ...allow])).toMatchObject({ code: 'integrity' });
    const done = await json(['cursor', '--agree', dry.value.digest, ...allow]);
    expect(done).toMatchObject({ code: 0, value: { status: 'imported' } });
  }, 60_000);

  test('a person sees one page and chooses for each server', async () => {
    mkdirSync(join(folder.path, 'notes'));
    // The sandbox user of root must be able to write there.
    chmodSync(join(folder.path, 'notes'), 0o777);
    const withFolder = { command: 'node', args: [script, join(folder.path, 'notes')] };
    putCursor({ first: node(), second: withFolder, third: node() });
    const declined = await run(['cursor'], { answers: ['n'] });
    expect(declined.code).toBe(5);
    expect(declined.out).toContain('3 servers move to Toolwharf');
    expect(declined.out).toContain(`reads ${join(folder.path, 'notes')}`);
    expect(declined.out).toContain('started; 1 tool: see');
    const chosen = await run(['cursor'], { answers: ['c', 'y', 'w', 's'] });
    expect(chosen.code, chosen.out + chosen.err).toBe(0);
    expect(chosen.out).toContain('! third stays in the file: you left it out');
    expect(Object.keys(JSON.parse(read(cursorFile())).mcpServers)).toEqual(['third', 'toolwharf']);
    const host = await createHost({ state: state() });
    const session = await host.session({ directories: [], intent: 'look', accept: null });
    const info = JSON.stringify(await session.installations.list());
    expect(info).toContain(`"write":["${join(folder.path, 'notes')}"]`.replaceAll('"', '\\"'));
    await host.close();
  }, 60_000);
});

describe('what can go wrong', () => {
  test('a server that fails stays in the file, and the others move', async () => {
    const broken = { command: 'node', args: [join(dirname(script), 'broken.mjs')] };
    putCursor({ docs: node(), broken, gone: { command: 'no-such-program-here' } });
    const { code, value } = await json(['cursor', ...yes('docs', 'broken')]);
    const byName = Object.fromEntries(value.servers.map((it: { entry: string }) => [it.entry, it]));
    expect(byName.docs).toMatchObject({ status: 'moved' });
    expect(byName.gone).toMatchObject({
      status: 'outside',
      reason: expect.stringContaining('no-such-program-here'),
    });
    expect(byName.broken).toMatchObject({ status: 'failed' });
    expect(code).not.toBe(0);
    expect(Object.keys(JSON.parse(read(cursorFile())).mcpServers)).toEqual(['broken', 'gone', 'toolwharf']);
  }, 60_000);

  test('changes of the file during the import stay, and an entry that changed does not move', async () => {
    putCursor({ docs: node(), other: node() });
    const meanwhile = () => putCursor({ docs: node(), other: { ...node(), env: { A: 'b' } }, third: node() });
    const { code, out } = await run(['cursor'], { answers: ['y'], meanwhile });
    expect(code).toBe(6);
    expect(out).toContain('other stays in the file: it changed in the file during the import');
    expect(Object.keys(JSON.parse(read(cursorFile())).mcpServers)).toEqual(['other', 'third', 'toolwharf']);
  }, 60_000);

  test('a stopped import leaves the file as it is, and the next one goes on', async () => {
    putCursor({ docs: node() });
    const before = read(cursorFile());
    const stop = new AbortController();
    const options = { answers: ['y'], meanwhile: () => stop.abort(), signal: stop.signal };
    expect(await errorOf(['cursor'], options)).toMatchObject({ code: 'canceled' });
    expect(read(cursorFile())).toBe(before);
    expect(await json(['cursor', ...yes('docs')])).toMatchObject({ code: 0, value: { status: 'imported' } });
  }, 60_000);

  test('names that are taken get a number, and the same server is not installed twice', async () => {
    putCursor({ Docs: node() });
    await json(['cursor', ...yes('Docs')]);
    const file = put(
      join(project, 'servers.json'),
      JSON.stringify({ servers: { docs: { ...node(), env: { MODE: 'x' } }, again: node() } }),
    );
    const { value } = await json([file, ...yes('docs')]);
    expect(value).toMatchObject({
      client: 'file',
      servers: [
        {
          entry: 'docs',
          package: 'docs-2',
          notes: expect.arrayContaining(['another package is named docs']),
        },
        { entry: 'again', package: 'docs', notes: ['docs is installed already and stays as it is'] },
      ],
    });
    const undone = await json([file, '--undo', '--yes']);
    expect(undone.value.status).toBe('restored');
  }, 60_000);

  test('a package that is served only in another workspace is not used; the server is installed again', async () => {
    const elsewhere = join(folder.path, 'home');
    const installIn = async (root: string) => {
      const host = await createHost({ state: state() });
      const session = await host.session({ directories: [], root, accept: null });
      const { installations } = session;
      const allow = [`read:${dirname(script)}`];
      const draft = await installations.draftServer({ command: ['node', script], name: 'docs', allow });
      const plan = await installations.plan({ source: draft.source, allow });
      const by = { name: 'person', channel: 'terminal' as const };
      await installations.install({ source: draft.source, allow, agree: plan.digest, onlyHere: true, by });
      await host.close();
    };
    await installIn(elsewhere);
    putCursor({ docs: node() });
    const other = await json(['cursor', '--dry-run']);
    expect(other.value.servers).toMatchObject([{ entry: 'docs', package: 'docs-2', version: '0.0.0' }]);
    const named = await json(['cursor', '--dry-run', '--as', 'docs=docs']);
    expect(named.value.servers).toMatchObject([{ entry: 'docs', status: 'outside' }]);
    // Control: served here too, it is used.
    await installIn(project);
    const here = await json(['cursor', '--dry-run']);
    expect(here.value.servers).toMatchObject([{ entry: 'docs', package: 'docs' }]);
  }, 60_000);
});

test('once a PIN is set, an import needs it, before anything is started', async () => {
  putCursor({ docs: node() });
  const before = read(cursorFile());
  const host = await createHost({ state: state() });
  await host.operator.setPin('493817', 'person');
  await host.close();
  expect(await errorOf(['cursor', ...yes('docs')])).toMatchObject({ code: 'pin_required' });
  expect(read(cursorFile())).toBe(before);
  put(join(project, 'pin'), '493817\n');
  const { value } = await json(['cursor', ...yes('docs'), '--pin-file', 'pin']);
  expect(value.status).toBe('imported');
}, 60_000);

describe('undo', () => {
  test('is denied after a change of somebody else, says which, and --merge keeps the change', async () => {
    putCursor({ docs: { ...node(), env: { API_KEY: key } } });
    await json(['cursor', ...yes('docs')]);
    const file = JSON.parse(read(cursorFile()));
    file.mcpServers.later = { command: 'later', env: { TOKEN: 'hidden-value' } };
    put(cursorFile(), JSON.stringify(file, null, 2));
    const changed = read(cursorFile());
    const base = await errorOf(['cursor', '--undo', '--yes']);
    expect(base).toMatchObject({ code: 'integrity', hint: expect.stringContaining('--merge') });
    expect(read(cursorFile())).toBe(changed);
    const merged = await run(['cursor', '--undo', '--merge', '--yes']);
    expect(merged.code).toBe(0);
    expect(merged.out + merged.err).not.toContain(key);
    expect(JSON.parse(read(cursorFile())).mcpServers).toEqual({
      docs: { ...node(), env: { API_KEY: key } },
      later: { command: 'later', env: { TOKEN: 'hidden-value' } },
    });
    expect(await errorOf(['cursor', '--undo', '--yes'])).toMatchObject({ code: 'not_found' });
  }, 60_000);

  test('--merge says which entry it cannot put back, and keeps the backup until all are back', async () => {
    const secret = { ...node(), env: { API_KEY: key } };
    putCursor({ docs: secret, other: node() });
    const moved = await json(['cursor', ...yes('docs', 'other')]);
    const file = JSON.parse(read(cursorFile()));
    put(
      cursorFile(),
      JSON.stringify({ mcpServers: { ...file.mcpServers, docs: { command: 'later' }, other: node() } }),
    );
    const merged = await json(['cursor', '--undo', '--merge', '--yes']);
    expect(merged).toMatchObject({
      code: 6,
      value: {
        status: 'restored',
        servers: [
          {
            entry: 'docs',
            status: 'failed',
            reason: expect.stringContaining('another entry with this name'),
          },
          { entry: 'other', status: 'restored' },
        ],
      },
    });
    expect(JSON.parse(read(cursorFile())).mcpServers).toEqual({ docs: { command: 'later' }, other: node() });
    expect(existsSync(moved.value.backup)).toBe(true);
    const shown = await run(['cursor', '--undo', '--merge', '--yes']);
    expect(shown.code).toBe(6);
    expect(shown.out).toContain('docs does not come back: the file has another entry with this name');
    putCursor({ other: node() });
    expect(await json(['cursor', '--undo', '--merge', '--yes'])).toMatchObject({ code: 0 });
    expect(JSON.parse(read(cursorFile())).mcpServers).toEqual({ docs: secret, other: node() });
    expect(existsSync(moved.value.backup)).toBe(false);
  }, 60_000);

  test('leaves the packages, says how to revoke them, and a new import moves them again', async () => {
    putCursor({ docs: node() });
    const before = read(cursorFile());
    await json(['cursor', ...yes('docs')]);
    const undone = await run(['cursor', '--undo', '--yes']);
    expect(undone.err).toContain('toolwharf revoke docs');
    expect(read(cursorFile())).toBe(before);
    const again = await json(['cursor', '--yes']);
    expect(again.value.servers).toMatchObject([{ entry: 'docs', status: 'moved', package: 'docs' }]);
  }, 60_000);
});

test('an entry of ours stays as it is, and servers of the other scope are named', async () => {
  putCursor({ docs: node() });
  await json(['cursor', ...yes('docs')]);
  const own = JSON.parse(read(cursorFile())).mcpServers.toolwharf;
  putCursor({ toolwharf: own, docs: node() });
  put(join(project, '.cursor/mcp.json'), JSON.stringify({ mcpServers: { local: node() } }));
  const { value } = await json(['cursor', '--yes']);
  expect(value).toMatchObject({
    status: 'imported',
    alsoIn: [{ scope: 'project', file: join(project, '.cursor/mcp.json'), servers: ['local'] }],
  });
  expect(JSON.parse(read(cursorFile())).mcpServers).toEqual({ toolwharf: own });
}, 60_000);

describe('an entry that only looks like ours', () => {
  const ours = () => ({ command: process.execPath, args: [main, 'mcp', '--installed', '--state', state()] });
  const withArgs = (...args: string[]) => ({ command: process.execPath, args: [main, 'mcp', ...args] });
  const reasons: readonly (readonly [string, () => object, string])[] = [
    ['a program of the repository', () => ({ command: './x/toolwharf', args: ['mcp'] }), 'this installation'],
    ['a name in the PATH', () => ({ command: 'toolwharf', args: ['mcp'] }), 'this installation'],
    ['another interpreter', () => ({ ...ours(), command: './node' }), 'this installation'],
    [
      'another script',
      () => ({ ...ours(), args: [join(project, 'dist/main.cjs'), 'mcp'] }),
      'this installation',
    ],
    [
      'code in a variable',
      () => ({ ...ours(), env: { NODE_OPTIONS: '--require ./x.cjs' } }),
      'other variables (NODE_OPTIONS)',
    ],
    ['a host elsewhere', () => withArgs('--connect', 'https://tools.example.com'), 'at a URL'],
    [
      'a URL with a token',
      () => ({ url: 'http://127.0.0.1:1/mcp', headers: { Authorization: 'Bearer tw_abc' } }),
      'at a URL',
    ],
    ['another state directory', () => withArgs('--state', join(folder.path, 'other')), 'state directory'],
    ['the default state directory', () => withArgs('--installed'), 'state directory'],
    ['a set of tools', () => withArgs('--state', state(), '--set', 'few'), 'one set'],
    ['no sandbox', () => withArgs('--state', state(), '--unsafe-no-sandbox'), 'without a sandbox'],
    ['an unknown option', () => withArgs('--state', state(), '--other'), 'does not have'],
    ['turned off', () => ({ ...ours(), disabled: true }), 'turned off'],
  ];

  test.each(reasons)('%s is named, and not used instead of ours', async (_what, entry, reason) => {
    putCursor({ toolwharf: entry(), docs: node() });
    const { value, code } = await json(['cursor', ...yes('docs'), '--no-trial']);
    expect(code).toBe(0);
    expect(value).toMatchObject({
      ...{ status: 'imported', name: 'toolwharf-2' },
      servers: [
        { entry: 'docs', status: 'moved' },
        { entry: 'toolwharf', status: 'outside', reason: expect.stringContaining(reason) },
      ],
    });
    expect(JSON.parse(read(cursorFile())).mcpServers).toEqual({
      toolwharf: entry(),
      'toolwharf-2': { command: process.execPath, args: expect.arrayContaining([main, '--installed']) },
    });
  });

  test('control: an entry for this host is used', async () => {
    putCursor({ mine: ours(), docs: node() });
    const { value } = await json(['cursor', ...yes('docs'), '--no-trial']);
    expect(value).toMatchObject({ name: 'mine', servers: [{ entry: 'docs', status: 'moved' }] });
    expect(JSON.parse(read(cursorFile())).mcpServers).toEqual({ mine: ours() });
  });

  test('alone in a file, it is named too, and in the file of another scope', async () => {
    const entry = { command: './x/toolwharf', args: ['mcp'] };
    put(join(project, '.mcp.json'), JSON.stringify({ mcpServers: { toolwharf: entry } }));
    const alone = await run(['claude-code']);
    expect(alone.out).toContain('! toolwharf stays in the file: it looks like Toolwharf, but does not start');
    put(join(home, '.claude.json'), JSON.stringify({ mcpServers: { docs: node() } }));
    const { value } = await json(['claude-code', '--scope', 'user', '--dry-run']);
    expect(value.alsoIn).toMatchObject([{ scope: 'project', servers: ['toolwharf'] }]);
  });

  test('its name cannot be chosen for ours', async () => {
    putCursor({ toolwharf: { command: './x/toolwharf', args: ['mcp'] }, docs: node() });
    expect(await errorOf(['cursor', '--name', 'toolwharf', '--dry-run'])).toMatchObject({ code: 'usage' });
  });
});

test.each([
  ['a.json', '{"context_servers":{"docs":NODE}}'],
  ['a.jsonc', '{// x\n"mcpServers":{"docs":NODE,},}'],
  ['a.toml', '[mcp_servers.docs]\ncommand = "node"\nargs = ["SCRIPT"]\n'],
  ['a.yaml', 'mcpServers:\n  docs:\n    command: node\n    args: ["SCRIPT"]\n'],
  ['b.yml', 'mcpServers:\n  - name: docs\n    command: node\n    args: ["SCRIPT"]\n'],
])(
  'the file %s has servers',
  async (name, shape) => {
    const text = shape.replace('NODE', JSON.stringify(node())).replace('SCRIPT', script);
    const file = put(join(project, name), text);
    const { value } = await json([name, ...yes('docs'), '--no-trial']);
    expect(value).toMatchObject({ client: 'file', servers: [{ entry: 'docs', status: 'moved' }] });
    await json([name, '--undo', '--yes']);
    expect(read(file)).toBe(text);
  },
  60_000,
);

test.each([
  ['no-such-client', 'not_found'],
  ['none.json', 'not_found'],
  ['empty.json', 'invalid_config'],
  ['broken.json', 'invalid_config'],
  ['windsurf', 'not_found'],
])('%s cannot be imported', async (name, code) => {
  put(join(project, 'empty.json'), '{}');
  put(join(project, 'broken.json'), '{');
  expect(await errorOf([name])).toMatchObject({ code });
});
