// Rate limits and spend limits in a real host.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, createHost, type Host, type JsonObject } from '../../../src/index.js';
import { loopbackServer, main, temporaryFolder } from '../../support/toolwharf.js';
import {
  failureOf,
  findagent,
  inputOf,
  resultOf,
  type Workbench,
  workbench,
} from '../../support/workbench.js';

const text = { type: 'string' };
const number = { type: 'number' };

const tool = (
  name: string,
  properties: Readonly<Record<string, JsonObject>>,
  required?: readonly string[],
) => ({
  name,
  description: 'Write a line.',
  input_schema: inputOf(properties, required),
  action: { type: 'prompt-template', template: 'a line' },
});

const desk = findagent('Desk', {
  tools: [
    tool('write', { text: { ...text, default: '' } }),
    tool('free', {}),
    tool('asked', { text: { ...text, default: '' } }),
    tool('pay', { amount: number, note: { ...text, default: '' } }),
    tool('loose', { amount: {}, total: {} }, []),
    tool('plain', { text }),
    {
      ...tool('outer', { text: { ...text, default: '' } }),
      action: { type: 'compose', agent: 'desk', tool: 'asked' },
    },
  ],
  guardrails: {
    actions: {
      write: { rate_limit: '10/minute' },
      asked: { rate_limit: '1/hour', approval: 'human' },
      pay: { max_amount: 100 },
      loose: { max_amount: 100 },
      plain: { max_amount: 100 },
      outer: { rate_limit: '1/hour' },
    },
  },
});

let bench: Workbench;
let clock = Date.parse('2026-01-01T00:00:00Z');

beforeEach(async () => {
  bench = await workbench({ 'desk/findagent.json': desk }, { now: () => clock, ticks: () => 0 });
});

afterEach(async () => {
  expect(bench.bugs).toEqual([]);
  await bench.close();
});

const statuses = (answers: readonly Answer[]) => answers.map((it) => it.status);

describe('a rate limit', () => {
  test('a rate limit is exact for concurrent calls', async () => {
    const session = await bench.session();
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => session.call({ tool: 'desk/write', arguments: {} })),
    );
    expect(statuses(answers).filter((it) => it === 'ok')).toHaveLength(10);
    const denied = answers.filter((it) => it.status !== 'ok');
    expect(denied.every((it) => it.status === 'denied' && it.error.code === 'rate_limited')).toBe(true);
    expect(await failureOf(denied[0] as Answer)).toMatchObject({
      message: 'desk/write may be called 10 times a minute (its own guardrail)',
      hint: 'call it again in 60 s',
    });
  });

  test('a rate limit is a sliding window, shared by all sessions of one principal', async () => {
    const session = await bench.session();
    const call = (it = session) => it.call({ tool: 'desk/write', arguments: {} });
    for (let count = 0; count < 10; count++) {
      await resultOf(call());
      clock += 1000;
    }
    expect((await failureOf(call(await bench.session()))).hint).toBe('call it again in 50 s');
    await resultOf(call(await bench.session({ principal: 'another' })));
    clock += 50_000;
    await resultOf(call());
    expect((await failureOf(call())).hint).toBe('call it again in 1 s');
  });

  test('a call that is rejected before it runs does not count', async () => {
    const session = await bench.session();
    for (let count = 0; count < 12; count++)
      await failureOf(session.call({ tool: 'desk/write', arguments: { unknown: 1 } }));
    await resultOf(session.call({ tool: 'desk/write', arguments: {} }));
  });

  test('a rate limit is checked before a person is asked, and does not use up an approval', async () => {
    const session = await bench.session();
    const ask = (it: string) => session.call({ tool: 'desk/asked', arguments: { text: it } });
    const held = await Promise.all([ask('a'), ask('b')]);
    const tokens = held.map((it) => (it.status === 'confirmation_required' ? it.confirmation.token : ''));
    for (const it of tokens) await bench.host.approvals.approve(it, 'person');
    await resultOf(ask('a'));
    expect((await failureOf(ask('b'))).code).toBe('rate_limited');
    expect((await bench.host.approvals.get(tokens[1] as string)).state).toBe('approved');
    expect((await failureOf(ask('c'))).code).toBe('rate_limited');
    expect(await bench.host.approvals.list(['proposed'])).toEqual([]);
  });

  test('a call that is held at an inner tool does not count', async () => {
    const session = await bench.session();
    const call = () => session.call({ tool: 'desk/outer', arguments: {} });
    const held = await call();
    expect(held.status).toBe('confirmation_required');
    expect((await call()).status).toBe('confirmation_required');
    if (held.status === 'confirmation_required')
      await bench.host.approvals.approve(held.confirmation.token, 'person');
    await resultOf(call());
    expect((await failureOf(call())).code).toBe('rate_limited');
  });

  test('calls of tools without a limit do not write to the limit tables', async () => {
    const session = await bench.session();
    await resultOf(session.call({ tool: 'desk/free', arguments: {} }));
    await bench.host.close();
    const { openSqlite } = await import('../../../src/store/sqlite/sqlite.js');
    const connection = openSqlite(join(bench.path, 'state', 'toolwharf.db'));
    expect(connection.all('select * from limit_use', [])).toEqual([]);
    expect(connection.all('select * from limit_clock', [])).toEqual([]);
    connection.close();
  });
});

describe('a spend limit', () => {
  test.each([[100], [0], [99.99]])('the amount %j is within the limit', async (amount) => {
    const session = await bench.session();
    await resultOf(session.call({ tool: 'desk/pay', arguments: { amount } }));
  });

  test('a larger amount is denied', async () => {
    const session = await bench.session();
    expect(await failureOf(session.call({ tool: 'desk/pay', arguments: { amount: 100.01 } }))).toMatchObject({
      status: 'denied',
      code: 'spend_limit',
      message: 'the amount 100.01 exceeds the limit of 100 for one call of desk/pay (its own guardrail)',
    });
  });

  test.each([
    [{ amount: '5' }],
    [{ amount: -5 }],
    [{ amount: null }],
    [{ amount: [5] }],
    [{ amount: 5, total: '5' }],
    [{ amount: 5, total: 101 }],
    [{ amount: 1e308 * 10 }],
    [{}],
  ])('%j is denied, because the amount is unclear or too large', async (given) => {
    const session = await bench.session();
    const denied = await failureOf(session.call({ tool: 'desk/loose', arguments: given as JsonObject }));
    expect(denied.code).toBe('spend_limit');
    expect(denied.hint).not.toBe('');
  });

  test('a spend limit has no effect on a tool without an amount', async () => {
    const session = await bench.session();
    await resultOf(session.call({ tool: 'desk/plain', arguments: { text: 'x' } }));
  });
});

describe('after the host ends', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());

  test('a host that is killed and restarted sends no more requests than the limit', async () => {
    const server = await loopbackServer((_, response) => response.end('{}'));
    const files = temporaryFolder({
      'findagent.json': findagent('Shop', {
        tools: [
          {
            name: 'order',
            description: 'Order something.',
            input_schema: inputOf({ n: number }),
            action: { type: 'http', method: 'POST', url: `http://127.0.0.1:${server.port}/orders` },
          },
        ],
        guardrails: { actions: { order: { rate_limit: '20/day' } } },
      }),
      'child.mjs': `
        import { createHost } from ${JSON.stringify(join(main, '..', 'index.js'))};
        const host = await createHost({ state: process.argv[2] });
        const session = await host.session({ principal: 'agent', directories: [process.argv[3]], root: '/tmp', allow: [process.argv[4]], policy: { taint: { mode: 'off' } } });
        let next = 0;
        const one = async () => {
          for (;;) {
            const answer = await session.call({ tool: 'shop/order', arguments: { n: next++ } });
            process.stdout.write(answer.status + '\\n');
            if (answer.status !== 'ok') break;
          }
        };
        await Promise.all([one(), one(), one()]);
        await host.close();
      `,
    });
    const state = join(folder.path, 'state');
    const run = (killAfter: number) =>
      new Promise<string[]>((resolve, reject) => {
        const args = ['child.mjs', state, join(files.path, 'findagent.json'), `net:127.0.0.1:${server.port}`];
        const child = spawn(process.execPath, args, {
          cwd: files.path,
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const seen: string[] = [];
        createInterface(child.stdout).on('line', (line) => {
          seen.push(line);
          if (seen.length === killAfter) child.kill('SIGKILL');
        });
        child.once('error', reject);
        child.once('close', () => resolve(seen));
      });
    try {
      for (const killAfter of [4, 5, 3]) await run(killAfter);
      const begun = server.requests.length;
      expect(begun).toBeGreaterThanOrEqual(12);
      const last = await run(Number.POSITIVE_INFINITY);
      expect(last.filter((it) => it === 'denied').length).toBe(3);
      // Each kill loses at most three requests that were counted and not yet sent.
      expect(server.requests.length).toBeLessThanOrEqual(20);
      expect(server.requests.length).toBeGreaterThanOrEqual(11);
      expect(begun + last.filter((it) => it === 'ok').length).toBe(server.requests.length);
    } finally {
      await server.close();
      files.remove();
    }
  });

  test('setting the clock back before a restart frees no calls', async () => {
    let now = Date.parse('2026-03-01T12:00:00Z');
    const packages = temporaryFolder({ 'findagent.json': desk });
    const use = async (work: (call: () => Promise<Answer>) => Promise<void>) => {
      const host: Host = await createHost({
        state: join(folder.path, 'state'),
        now: () => now,
        ticks: () => 0,
      });
      const session = await host.session({ principal: 'agent', directories: [packages.path] });
      await work(() => session.call({ tool: 'desk/write', arguments: {} }));
      await host.close();
    };
    await use(async (call) => {
      for (let count = 0; count < 10; count++) await resultOf(call());
    });
    now -= 24 * 3_600_000;
    await use(async (call) => {
      expect((await failureOf(call())).code).toBe('rate_limited');
    });
    now += 24 * 3_600_000 + 60_000;
    await use(async (call) => void (await resultOf(call())));
    packages.remove();
  });
});
