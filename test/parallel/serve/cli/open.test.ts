// "toolwharf open": a link to the console of the running host, or of a host in the background.
import { existsSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { socketPath } from '../../../../src/serve/socket/socket-path.js';
import { request } from '../../../support/http-bench.js';
import { patchTool, temporaryFolder, toolwharf, until } from '../../../support/toolwharf.js';

const folder = temporaryFolder({ 'tools/word_count.py': patchTool({ name: 'word_count' }) });
const state = join(folder.path, 'state');
const env = { TOOLWHARF_IDLE: '1s' };

beforeAll(async () => {
  // Somebody must have accepted the package: opening the console accepts nothing.
  const args = [
    'call',
    join(folder.path, 'tools/word_count.py'),
    'word_count',
    '{"text":"a"}',
    '--state',
    state,
  ];
  expect((await toolwharf(args)).code).toBe(0);
});
afterAll(() => folder.remove());

async function signIn(link: string): Promise<{ port: number; cookie: string; csrf: string; origin: string }> {
  const { port, hash, origin } = new URL(link);
  const answer = await request(Number(port), '/console/api/sign-in', {
    body: { code: hash.slice('#code='.length) },
    headers: { origin },
  });
  const cookie = (answer.headers['set-cookie']?.[0] ?? '').split(';', 1)[0] as string;
  const { json } = await request(Number(port), '/console/api/state', { headers: { cookie } });
  return { port: Number(port), cookie, csrf: json.csrf, origin };
}

test('it starts a host in the background, whose console shows the packages; an open page keeps the host alive', async () => {
  const made = await toolwharf(['open', join(folder.path, 'tools'), '--json', '--state', state], { env });
  expect(made.stderr).toBe('');
  const { schema, url } = JSON.parse(made.stdout);
  expect(schema).toBe('toolwharf/open@1');
  const { port, cookie, csrf, origin } = await signIn(url);
  const report = await request(port, '/console/api/operations/session.packages', {
    body: { args: [] },
    headers: { origin, cookie, 'toolwharf-csrf': csrf },
  });
  expect(report.json.result.packages.map((it: { id: string; state: string }) => [it.id, it.state])).toEqual([
    ['word_count', 'ready'],
  ]);
  // An open page: the host has no other client, and would stop after a second.
  const events = httpRequest({ port, host: '127.0.0.1', path: '/console/api/events', headers: { cookie } });
  const first = await new Promise<string>((resolve) => {
    events.once('response', (response) => response.once('data', (chunk) => resolve(String(chunk))));
    events.end();
  });
  expect(first).toContain('"topics":[]');
  await new Promise((resolve) => setTimeout(resolve, 2000));
  expect((await request(port, '/console/api/state', { headers: { cookie } })).status).toBe(200);
  events.destroy();
  // Control: without the page it stops.
  await until(() => !existsSync(socketPath(state)), 15_000);
}, 40_000);

test('without a browser it prints the link and says what to do', async () => {
  const made = await toolwharf(['open', '--no-browser', '--state', state, join(folder.path, 'tools')], {
    env,
  });
  expect(made.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console\/#code=[\w-]{43}\n$/);
  expect(made.stderr).toBe('Open the link in a browser. It works once, for one hour.\n');
  const { port, cookie } = await signIn(made.stdout.trim());
  const events = httpRequest({ port, host: '127.0.0.1', path: '/console/api/events', headers: { cookie } });
  events.on('error', () => {});
  await new Promise<void>((resolve) => {
    events.once('response', (response) => response.once('data', () => resolve()));
    events.end();
  });
  events.destroy();
  await until(() => !existsSync(socketPath(state)), 15_000);
}, 40_000);
