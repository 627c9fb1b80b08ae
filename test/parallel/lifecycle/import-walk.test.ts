// Six servers of a Claude Desktop file, as people have them: all move, official clients call each, and undo restores.
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { removeTree } from '../../../src/environment/file-tree.js';
import { wheel } from '../../support/archive.js';
import { documentIn } from '../../support/json-documents.js';
import { closeUpstreams } from '../../support/mcp-upstream.js';
import type { Era } from '../../support/mcp-wire.js';
import {
  type OAuthServer,
  oauthServer,
  type ProtectedServer,
  protectedServer,
} from '../../support/oauth-server.js';
import { packageMirror } from '../../support/package-mirror.js';
import {
  type LoopbackServer,
  loopbackServer,
  main,
  temporaryFolder,
  toolwharf,
  until,
} from '../../support/toolwharf.js';

const key = 'k3yQ9vX2mB7wLp4Zt8Rd';
const official = ['filesystem', 'memory', 'everything', 'sequential-thinking'];

/** A server from a Python index; it needs API_KEY and shows only its length. */
const pythonServer = `import json, os, sys

def answer(method, params):
    if method == "initialize":
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "clock", "version": "1"}}
    if method == "tools/list":
        return {"tools": [{"name": "length", "description": "The length of the key.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": str(len(os.environ["API_KEY"]))}]}
    return {}

def main():
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        if message["method"] not in ("initialize", "tools/list", "tools/call", "ping"):
            reply = {"error": {"code": -32601, "message": "no such method"}}
        else:
            reply = {"result": answer(message["method"], message.get("params", {}))}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **reply}), flush=True)
`;

const folder = temporaryFolder({ 'notes/hello.txt': 'hello from a note\n', 'home/.keep': '' });
const notes = join(folder.path, 'notes');
const home = join(folder.path, 'home');
const file = join(home, '.config/Claude/claude_desktop_config.json');
const state = ['--state', join(folder.path, 'state')];
let index: LoopbackServer;
let authority: OAuthServer;
let desk: ProtectedServer;
let before: Buffer;

beforeAll(async () => {
  const made = wheel('key_clock', '1.2.0', pythonServer, [], {
    'key_clock-1.2.0.dist-info/entry_points.txt': '[console_scripts]\nkey-clock = key_clock:main\n',
  });
  const names = official.map((it) => `@modelcontextprotocol/server-${it}`);
  index = await loopbackServer(packageMirror(names, [{ name: 'key-clock', ...made }]));
  authority = await oauthServer();
  desk = await protectedServer(authority);
  const memory = join(folder.path, 'memory');
  mkdirSync(memory);
  // The sandbox user of root must be able to write there.
  for (const it of [memory, notes]) chmodSync(it, 0o777);
  const npx = (it: string, ...args: string[]) => ({
    command: 'npx',
    args: ['-y', `@modelcontextprotocol/server-${it}`, ...args],
  });
  const servers = {
    filesystem: npx('filesystem', notes),
    memory: { ...npx('memory'), env: { MEMORY_FILE_PATH: join(memory, 'memory.jsonl') } },
    everything: npx('everything'),
    'sequential-thinking': npx('sequential-thinking'),
    clock: { command: 'uvx', args: ['key-clock'], env: { API_KEY: key } },
    desk: { url: desk.url },
  };
  mkdirSync(join(home, '.config/Claude'), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ globalShortcut: 'Alt+C', mcpServers: servers }, null, '\t')}\r\n`);
  before = readFileSync(file);
}, 60_000);
afterAll(async () => {
  await closeUpstreams();
  await authority.close();
  await index.close();
  // The background host writes until it is idle and ends.
  await vi.waitFor(() => removeTree(folder.path), { timeout: 30_000 });
});

const run = (args: readonly string[]) =>
  toolwharf([...args, ...state], { cwd: home, env: { HOME: home, XDG_CONFIG_HOME: '' } });

/** Signs in as a person with a browser does. */
async function signIn(): Promise<void> {
  const net = [desk.url, authority.issuer].flatMap((it) => ['--allow', `net:${new URL(it).host}`]);
  const args = ['sign-in', 'desk', '--issuer', authority.issuer, '--no-browser', ...net, ...state];
  const child = spawn(process.execPath, [main, ...args], { cwd: home, stdio: 'pipe' });
  let shown = '';
  child.stderr.on('data', (it) => {
    shown += it;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  await until(() => /\n {2}http\S+\n/.test(shown) || child.exitCode !== null, 60_000);
  const url = /\n {2}(http\S+)\n/.exec(shown)?.[1];
  expect(url, shown).toBeDefined();
  await fetch(await authority.approve(url as string));
  expect(await ended, shown).toBe(0);
}

describe('six servers of Claude Desktop', () => {
  test('are imported in one step, and the one that wants a sign-in says so', async () => {
    const origin = `http://127.0.0.1:${index.port}`;
    const moved = await run([
      ...['import', 'claude-desktop', '--yes', '--json', '--npm-registry', `${origin}/npm/`],
      ...['--index', `${origin}/simple/`, '--allow', `toolwharf=net:127.0.0.1:${index.port}`],
      ...['--allow', `filesystem=write:${notes}`, '--allow', `memory=write:${join(folder.path, 'memory')}`],
      ...['--allow', `desk=net:${new URL(desk.url).host}`],
    ]);
    expect(moved.code, moved.stdout + moved.stderr).toBe(0);
    expect(moved.stdout + moved.stderr).not.toContain(key);
    const { value } = documentIn(moved.stdout);
    const ready = { status: 'moved', state: 'ready' };
    expect(value).toMatchObject({
      status: 'imported',
      servers: [
        { entry: 'filesystem', ...ready },
        { entry: 'memory', ...ready },
        { entry: 'everything', ...ready },
        { entry: 'sequential-thinking', ...ready },
        { entry: 'clock', ...ready, version: '1.2.0', secrets: ['API_KEY'] },
        {
          entry: 'desk',
          status: 'moved',
          state: 'needs-setup',
          needs: [expect.stringContaining('sign-in desk')],
        },
      ],
    });
    const now = JSON.parse(readFileSync(file, 'utf8'));
    expect(Object.keys(now.mcpServers)).toEqual(['toolwharf']);
    expect(now.globalShortcut).toBe('Alt+C');
    await index.close();
  }, 240_000);

  test('are all ready after the sign-in', async () => {
    await signIn();
    const { stdout } = await run(['list', notes, '--json']);
    const { packages } = documentIn(stdout).value as { packages: { id: string; state: string }[] };
    expect(packages.map((it) => [it.id, it.state])).toEqual(
      ['clock', 'desk', 'everything', 'filesystem', 'memory', 'sequential-thinking'].map((it) => [
        it,
        'ready',
      ]),
    );
  }, 60_000);

  test.each<Era>(['2025', '2026'])(
    'are called by an official client of %s',
    async (era) => {
      const { command, args } = JSON.parse(readFileSync(file, 'utf8')).mcpServers.toolwharf;
      const mode = era === '2025' ? 'legacy' : { pin: '2026-07-28' };
      const client = new Client({ name: 'official', version: '1.0.0' }, { versionNegotiation: { mode } });
      const env = { ...(process.env as Record<string, string>), HOME: home, TOOLWHARF_IDLE: '1s' };
      await client.connect(new StdioClientTransport({ command, args: [...args, '--expose', 'all'], env }));
      try {
        const { tools } = await client.listTools();
        const names = tools.map((it) => it.name);
        const call = async (name: string, given: Record<string, unknown>) => {
          expect(names).toContain(name);
          return JSON.stringify(await client.callTool({ name, arguments: given }));
        };
        expect(await call('filesystem_read_text_file', { path: join(notes, 'hello.txt') })).toContain(
          'hello from a note',
        );
        expect(await call('memory_read_graph', {})).toContain('entities');
        expect(await call('everything_echo', { message: 'sound' })).toContain('sound');
        const thought = { thought: 'one', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
        expect(await call('sequential-thinking_sequentialthinking', thought)).toContain(
          'thoughtHistoryLength',
        );
        expect(await call('clock_length', {})).toContain(String(key.length));
        expect(await call('desk_say', { text: 'over there' })).toContain('over there');
      } finally {
        await client.close();
      }
    },
    120_000,
  );

  test('are back in the file after --undo, byte for byte', async () => {
    const undone = await run(['import', 'claude-desktop', '--undo', '--yes']);
    expect(undone.code, undone.stderr).toBe(0);
    expect(undone.stderr).toContain('clock is still installed; to remove it: toolwharf revoke clock');
    expect(readFileSync(file).equals(before)).toBe(true);
  }, 60_000);
});
