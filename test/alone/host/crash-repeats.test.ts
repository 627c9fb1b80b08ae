// A host that is killed during a call, with `kill -9`, and started again. The server counts requests and their keys.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type LoopbackServer,
  loopbackServer,
  main,
  temporaryFolder,
  toolwharf,
  until,
} from '../../support/toolwharf.js';
import { inputOf, toolspace } from '../../support/workbench.js';

const folder = temporaryFolder();
const state = join(folder.path, 'state');
const started: ChildProcess[] = [];
const seen: { path: string; key: string }[] = [];
let server: LoopbackServer;
let tools: ReturnType<typeof temporaryFolder>;
let isDown = true;

beforeAll(async () => {
  server = await loopbackServer((request, response) => {
    request.resume();
    seen.push({ path: request.url ?? '', key: String(request.headers['idempotency-key']) });
    // The first host waits for an answer until it is killed.
    if (!isDown) response.writeHead(200, { 'content-type': 'application/json' }).end('{"done":true}');
  });
  tools = temporaryFolder({
    'desk/toolspace.json': toolspace({
      id: 'desk',
      endpoint: `http://127.0.0.1:${server.port}`,
      actions: ['put', 'post'].map((name) => ({
        name,
        invocation: { kind: 'http', method: 'POST', path: `/${name}` },
        side_effects: 'write',
        idempotent: name === 'put',
        input: inputOf({ note: { type: 'string' } }),
        output: { format: 'json' },
      })),
    }),
  });
});
afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  await server.close();
  folder.remove();
  tools.remove();
});

async function serve(): Promise<{ child: ChildProcess; api: string; operator: string }> {
  const allow = ['--allow', `net:127.0.0.1:${server.port}`];
  const args = [main, 'serve', tools.path, '--json', '--port', '0', '--state', state, ...allow];
  const child = spawn(process.execPath, args, { cwd: folder.path, stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  let printed = '';
  child.stdout?.on('data', (chunk) => {
    printed += chunk;
  });
  await until(() => printed.includes('\n'), 30_000);
  const { api, token } = JSON.parse(printed.split('\n', 1)[0] as string) as { api: string; token: string };
  return { child, api, operator: token };
}

async function call(api: string, token: string, tool: string) {
  const response = await fetch(`${api}/call`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ tool: `desk/${tool}`, arguments: { note: 'hello' } }),
  });
  return (await response.json()) as { status: string; result?: unknown; warnings?: string[] };
}

const requests = (tool: string) => seen.filter((it) => it.path === `/${tool}`);

test('after kill -9, the next start repeats the call of an idempotent tool with its key, and never another one', async () => {
  const created = await toolwharf(['token', 'create', 'bot', '--json', '--state', state]);
  const { token } = JSON.parse(created.stdout) as { token: string };
  const first = await serve();
  const lost = ['put', 'post'].map((it) => call(first.api, token, it).catch(() => 'lost'));
  await until(() => seen.length === 2, 30_000);
  const ended = new Promise((resolve) => first.child.once('exit', resolve));
  first.child.kill('SIGKILL');
  await ended;
  expect(await Promise.all(lost)).toEqual(['lost', 'lost']);

  isDown = false;
  const second = await serve();
  // The client has not come back yet.
  await until(() => requests('put').length === 2, 30_000);
  expect(new Set(requests('put').map((it) => it.key)).size).toBe(1);
  // The client comes back, asks again, and gets the outcome of its call.
  const answer = await call(second.api, token, 'put');
  expect(answer).toMatchObject({ status: 'ok', result: { done: true } });
  expect(answer.warnings).toContainEqual(expect.stringContaining('repeated it'));
  expect([requests('put').length, requests('post').length]).toEqual([2, 1]);

  expect((await toolwharf(['audit', 'verify', '--state', state])).code).toBe(0);
  const authorization = `Bearer ${second.operator}`;
  const attention = await (await fetch(`${second.api}/attention`, { headers: { authorization } })).text();
  expect(attention).toMatch(/the outcome of desk\/post, .* it is not repeated/);
  expect(attention).not.toContain('the outcome of desk/put');
});
