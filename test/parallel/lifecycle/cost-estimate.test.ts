// The page that estimates the cost of a package: read only if somebody asks, with the guarded client, and shown with its age.
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Plan } from '../../../src/index.js';
import { counterPackage } from '../../support/lifecycle-packages.js';
import { type LoopbackServer, loopbackServer, toolwharf } from '../../support/toolwharf.js';
import { type Workbench, workbench } from '../../support/workbench.js';

let server: LoopbackServer;
let bench: Workbench;
let answer = { status: 200, body: '' };

beforeAll(async () => {
  server = await loopbackServer((_, response) => {
    response.writeHead(answer.status);
    response.end(answer.body);
  });
  const estimate_url = `http://127.0.0.1:${server.port}/estimate`;
  bench = await workbench(counterPackage({ more: { cost: { monthly_fee_cents: 500, estimate_url } } }));
});
beforeEach(() => {
  server.requests.length = 0;
  answer = { status: 200, body: '{"monthly_cents": 1234}\n' };
});
afterAll(async () => {
  await bench.close();
  await server.close();
});

const grant = () => `net:127.0.0.1:${server.port}`;
const source = () => join(bench.packages, 'counter');

async function plan(estimate: boolean, allow: readonly string[] = [grant()]): Promise<Plan> {
  const session = await bench.session({ directories: [], accept: null, allow: [...allow] });
  return session.installations.plan({ source: source(), estimate });
}

test('it is read only if somebody asks, and changes nothing that is agreed to', async () => {
  const without = await plan(false);
  expect(without.cost).toMatchObject({ monthlyFeeCents: 500, estimateUrl: expect.any(String) });
  expect([without.cost?.estimate, server.requests]).toEqual([undefined, []]);
  const before = Date.now();
  const { cost, digest } = await plan(true);
  expect(cost?.estimate?.text).toBe('{"monthly_cents": 1234}');
  expect(cost?.estimate?.readAt).toBeGreaterThanOrEqual(before - 1);
  expect(digest).toBe(without.digest);
  expect(server.requests.map((it) => [it.method, it.url])).toEqual([['GET', '/estimate']]);
  expect(Object.keys(server.requests[0]?.headers ?? {})).not.toContain('authorization');
});

test('a page on this machine is not read without a grant, and a plan is made in any case', async () => {
  const { cost } = await plan(true, []);
  expect(cost?.estimate?.text).toMatch(/^it could not be read: /);
  expect(server.requests).toEqual([]);
});

test('an error, an empty page and a long page are no surprise', async () => {
  const textOf = async (status: number, body: string) => {
    answer = { status, body };
    return (await plan(true)).cost?.estimate?.text;
  };
  expect(await textOf(503, 'busy')).toBe('127.0.0.1 answered 503 without an estimate');
  expect(await textOf(200, ' ')).toBe('127.0.0.1 answered 200 without an estimate');
  expect(await textOf(200, 'a'.repeat(2000))).toBe('a'.repeat(500));
  expect(await textOf(200, 'a'.repeat(200_000))).toMatch(/^it could not be read: /);
});

test('the page of the plan shows it with its age, and no control characters', async () => {
  answer = { status: 200, body: '4 dollars \u001B[2J\u202E' };
  const words = ['plan', source(), '--state', join(bench.path, 'other-state'), '--allow', grant()];
  const run = (...more: readonly string[]) => toolwharf([...words, ...more], { cwd: bench.path });
  const unread = await run();
  expect(unread).toMatchObject({ code: 0, stdout: expect.stringContaining('(read it with --estimate)') });
  expect(server.requests).toEqual([]);
  const { stdout } = await run('--estimate');
  expect(stdout).toMatch(/estimate of \d{4}-\d\d-\d\d \d\d:\d\d: 4 dollars <U\+001B>\[2J<U\+202E>/);
}, 60_000);
