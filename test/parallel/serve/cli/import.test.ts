// The command `import` with files of all clients: what moves, what stays and why, and how the file comes back.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
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
