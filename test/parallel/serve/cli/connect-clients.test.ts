// Clients whose files are TOML or YAML, or whose entries have other members.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { createHost } from '../../../../src/host/create.js';
import { parseArguments } from '../../../../src/serve/cli/command/arguments.js';
import { connectCommand } from '../../../../src/serve/cli/commands/connect.js';
import { clientKeyPath } from '../../../../src/serve/socket/client-key.js';
import { testTerminal } from '../../../support/terminal.js';
import { temporaryFolder } from '../../../support/toolwharf.js';

const main = '/opt/toolwharf/dist/main.cjs';
let folder: ReturnType<typeof temporaryFolder>;
let home: string;

beforeEach(() => {
  folder = temporaryFolder({});
  home = join(folder.path, 'home');
  mkdirSync(join(home, 'tools'), { recursive: true });
});
afterEach(() => folder.remove());

async function connect(...args: readonly string[]) {
  const command = connectCommand({ platform: 'linux', node: process.execPath, home });
  const base = testTerminal({ cwd: home, environment: { HOME: home } });
  const terminal = {
    ...base,
    main,
    openHost: ({ state }: { readonly state: string }) => createHost({ state }),
  };
  const code = await command.run(
    parseArguments(command, [...args, '--state', join(folder.path, 'state'), '--yes']),
    terminal,
  );
  return { code, ...base.printed };
}

function put(path: string, text: string): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const read = (path: string) => readFileSync(join(home, path), 'utf8');
const state = () => join(folder.path, 'state');
const argsFor = (path: string, isRooted: boolean) => [
  main,
  'mcp',
  join(home, 'tools'),
  ...(isRooted ? ['--root', home] : []),
  ...['--state', state(), '--client-key-file', clientKeyPath(state(), join(home, path), 'toolwharf')],
];

const codexText = `# my models
model = "x"

[mcp_servers.docs] # keep
command = "npx"
args = ["-y", "docs"]

[mcp_servers.docs.env]
KEY = "v"

[profiles.a]
model = "y"
`;

const gooseText = `# goose
GOOSE_MODEL: x
extensions:
  developer: # built in
    enabled: true
    type: builtin
    name: developer
  docs:
    enabled: true
    type: stdio
    name: docs
    cmd: npx
    args: [-y, docs]
    envs: {}
# the end
theme: dark
`;

const continueText = `name: mine
version: 1.0.0
mcpServers:
  - name: docs
    command: npx
    args:
      - -y
      - docs # the docs
models: []
`;

const files = {
  codex: ['.codex/config.toml', codexText, parseToml],
  goose: ['.config/goose/config.yaml', gooseText, parseYaml],
  continue: ['.continue/config.yaml', continueText, parseYaml],
  zed: ['.config/zed/settings.json', '{\n  // zed\n  "theme": "One"\n}\n', jsonWithComments],
  opencode: ['.config/opencode/opencode.json', '{\n  "theme": "x"\n}\n', JSON.parse],
  'lm-studio': ['.lmstudio/mcp.json', '{\n  "mcpServers": {}\n}\n', JSON.parse],
} as const;

function jsonWithComments(text: string) {
  return JSON.parse(text.replace(/\/\/.*$/gm, ''));
}

type Entry = readonly [readonly string[], object];
const entries: Readonly<Record<keyof typeof files, () => Entry>> = {
  codex: () => [
    ['mcp_servers', 'toolwharf'],
    { command: process.execPath, args: argsFor('.codex/config.toml', false) },
  ],
  goose: () => [
    ['extensions', 'toolwharf'],
    {
      ...{ name: 'toolwharf', enabled: true, timeout: 300, type: 'stdio', cmd: process.execPath },
      args: argsFor('.config/goose/config.yaml', false),
    },
  ],
  continue: () => [
    ['mcpServers', '1'],
    { name: 'toolwharf', command: process.execPath, args: argsFor('.continue/config.yaml', true) },
  ],
  zed: () => [
    ['context_servers', 'toolwharf'],
    { command: process.execPath, args: argsFor('.config/zed/settings.json', true) },
  ],
  opencode: () => [
    ['mcp', 'servers', 'toolwharf'],
    {
      ...{ type: 'local', enabled: true },
      command: [process.execPath, ...argsFor('.config/opencode/opencode.json', false)],
    },
  ],
  'lm-studio': () => [
    ['mcpServers', 'toolwharf'],
    { command: process.execPath, args: argsFor('.lmstudio/mcp.json', true) },
  ],
};

const names = Object.keys(files) as (keyof typeof files)[];

describe.each(names)('%s', (name) => {
  const [path, text, parse] = files[name];

  test('connecting adds one entry, connecting again changes nothing, and removing restores the meaning', async () => {
    put(path, text);
    expect((await connect(name, 'tools')).code).toBe(0);
    const [place, entry] = entries[name]();
    const written = parse(read(path));
    let found: unknown = written;
    for (const step of place) found = (found as Record<string, unknown>)[step];
    expect(found).toEqual(entry);
    const connected = read(path);
    expect((await connect(name, 'tools')).out).toContain('nothing to do');
    expect(read(path)).toBe(connected);
    expect((await connect(name, '--remove')).code).toBe(0);
    expect(lines(read(path))).toEqual(expect.arrayContaining(lines(text).filter((it) => !/\{\}/.test(it))));
    expect((await connect(name, 'tools')).code).toBe(0);
    expect((await connect(name, '--undo')).code).toBe(0);
  });

  test('undo restores every byte', async () => {
    put(path, text);
    await connect(name, 'tools');
    await connect(name, '--undo');
    expect(read(path)).toBe(text);
  });

  test('the file is created', async () => {
    expect((await connect(name, 'tools')).code).toBe(0);
    const [place, entry] = entries[name]();
    let found: unknown = parse(read(path));
    for (const step of place) found = (found as Record<string, unknown>)[/^\d$/.test(step) ? '0' : step];
    expect(found).toEqual(entry);
  });

  test('printing the entry writes nothing', async () => {
    const { out } = await connect(name, 'tools', '--print');
    expect(() => parse(out)).not.toThrow();
    expect(out).toContain('main.cjs');
  });
});

function lines(text: string): string[] {
  return text.split('\n').map((it) => it.trim().replace(/,$/, ''));
}

test('everything else in the file stays as it is', async () => {
  for (const name of ['codex', 'goose', 'continue'] as const) {
    const [path, text] = files[name];
    put(path, text);
    await connect(name, 'tools');
    for (const line of text.split('\n')) expect(read(path)).toContain(line);
  }
});

test('a token in a user file of Codex is a header, and a project file names a variable', async () => {
  await connect('codex', '--http', 'http://127.0.0.1:8377');
  const { mcp_servers } = parseToml(read('.codex/config.toml')) as never as Record<
    string,
    Record<string, object>
  >;
  expect(mcp_servers?.toolwharf).toMatchObject({
    url: 'http://127.0.0.1:8377/mcp',
    http_headers: { Authorization: expect.stringMatching(/^Bearer tw_/) },
  });
  await connect('codex', '--scope', 'project', '--http', 'https://tools.example.com', '--name', 'far');
  expect(read('.codex/config.toml')).toContain('bearer_token_env_var = "TOOLWHARF_TOKEN"');
});

test('OpenCode 1 has its servers one level higher', async () => {
  put('.config/opencode/opencode.json', '{"mcp": {"a": {"type": "local", "command": ["x"]}}}\n');
  await connect('opencode', 'tools');
  expect(JSON.parse(read('.config/opencode/opencode.json')).mcp).toHaveProperty('toolwharf.type', 'local');
});

test('connect says which servers the client uses without Toolwharf', async () => {
  put('.codex/config.toml', codexText);
  const { err } = await connect('codex', 'tools');
  expect(err).toContain('without Toolwharf, Codex also uses: docs');
  const { out } = await connect('codex', 'tools', '--json');
  expect(JSON.parse(out)).toMatchObject({ status: 'unchanged', others: ['docs'] });
});

test('connect also names a program that only looks like Toolwharf', async () => {
  put('.cursor/mcp.json', '{"mcpServers": {"fake": {"command": "./x/toolwharf", "args": ["mcp"]}}}');
  const { out } = await connect('cursor', 'tools', '--json');
  expect(JSON.parse(out)).toMatchObject({ status: 'added', others: ['fake'] });
});

test.each([
  ['codex', '.codex/config.toml', 'a = = 1\n'],
  ['goose', '.config/goose/config.yaml', 'a: [\n'],
  ['goose', '.config/goose/config.yaml', 'a: 1\na: 2\n'],
])('a file of %s that cannot be parsed is not changed', async (name, path, text) => {
  put(path, text);
  await expect(connect(name, 'tools')).rejects.toThrow(/line \d+, column \d+.*nothing was written/);
  expect(read(path)).toBe(text);
});
