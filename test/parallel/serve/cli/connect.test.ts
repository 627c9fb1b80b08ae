// Realistic client files: with comments, other servers, other line endings, empty, invalid, and behind links.
import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHost } from '../../../../src/host/create.js';
import { HostError } from '../../../../src/model/host-error.js';
import type { Json } from '../../../../src/model/json.js';
import { parseArguments } from '../../../../src/serve/cli/command/arguments.js';
import { connectCommand } from '../../../../src/serve/cli/commands/connect.js';
import { clients } from '../../../../src/serve/clients/clients.js';
import { parseJsonc, removeMember, setMember } from '../../../../src/serve/clients/syntax/jsonc.js';
import { clientKeyPath, readClientKey } from '../../../../src/serve/socket/client-key.js';
import { testTerminal } from '../../../support/terminal.js';
import { main, patchTool, temporaryFolder, until } from '../../../support/toolwharf.js';

const connect = connectCommand({ platform: 'linux', node: process.execPath, home: '/nowhere' });

let folder: ReturnType<typeof temporaryFolder>;
let home: string;
let project: string;
let tools: string;
beforeEach(() => {
  folder = temporaryFolder({
    'home/.keep': '',
    'project/.keep': '',
    'tools/count.py': patchTool({ name: 'count' }),
  });
  home = join(folder.path, 'home');
  project = join(folder.path, 'project');
  tools = join(folder.path, 'tools');
});
afterEach(() => folder.remove());

interface RunOptions {
  readonly answer?: boolean;
  readonly command?: typeof connect;
  readonly environment?: Record<string, string>;
  /** Runs while the question is open. */
  readonly meanwhile?: () => void;
}

async function run(args: readonly string[], options: RunOptions = {}) {
  const command = options.command ?? connect;
  const base = testTerminal({
    cwd: project,
    environment: { HOME: home, XDG_STATE_HOME: join(folder.path, 'state'), ...options.environment },
    ...(options.answer === undefined ? {} : { answer: options.answer }),
  });
  const terminal = {
    ...base,
    main,
    confirm: async (question: string) => {
      options.meanwhile?.();
      return base.confirm(question);
    },
    openHost: ({ state }: { readonly state: string }) => createHost({ state }),
  };
  const code = await command.run(parseArguments(command, args), terminal);
  return { code, ...base.printed };
}

async function errorOf(args: readonly string[], options: RunOptions = {}): Promise<HostError> {
  const error = await run(args, options).catch((it: unknown) => it);
  expect(error).toBeInstanceOf(HostError);
  return error as HostError;
}

function put(path: string, text: string): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const read = (path: string) => readFileSync(path, 'utf8');
const cursorFile = () => join(home, '.cursor/mcp.json');
const stateFolder = () => join(folder.path, 'state', 'toolwharf');
const keyFile = (file = cursorFile(), name = 'toolwharf', state = stateFolder()) =>
  clientKeyPath(state, file, name);
const keyArgs = (...of: Parameters<typeof keyFile>) => ['--client-key-file', keyFile(...of)];
const stdio = (...of: Parameters<typeof keyFile>) => ({
  command: process.execPath,
  args: [main, 'mcp', tools, ...keyArgs(...of)],
});
const backups = (file: string) => readdirSync(dirname(file)).filter((it) => it.includes('.toolwharf-'));

test('the help of connect has at least three examples', () =>
  expect(connect.examples.length).toBeGreaterThanOrEqual(3));

describe('file locations and entries', () => {
  const machine = (platform: NodeJS.Platform, environment: Record<string, string> = {}) => ({
    platform,
    home: platform === 'win32' ? 'C:\\Users\\ada' : '/home/ada',
    project: platform === 'win32' ? 'D:\\work' : '/work',
    environment,
  });

  test.each([
    [
      'claude-desktop',
      'user',
      'darwin',
      {},
      '/home/ada/Library/Application Support/Claude/claude_desktop_config.json',
    ],
    ['claude-desktop', 'user', 'linux', {}, '/home/ada/.config/Claude/claude_desktop_config.json'],
    ['claude-desktop', 'user', 'linux', { XDG_CONFIG_HOME: '/c' }, '/c/Claude/claude_desktop_config.json'],
    [
      'claude-desktop',
      'user',
      'linux',
      { XDG_CONFIG_HOME: 'c' },
      '/home/ada/.config/Claude/claude_desktop_config.json',
    ],
    ['claude-desktop', 'user', 'win32', { APPDATA: 'E:\\R' }, 'E:\\R\\Claude\\claude_desktop_config.json'],
    [
      'claude-desktop',
      'user',
      'win32',
      {},
      'C:\\Users\\ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
    ],
    ['claude-code', 'user', 'linux', {}, '/home/ada/.claude.json'],
    ['claude-code', 'project', 'darwin', {}, '/work/.mcp.json'],
    ['claude-code', 'local', 'linux', {}, '/home/ada/.claude.json'],
    ['cursor', 'user', 'darwin', {}, '/home/ada/.cursor/mcp.json'],
    ['cursor', 'project', 'win32', {}, 'D:\\work\\.cursor\\mcp.json'],
    ['vscode', 'project', 'linux', {}, '/work/.vscode/mcp.json'],
    ['vscode', 'user', 'darwin', {}, '/home/ada/Library/Application Support/Code/User/mcp.json'],
    ['vscode', 'user', 'linux', {}, '/home/ada/.config/Code/User/mcp.json'],
    ['gemini-cli', 'user', 'linux', {}, '/home/ada/.gemini/settings.json'],
    ['gemini-cli', 'project', 'linux', {}, '/work/.gemini/settings.json'],
    ['windsurf', 'user', 'win32', {}, 'C:\\Users\\ada\\.codeium\\windsurf\\mcp_config.json'],
    ['codex', 'user', 'darwin', {}, '/home/ada/.codex/config.toml'],
    ['codex', 'user', 'linux', { CODEX_HOME: '/c' }, '/c/config.toml'],
    ['codex', 'project', 'linux', {}, '/work/.codex/config.toml'],
    ['zed', 'user', 'darwin', {}, '/home/ada/.config/zed/settings.json'],
    ['zed', 'user', 'linux', { XDG_CONFIG_HOME: '/c' }, '/c/zed/settings.json'],
    ['zed', 'user', 'win32', {}, 'C:\\Users\\ada\\AppData\\Roaming\\Zed\\settings.json'],
    ['zed', 'project', 'linux', {}, '/work/.zed/settings.json'],
    [
      'cline',
      'user',
      'linux',
      {},
      '/home/ada/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
    ],
    ['cline', 'user', 'linux', { CLINE_MCP_SETTINGS_PATH: '/c.json' }, '/c.json'],
    ['opencode', 'user', 'darwin', {}, '/home/ada/.config/opencode/opencode.json'],
    ['opencode', 'project', 'linux', {}, '/work/opencode.json'],
    ['goose', 'user', 'darwin', {}, '/home/ada/.config/goose/config.yaml'],
    ['goose', 'user', 'win32', {}, 'C:\\Users\\ada\\AppData\\Roaming\\Block\\goose\\config\\config.yaml'],
    ['continue', 'user', 'linux', {}, '/home/ada/.continue/config.yaml'],
    ['lm-studio', 'user', 'linux', {}, '/home/ada/.lmstudio/mcp.json'],
  ] as const)(
    'the file of %s in scope %s on %s is found (environment %j)',
    (name, scope, platform, environment, path) => {
      expect(clients[name].file(scope, machine(platform, environment))).toBe(path);
    },
  );

  test.each([
    ['claude-desktop', 'home', '.config/Claude/claude_desktop_config.json', 'mcpServers', {}, true],
    ['claude-code', 'project', '.mcp.json', 'mcpServers', { type: 'stdio' }, false],
    ['cursor', 'home', '.cursor/mcp.json', 'mcpServers', {}, false],
    ['vscode', 'project', '.vscode/mcp.json', 'servers', { type: 'stdio' }, false],
    ['gemini-cli', 'home', '.gemini/settings.json', 'mcpServers', {}, false],
    ['windsurf', 'home', '.codeium/windsurf/mcp_config.json', 'mcpServers', {}, true],
  ] as const)(
    'the entry of %s starts the program with absolute paths',
    async (name, base, path, container, more, rooted) => {
      expect((await run([name, tools, '--yes'])).code).toBe(0);
      const file = join(base === 'home' ? home : project, path);
      const args = [main, 'mcp', tools, ...(rooted ? ['--root', project] : []), ...keyArgs(file)];
      const text = read(file);
      expect(JSON.parse(text)).toEqual({
        [container]: { toolwharf: { ...more, command: process.execPath, args } },
      });
      expect(text.endsWith('}\n')).toBe(true);
    },
  );

  test.each([
    ['claude-code', '.mcp.json', { type: 'http', url: 'U' }, '${TOOLWHARF_TOKEN}'],
    ['cursor', '.cursor/mcp.json', { url: 'U' }, '${env:TOOLWHARF_TOKEN}'],
    ['vscode', '.vscode/mcp.json', { type: 'http', url: 'U' }, '${env:TOOLWHARF_TOKEN}'],
    ['gemini-cli', '.gemini/settings.json', { httpUrl: 'U' }, '$TOOLWHARF_TOKEN'],
  ] as const)(
    'the entry of %s with a URL in a project file contains no token',
    async (name, path, entry, reference) => {
      const url = 'http://127.0.0.1:8377/mcp';
      const { err } = await run([name, '--scope', 'project', '--http', 'http://127.0.0.1:8377', '--yes']);
      const value = parse(read(join(project, path)));
      expect(value[clients[name].container[0] as string].toolwharf).toEqual({
        ...(JSON.parse(JSON.stringify(entry).replace('"U"', JSON.stringify(url))) as object),
        headers: { Authorization: `Bearer ${reference}` },
      });
      expect(err).toContain('TOOLWHARF_TOKEN');
      expect(existsSync(join(folder.path, 'state'))).toBe(false);
    },
  );

  test('session options are copied to the entry with absolute paths', async () => {
    const args = [
      '--root',
      'sub',
      '--allow',
      'read:data',
      '--allow',
      'count=write:out',
      '--allow',
      'net:a.example',
    ];
    await run(['cursor', '../tools', ...args, '--state', 'here', '--yes']);
    expect(JSON.parse(read(cursorFile())).mcpServers.toolwharf.args).toEqual([
      main,
      'mcp',
      tools,
      '--root',
      join(project, 'sub'),
      '--allow',
      `read:${join(project, 'data')}`,
      '--allow',
      `count=write:${join(project, 'out')}`,
      '--allow',
      'net:a.example',
      '--state',
      join(project, 'here'),
      ...keyArgs(cursorFile(), 'toolwharf', join(project, 'here')),
    ]);
    expect(() => parseArguments(connect, ['cursor', '--unsafe-no-sandbox'])).toThrow(/has no option/);
  });

  test('without a path the entry names the working directory', async () => {
    await run(['cursor', '--yes']);
    expect(JSON.parse(read(cursorFile())).mcpServers.toolwharf.args).toEqual([
      main,
      'mcp',
      project,
      ...keyArgs(),
    ]);
  });

  test('connect chatgpt prints steps and writes no file', async () => {
    const { code, out } = await run(['chatgpt', '--http', 'https://tools.example.com']);
    expect(code).toBe(0);
    expect(out).toContain('https://tools.example.com/mcp');
    const { steps, status } = JSON.parse((await run(['chatgpt', '--json'])).out);
    expect(status).toBe('steps');
    expect(steps.length).toBeGreaterThan(3);
    expect(readdirSync(home)).toEqual(['.keep']);
  });

  test('the command of a written entry starts and answers', async () => {
    await run(['claude-desktop', tools, '--state', join(folder.path, 'served'), '--yes']);
    const file = join(home, '.config/Claude/claude_desktop_config.json');
    const { command, args } = JSON.parse(read(file)).mcpServers.toolwharf;
    const child = spawn(command, args, { cwd: '/', stdio: 'pipe', env: { TOOLWHARF_IDLE: '1' } });
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    };
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
    const line = await new Promise<string>((resolve, reject) => {
      let text = '';
      child.stdout.on('data', (chunk) => {
        text += chunk;
        if (text.includes('\n')) resolve(text);
      });
      child.once('close', (code) => reject(new Error(`ended with ${code}`)));
    });
    child.stdin.end();
    expect(JSON.parse(line).result.serverInfo.name).toBe('toolwharf');
    await new Promise((done) => child.once('close', done));
    await until(() => !existsSync(join(folder.path, 'served', 'host.sock')), 20_000);
  }, 60_000);
});

describe('existing files', () => {
  const busy = `// My servers
{
    "mcpServers": {
        // the notes
        "notes": {
            "command": "notes-server", // fast
            "env": { "NOTES_API_KEY": "sk-live-0123456789" }
        } /* keep
             this */ // and this
    },
    "theme": "dark", // at night
}
`;

  test('comments, other servers, indentation and a trailing comma are kept', async () => {
    const file = put('.cursor/mcp.json', busy);
    const { out } = await run(['cursor', tools, '--yes']);
    const entry = JSON.stringify(stdio(), null, 4).split('\n').join('\n        ');
    expect(read(file)).toBe(
      busy
        .replace('        } /* keep', '        }, /* keep')
        .replace('// and this\n', `// and this\n        "toolwharf": ${entry}\n`),
    );
    expect(out).not.toContain('sk-live-0123456789');
    await run(['cursor', '--remove', '--yes']);
    expect(read(file)).toBe(busy);
  });

  const cases: Record<string, string> = {
    'CRLF line endings': '{\r\n\t"mcpServers": {\r\n\t\t"a": { "command": "x" }\r\n\t}\r\n}\r\n',
    'no newline at the end': '{\n  "mcpServers": {\n    "a": {}\n  }\n}',
    'all on one line': '{"mcpServers": {"a": {"command": "x"}}, "b": [1]}',
    'a comment and all on one line': '{ "mcpServers": { "a": {} /* a */ } }\n',
    'a trailing comma': '{\n  "mcpServers": {\n    "a": {}, // a\n  },\n}\n',
    'leading commas': '{\n  "b": 1\n, "mcpServers": {\n    "a": 1\n  , "c": 2\n  }\n}\n',
    'closing braces on the last line': '{\n  "mcpServers": { "a": 1,\n    "c": 2 } }\n',
    'a byte order mark': '\uFEFF{\n  "mcpServers": { "a": {} }\n}\n',
  };
  test.each(Object.entries(cases))(
    'adding and removing restores every byte of a file with %s',
    async (_, text) => {
      const file = put('.cursor/mcp.json', text);
      const before = parse(text.replace('\uFEFF', ''));
      await run(['cursor', tools, '--yes']);
      const made = read(file);
      expect(made.startsWith('\uFEFF')).toBe(text.startsWith('\uFEFF'));
      expect(/(?<!\r)\n/.test(made)).toBe(/(?<!\r)\n/.test(text));
      expect(made.endsWith('\n')).toBe(text.endsWith('\n'));
      const errors: [] = [];
      const after = parse(made.replace('\uFEFF', ''), errors, { allowTrailingComma: true });
      expect(errors).toEqual([]);
      expect(after).toEqual({ ...before, mcpServers: { ...before.mcpServers, toolwharf: stdio() } });
      expect(Object.keys(after)).toEqual(Object.keys(before));
      await run(['cursor', '--remove', '--yes']);
      expect(read(file)).toBe(text);
    },
  );

  test.each([
    ['no content', ''],
    ['white space', '\n \n'],
    ['an empty object', '{}'],
    ['an empty object on two lines', '{\n}\n'],
    ['no servers yet', '{ "mcpServers": {} }\n'],
    ['other settings', '{\n\t"theme": "dark"\n}\n'],
    ['only a comment', '// mine\n'],
    ['an empty object with a comment', '{\n  // mine\n}\n'],
  ])('an entry can be added to a file with %s', async (_, text) => {
    const file = put('.cursor/mcp.json', text);
    await run(['cursor', tools, '--yes']);
    const errors: [] = [];
    expect(parse(read(file), errors)).toEqual({ ...parse(text), mcpServers: { toolwharf: stdio() } });
    expect(errors).toEqual([]);
    if (text.includes('mine')) expect(read(file)).toContain('// mine\n');
    if (text.includes('\t')) expect(read(file)).toContain('\n\t"mcpServers": {\n\t\t"toolwharf"');
  });

  test.each([
    ['{\n  "mcpServers": {\n    "a": {},\n  oops\n', /mcp\.json, line 4, column 3: invalid symbol; nothing/],
    ['{"mcpServers": {"a": {}}', /line 1, column \d+: close brace expected/],
    ['\uFEFF{"a" 1}', /line 1, column 6: colon expected/],
    ['[]', /line 1, column 1: the file is not a JSON object/],
    ['{"mcpServers": []}', /line 1, column 16: "mcpServers" is not an object/],
    ['{\n"mcpServers": {},\n"mcpServers": {}}', /line 3, column 1: "mcpServers" occurs twice/],
    ['{"mcpServers": {"toolwharf": 1}}', /"toolwharf" is not an object/],
  ])('the file %j is rejected and not changed', async (text, message) => {
    const file = put('.cursor/mcp.json', text);
    for (const args of [[tools], ['--remove']]) {
      const error = await errorOf(['cursor', ...args, '--yes']);
      expect(error.code).toBe('invalid_config');
      expect(error.message).toMatch(message);
    }
    expect(read(file)).toBe(text);
    expect(backups(file)).toEqual([]);
  });

  test('a file that is not UTF-8, a folder and a broken link are rejected', async () => {
    const file = put('.cursor/mcp.json', '');
    writeFileSync(file, Buffer.from([0xff, 0xfe, 0x7b, 0x00]));
    expect((await errorOf(['cursor', tools, '--yes'])).message).toContain('not UTF-8');
    mkdirSync(join(home, '.gemini/settings.json'), { recursive: true });
    expect((await errorOf(['gemini-cli', tools, '--yes'])).message).toContain('not a regular file');
    mkdirSync(join(home, '.codeium/windsurf'), { recursive: true });
    symlinkSync(join(home, 'gone'), join(home, '.codeium/windsurf/mcp_config.json'));
    expect((await errorOf(['windsurf', tools, '--yes'])).message).toContain('it is a broken link');
  });

  test('a read-only file is not changed, even by root', async () => {
    const file = put('.cursor/mcp.json', '{}');
    chmodSync(file, 0o444);
    expect((await errorOf(['cursor', tools, '--yes'])).message).toContain('read-only');
    expect(read(file)).toBe('{}');
    chmodSync(file, 0o644);
    expect((await run(['cursor', tools, '--yes'])).code).toBe(0);
  });

  test('a link is followed and stays a link, and the file mode is kept', async () => {
    const real = put('dotfiles/mcp.json', '{}');
    chmodSync(real, 0o640);
    mkdirSync(join(home, '.cursor'));
    symlinkSync(real, cursorFile());
    const { out } = await run(['cursor', tools, '--yes']);
    expect(out).toContain(`a link to ${real}`);
    expect(lstatSync(cursorFile()).isSymbolicLink()).toBe(true);
    expect(JSON.parse(read(real)).mcpServers.toolwharf).toEqual(stdio());
    expect(statSync(real).mode & 0o777).toBe(0o640);
    expect(backups(real)).toHaveLength(1);
    expect(statSync(join(dirname(real), backups(real)[0] as string)).mode & 0o777).toBe(0o640);
  });

  test('a new user file is private, and a new project file is readable by all', async () => {
    await run(['cursor', tools, '--yes']);
    expect(statSync(cursorFile()).mode & 0o777).toBe(0o600);
    await run(['claude-code', tools, '--yes']);
    expect(statSync(join(project, '.mcp.json')).mode & 0o444).toBe(0o444);
  });
});

describe('update, remove and undo', () => {
  test('a second run changes nothing', async () => {
    await run(['cursor', tools, '--yes']);
    const text = read(cursorFile());
    const { out } = await run(['cursor', tools]);
    expect(out).toBe(`nothing to do: ${cursorFile()} already has toolwharf\n`);
    expect(read(cursorFile())).toBe(text);
    expect(backups(cursorFile())).toEqual([]);
  });

  test('an entry that connect wrote is updated, and fields that a user added are kept', async () => {
    const old = {
      command: '/old/bin/node',
      args: ['/old/toolwharf/dist/main.js', 'mcp', '/x'],
      disabled: true,
    };
    put('.cursor/mcp.json', JSON.stringify({ mcpServers: { toolwharf: old, other: {} } }, null, 2));
    await run(['cursor', tools, '--yes']);
    expect(JSON.parse(read(cursorFile())).mcpServers).toEqual({
      toolwharf: { ...stdio(), disabled: true },
      other: {},
    });
    await run(['cursor', '--scope', 'user', '--http', 'https://tools.example.com/mcp', '--yes']);
    expect(JSON.parse(read(cursorFile())).mcpServers.toolwharf).toEqual({
      url: 'https://tools.example.com/mcp',
      headers: { Authorization: 'Bearer ${env:TOOLWHARF_TOKEN}' },
      disabled: true,
    });
  });

  test.each([
    { command: 'toolwharf-proxy', args: ['mcp'] },
    { command: 'node', args: ['/x/dist/main.js', 'serve'] },
    { command: 'node', args: ['/x/server.js', 'mcp'] },
    { url: 'http://127.0.0.1:8377/mcp', headers: { Authorization: 'Bearer other' } },
    {},
  ])('an entry that connect did not write is not changed without --force: %j', async (entry) => {
    const file = put('.cursor/mcp.json', JSON.stringify({ mcpServers: { toolwharf: entry } }));
    const before = read(file);
    for (const args of [[tools], ['--remove']])
      expect((await errorOf(['cursor', ...args, '--yes'])).message).toContain('did not write');
    expect(read(file)).toBe(before);
    await run(['cursor', tools, '--name', 'mine', '--yes']);
    expect(JSON.parse(read(file)).mcpServers).toEqual({ toolwharf: entry, mine: stdio(file, 'mine') });
    await run(['cursor', tools, '--force', '--yes']);
    expect(JSON.parse(read(file)).mcpServers.toolwharf).toEqual(stdio());
  });

  test('--remove without an entry changes nothing', async () => {
    expect((await run(['cursor', '--remove'])).out).toContain('has no toolwharf');
    expect(existsSync(cursorFile())).toBe(false);
  });

  test('--undo restores one change at a time', async () => {
    const file = put('.cursor/mcp.json', '{ "first": 1 }\n');
    await run(['cursor', tools, '--yes']);
    const second = read(file);
    await run(['cursor', '--remove', '--yes']);
    expect(backups(file)).toHaveLength(2);
    await run(['cursor', '--undo', '--yes']);
    expect(read(file)).toBe(second);
    await run(['cursor', '--undo', '--yes']);
    expect(read(file)).toBe('{ "first": 1 }\n');
    expect(backups(file)).toEqual([]);
    expect((await errorOf(['cursor', '--undo', '--yes'])).code).toBe('not_found');
  });

  test('--undo without --force never discards later changes of the file', async () => {
    const file = put('.cursor/mcp.json', '{}\n');
    await run(['cursor', tools, '--yes']);
    const edited = setMember(read(file), ['theme'], 'dark');
    writeFileSync(file, edited);
    const error = await errorOf(['cursor', '--undo', '--yes']);
    expect(error.code).toBe('integrity');
    expect(read(file)).toBe(edited);
    await run(['cursor', '--undo', '--force', '--yes']);
    expect(read(file)).toBe('{}\n');
  });
});

describe('confirmation', () => {
  test('without a terminal or with --no-input, --yes is required', async () => {
    const error = await errorOf(['cursor', tools]);
    expect(error.code).toBe('usage');
    expect(error.hint).toContain('--yes');
    expect(existsSync(join(home, '.cursor'))).toBe(false);
    expect((await errorOf(['cursor', tools, '--no-input'], { answer: true })).hint).toContain('--yes');
  });

  test('a person sees the change and decides', async () => {
    put('.cursor/mcp.json', '{\n  "theme": "dark"\n}\n');
    const no = await run(['cursor', tools], { answer: false });
    expect(no).toMatchObject({ code: 1 });
    expect(no.out).toContain('-   "theme": "dark"\n+   "theme": "dark",\n+   "mcpServers": {\n');
    expect(no.out.endsWith('nothing was written\n')).toBe(true);
    expect(read(cursorFile())).toBe('{\n  "theme": "dark"\n}\n');
    const yes = await run(['cursor', tools], { answer: true });
    expect(yes.code).toBe(0);
    expect(yes.out).toContain('added toolwharf to');
    expect(yes.err).toContain('toolwharf-backup-1-');
  });

  test('a file that changes while the question is open is not overwritten', async () => {
    const file = put('.cursor/mcp.json', '{}\n');
    const meanwhile = () => writeFileSync(file, '{"new": 1}\n');
    expect((await errorOf(['cursor', tools], { answer: true, meanwhile })).code).toBe('integrity');
    expect(read(file)).toBe('{"new": 1}\n');
    expect(backups(file)).toEqual([]);
  });

  test('--dry-run and --print write nothing', async () => {
    const dry = await run(['cursor', tools, '--dry-run']);
    expect(dry).toMatchObject({ code: 0 });
    expect(dry.out).toContain('+     "toolwharf": {');
    const { out, err } = await run(['vscode', tools, '--print']);
    expect(JSON.parse(out)).toEqual({
      servers: { toolwharf: { type: 'stdio', command: process.execPath, args: [main, 'mcp', tools] } },
    });
    expect(err).toContain('.vscode/mcp.json');
    expect(readdirSync(home)).toEqual(['.keep']);
    expect(readdirSync(project)).toEqual(['.keep']);
  });

  test('--json prints one document with the status of the change', async () => {
    put('.cursor/mcp.json', '{}');
    const added = JSON.parse((await run(['cursor', tools, '--json', '--yes'])).out);
    expect(added).toMatchObject({
      schema: 'toolwharf/connect@1',
      client: 'cursor',
      scope: 'user',
      file: cursorFile(),
      name: 'toolwharf',
      status: 'added',
      entry: stdio(),
    });
    expect(existsSync(added.backup)).toBe(true);
    for (const [args, status] of [
      [[tools], 'unchanged'],
      [['--remove'], 'removed'],
      [['--remove'], 'absent'],
      [['--undo'], 'restored'],
    ] as const)
      expect(JSON.parse((await run(['cursor', ...args, '--json', '--yes'])).out).status).toBe(status);
  });

  test.each([
    [[], 'name a client'],
    [['cursr'], 'unknown client "cursr"'],
    [['cursor', '--print', '--remove'], '--print and --remove exclude each other'],
    [['windsurf', '--scope', 'project'], 'Windsurf has no scope "project"'],
    [['cursor', '--name', '../x'], '--name "../x" is not a valid name'],
    [['cursor', 'gone'], 'no such file or folder: gone'],
    [['claude-desktop', '--http', 'http://127.0.0.1:1'], 'supports only programs, not URLs'],
    [['cursor', '--http', 'http://tools.example.com'], 'unencrypted'],
    [['cursor', '--http', 'https://u:p@tools.example.com'], '--http tools.example.com contains a password'],
    [['cursor', '--http', 'file:///etc'], 'is not an http'],
    [['cursor', 'tools', '--http', 'http://127.0.0.1:1'], 'already has its packages'],
  ])('the args %j are rejected, and no file is written', async (args, message) => {
    expect((await errorOf([...args, '--yes'])).message).toContain(message);
    expect(readdirSync(home)).toEqual(['.keep']);
  });
});

describe('tokens', () => {
  const url = 'http://127.0.0.1:8377/mcp';
  const withHost = async <T>(
    use: (host: Awaited<ReturnType<typeof createHost>>) => Promise<T>,
  ): Promise<T> => {
    const host = await createHost({ state: stateFolder() });
    try {
      return await use(host);
    } finally {
      await host.close();
    }
  };
  const writtenToken = () => /Bearer (\S+)"/.exec(read(cursorFile()))?.[1] ?? '';

  test('a token is created for the client, kept while it is valid, and revoked with the entry', async () => {
    const shown = await run(['cursor', '--http', url, '--yes']);
    const token = writtenToken();
    expect(token).toMatch(/^tw_/);
    expect(shown.out + shown.err).not.toContain(token);
    expect(shown.out).toContain('Bearer •••');
    expect(await withHost((host) => host.tokens.check(token))).toMatchObject({
      name: 'cursor',
      role: 'agent',
    });
    const again = await run(['cursor', '--http', url, '--json', '--yes']);
    expect(JSON.parse(again.out).status).toBe('unchanged');
    expect(again.out).not.toContain(token);
    await run(['cursor', '--remove', '--yes']);
    expect(await withHost((host) => host.tokens.list())).toEqual([]);
  });

  test('a revoked token is replaced, and an entry without a URL revokes the token', async () => {
    await run(['cursor', '--http', url, '--yes']);
    const first = writtenToken();
    await withHost(async (host) => {
      const [entry] = await host.tokens.list();
      await host.tokens.revoke(entry?.id ?? '', 'test');
    });
    await run(['cursor', '--http', url, '--yes']);
    expect(writtenToken()).not.toBe(first);
    await run(['cursor', tools, '--yes']);
    expect(await withHost((host) => host.tokens.list())).toMatchObject([{ kind: 'stdio' }]);
    expect(JSON.parse(read(cursorFile())).mcpServers.toolwharf).toEqual(stdio());
  });

  test('--undo revokes the token, and a failed write leaves no token', async () => {
    const file = put('.cursor/mcp.json', '{}\n');
    await run(['cursor', '--http', url, '--yes']);
    await run(['cursor', '--undo', '--yes']);
    const meanwhile = () => writeFileSync(file, '{"new": 1}\n');
    await errorOf(['cursor', '--http', url], { answer: true, meanwhile });
    expect(await withHost((host) => host.tokens.list())).toEqual([]);
  });
});

describe('client keys', () => {
  const withHost = async <T>(
    use: (host: Awaited<ReturnType<typeof createHost>>) => Promise<T>,
  ): Promise<T> => {
    const host = await createHost({ state: stateFolder() });
    try {
      return await use(host);
    } finally {
      await host.close();
    }
  };
  const keys = () => withHost((host) => host.tokens.list());
  const pin = ['nobody', 'knows', '1'].join('-');

  test('each entry gets a key of its own, which is in no configuration file and in no argument', async () => {
    const { out, err } = await run(['cursor', tools, '--yes']);
    const mcpFile = join(project, '.mcp.json');
    await run(['claude-code', tools, '--yes']);
    await run(['cursor', tools, '--yes', '--name', 'second']);
    const key = readClientKey(keyFile()) as string;
    expect(key).toMatch(/^twc_[\w-]{43}$/);
    expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
    expect(read(cursorFile()) + read(mcpFile) + out + err).not.toContain('twc_');
    expect((await keys()).map((it) => [it.kind, it.principal, it.mayApprove])).toEqual([
      ['stdio', 'test/mcp/cursor', false],
      ['stdio', 'test/mcp/claude-code-project', false],
      ['stdio', 'test/mcp/cursor-second', false],
    ]);
    expect(await withHost((host) => host.tokens.check(key))).toMatchObject({ name: 'cursor' });
  });

  test('two projects with the same name are different clients', async () => {
    await run(['claude-code', tools, '--yes']);
    const other = join(folder.path, 'other', 'project');
    mkdirSync(other, { recursive: true });
    const before = project;
    project = other;
    await run(['claude-code', tools, '--yes']);
    project = before;
    expect((await keys()).map((it) => it.principal)).toEqual([
      'test/mcp/claude-code-project',
      'test/mcp/claude-code-project-2',
    ]);
  });

  test('a change replaces the key, and the client stays the same principal', async () => {
    await run(['cursor', tools, '--yes']);
    const [first] = await keys();
    const old = readClientKey(keyFile()) as string;
    await run(['cursor', tools, '--yes', '--allow', 'net:a.example']);
    const [second, ...more] = await keys();
    expect(more).toEqual([]);
    expect(second).toMatchObject({ principal: first?.principal, mayApprove: false });
    expect(second?.id).not.toBe(first?.id);
    expect(readClientKey(keyFile())).not.toBe(old);
    expect(await withHost((host) => host.tokens.check(old))).toBeNull();
  });

  test('a revoked key is replaced although the entry stays the same', async () => {
    await run(['cursor', tools, '--yes']);
    const [first] = await keys();
    await withHost((host) => host.tokens.revoke(first?.id ?? '', 'test'));
    const replaced = await run(['cursor', tools, '--yes']);
    expect(replaced.out).toContain('the entry stays the same; its key is replaced\nupdated toolwharf');
    // Another key never gets the principal of a revoked one.
    expect((await keys()).map((it) => it.principal)).toEqual([
      expect.stringMatching(/^test\/mcp\/cursor#tok_/),
    ]);
  });

  test('--remove and --undo revoke the key and delete its file', async () => {
    put('.cursor/mcp.json', '{}\n');
    await run(['cursor', tools, '--yes']);
    await run(['cursor', '--undo', '--yes']);
    expect([await keys(), existsSync(keyFile())]).toEqual([[], false]);
    await run(['cursor', tools, '--yes']);
    await run(['cursor', '--remove', '--yes']);
    expect([await keys(), existsSync(keyFile())]).toEqual([[], false]);
    const { err } = await run(['cursor', '--undo', '--yes']);
    expect(err).toContain('its key was revoked; connect again for a new one: toolwharf connect cursor');
  });

  test('a failed write leaves the earlier key in place', async () => {
    await run(['cursor', tools, '--yes']);
    const [first] = await keys();
    const key = readClientKey(keyFile());
    const meanwhile = () => writeFileSync(cursorFile(), '{"new": 1}\n');
    await errorOf(['cursor', tools, '--allow', 'net:a.example'], { answer: true, meanwhile });
    expect(readClientKey(keyFile())).toBe(key);
    expect((await keys()).map((it) => it.id)).toEqual([first?.id]);
  });

  test('a person decides whether the client may approve; without a person it may not', async () => {
    const asked = await run(['cursor', tools], { answer: true });
    expect(asked.err).toContain('An approval in Cursor needs no PIN');
    expect(asked.err).toContain('May a person approve held calls in Cursor?');
    expect(await keys()).toMatchObject([{ mayApprove: true }]);
    // Kept, because nobody said otherwise.
    await run(['cursor', tools, '--yes', '--allow', 'net:a.example']);
    expect(await keys()).toMatchObject([{ mayApprove: true }]);
    const denied = await run(['cursor', tools, '--yes', '--allow', 'net:a.example', '--no-may-approve']);
    expect(denied.out).toContain('updated toolwharf');
    expect(await keys()).toMatchObject([{ mayApprove: false }]);
    await run(['cursor', tools, '--yes', '--allow', 'net:a.example', '--may-approve']);
    expect(await keys()).toMatchObject([{ mayApprove: true }]);
    expect((await errorOf(['cursor', tools, '--may-approve', '--no-may-approve'])).code).toBe('usage');
  });

  test('a token in a user file may approve only with --may-approve', async () => {
    const url = 'http://127.0.0.1:8377/mcp';
    await run(['cursor', '--http', url, '--yes']);
    expect(await keys()).toMatchObject([{ kind: 'http', mayApprove: false }]);
    await run(['cursor', '--http', url, '--yes', '--may-approve']);
    expect(await keys()).toMatchObject([{ kind: 'http', principal: 'http/cursor', mayApprove: true }]);
    const shared = ['cursor', '--scope', 'project', '--http', url, '--yes', '--may-approve'];
    expect((await errorOf(shared)).hint).toContain('toolwharf token create cursor --may-approve');
  });

  test('once a PIN is set, connecting a client needs it', async () => {
    await withHost((host) => host.operator.setPin(pin, 'person'));
    expect((await errorOf(['cursor', tools, '--yes'])).code).toBe('pin_required');
    expect([existsSync(cursorFile()), existsSync(keyFile()), await keys()]).toEqual([false, false, []]);
    const pinFile = put('pin', `${pin}\n`);
    await run(['cursor', tools, '--yes', '--may-approve', '--pin-file', pinFile]);
    expect(await keys()).toMatchObject([{ mayApprove: true }]);
  });
});

describe('edits', () => {
  const key = fc.constantFrom('a', 'b', 'mcpServers', 'x y', 'ü', '"', '\\');
  const { tree } = fc.letrec<{ tree: Json; leaf: Json }>((tie) => ({
    leaf: fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null)) as fc.Arbitrary<Json>,
    tree: fc.oneof(
      { maxDepth: 3 },
      tie('leaf'),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
    ) as fc.Arbitrary<Json>,
  }));
  const layouts = fc.constantFrom<(value: unknown) => string>(
    (value) => JSON.stringify(value),
    (value) => JSON.stringify(value, null, 2),
    (value) => `${JSON.stringify(value, null, '\t')}\n`.replaceAll('\n', '\r\n'),
    (value) => `// top\n${JSON.stringify(value, null, 4).replaceAll(',\n', ', // c\n')}\n/* end */\n`,
  );

  test('adding a member changes nothing else, and removing it restores the text', () => {
    fc.assert(
      fc.property(fc.dictionary(key, tree, { minKeys: 1 }), tree, layouts, (object, value, layout) => {
        const text = layout(object);
        const made = setMember(text, ['toolwharf'], value);
        expect(parseJsonc(made).ok).toBe(true);
        expect(parse(made)).toEqual({ ...object, toolwharf: value });
        for (const comment of text.match(/\/\/ (?:c|top)\n|\/\* end \*\//g) ?? [])
          expect(made).toContain(comment);
        expect(removeMember(made, ['toolwharf'])).toBe(text);
      }),
      { numRuns: 400 },
    );
  });

  test('any member can be removed', () => {
    fc.assert(
      fc.property(fc.dictionary(key, tree, { minKeys: 1 }), fc.nat(), layouts, (object, at, layout) => {
        const keys = Object.keys(object);
        const removed = keys[at % keys.length] as string;
        const { [removed]: _, ...rest } = object;
        const text = removeMember(layout(object), [removed]);
        expect(parseJsonc(text).ok).toBe(true);
        expect(parse(text)).toEqual(rest);
      }),
      { numRuns: 400 },
    );
  });
});
