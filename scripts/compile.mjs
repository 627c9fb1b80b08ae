// Starts the built command a few times and keeps what V8 made of its scripts, see keep-compiled.mjs. What is not kept is
// compiled at each start, so that this may fail: the command works all the same, and slower.
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const patienceMs = 60_000;
const hello = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'build', version: '1' },
};
const questions = [
  { jsonrpc: '2.0', id: 1, method: 'initialize', params: hello },
  { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} },
];

/** One command, preloaded; `lines` gives what it prints, `ended` rejects where it fails. */
function start(words) {
  const preload = new URL('./keep-compiled.mjs', import.meta.url).href;
  const child = spawn(process.execPath, ['--import', preload, 'dist/main.cjs', ...words], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
    timeout: patienceMs,
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const said = createInterface({ input: child.stderr })[Symbol.asyncIterator]();
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${words[0]} ended with ${code}`)),
    );
  });
  ended.catch(() => {});
  return { child, lines, said, ended };
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

async function overPipes(tools, state) {
  const host = start(['host', '--state', state]);
  // It says that it started.
  await host.said.next();
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

export async function compile() {
  const folder = mkdtempSync(join(tmpdir(), 'toolwharf-build-'));
  chmodSync(folder, 0o755);
  const tools = join(folder, 'tools');
  mkdirSync(join(tools, 'echo'), { recursive: true });
  writeFileSync(join(tools, 'echo', 'index.mjs'), 'export const handler = ({ input }) => input;\n');
  const manifest = {
    name: 'echo',
    description: 'Says what it is told, and does nothing else.',
    system_prompt: 'You say what you are told, word by word, using the tool say and nothing else at all.',
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
    await overPipes(tools, join(folder, 'state-2'));
    await start(['validate', 'examples', '--json']).ended;
  } catch (error) {
    process.stderr.write(
      `warning: starts of the command will be slower than they can be: ${error.message}\n`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
