// Starts the built command a few times and saves V8's compiled code of its scripts, see save-compiled.mjs. If this fails, the
// command works all the same; it compiles its scripts at each start and is slower.
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const timeoutMs = 60_000;
const hello = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'build', version: '1' },
};
const questions = [
  { jsonrpc: '2.0', id: 1, method: 'initialize', params: hello },
  { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} },
];

/** Starts one command; `lines` is its output, `ended` rejects if it fails. */
function start(args) {
  const preload = new URL('./save-compiled.mjs', import.meta.url).href;
  const child = spawn(process.execPath, ['--import', preload, 'dist/main.cjs', ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
    timeout: timeoutMs,
  });
  child.stdin.on('error', () => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const errors = createInterface({ input: child.stderr })[Symbol.asyncIterator]();
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${args[0]} ended with ${code}`)),
    );
  });
  ended.catch(() => {});
  return { child, lines, errors, ended };
}

function post(url, token, body) {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const sent = request(url, { method: 'POST', headers, agent: false }, (answer) => {
      answer.resume();
      answer.once('end', resolve);
    });
    sent.once('error', reject);
    sent.end(JSON.stringify(body));
  });
}

async function overHttp(tools, state) {
  const { child, lines, ended } = start(['serve', tools, '--json', '--port', '0', '--state', state]);
  const { mcp, agentToken } = JSON.parse((await lines.next()).value);
  for (const it of questions) await post(mcp, agentToken, it);
  child.kill('SIGTERM');
  await ended;
}

async function overStdio(tools, state) {
  // What a client starts accepts nothing.
  await start(['review', tools, '--yes', '--state', state]).ended;
  const host = start(['host', '--state', state]);
  // Its first line says that it has started.
  await host.errors.next();
  const shim = start(['mcp', tools, '--state', state]);
  for (const it of questions) {
    shim.child.stdin.write(`${JSON.stringify(it)}\n`);
    await shim.lines.next();
  }
  shim.child.stdin.end();
  await shim.ended;
  host.child.kill('SIGTERM');
  await host.ended;
}

export async function precompile() {
  const folder = mkdtempSync(join(tmpdir(), 'toolwharf-build-'));
  chmodSync(folder, 0o755);
  const tools = join(folder, 'tools');
  mkdirSync(join(tools, 'echo'), { recursive: true });
  writeFileSync(join(tools, 'echo', 'index.mjs'), 'export const handler = ({ input }) => input;\n');
  const manifest = {
    name: 'echo',
    description: 'Returns its input.',
    system_prompt: 'You repeat what the user says, word by word. Use the tool say for it and nothing else.',
    kind: 'code-bundle',
    example_prompts: ['Say hello.'],
    runtime: { kind: 'node', version: '20' },
    entrypoint: { path: 'index.mjs' },
    mcp: { mode: 'wrap' },
    allowed_hosts: [],
    tools: [{ name: 'say', description: 'Say a text.', input_schema: { type: 'object', properties: {} } }],
  };
  writeFileSync(join(tools, 'echo', 'findagent.json'), JSON.stringify(manifest));
  try {
    await overHttp(tools, join(folder, 'state-1'));
    await overStdio(tools, join(folder, 'state-2'));
    await start(['plan', join(tools, 'echo'), '--state', join(folder, 'state-2')]).ended;
    await start(['validate', 'examples', '--json']).ended;
  } catch (error) {
    process.stderr.write(
      `warning: the command was not precompiled and will start slower: ${error.message}\n`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
