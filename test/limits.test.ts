// Rate limits and spend caps, through a real host.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, createHost, type Host, type JsonObject } from '../src/index.js';
import { loopbackServer, main, temporaryFolder } from './toolwharf.js';
import { failureOf, findagent, inputOf, resultOf, type Workbench, workbench } from './workbench.js';

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
  test('lets exactly as many through as it says, however many come at once', async () => {
    const session = await bench.session();
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => session.call({ tool: 'desk/write', arguments: {} })),
    );
    expect(statuses(answers).filter((it) => it === 'ok')).toHaveLength(10);
    const refused = answers.filter((it) => it.status !== 'ok');
    expect(refused.every((it) => it.status === 'denied' && it.error.code === 'rate_limited')).toBe(true);
    expect(await failureOf(refused[0] as Answer)).toMatchObject({
      message: 'desk/write may be called 10 times a minute (its own guardrail)',
      hint: 'call it again in 60 s',
    });
  });

  test('slides, is the same for all sessions of a principal, and another for another principal', async () => {
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

  test('is not spent on calls that are refused before they do anything', async () => {
    const session = await bench.session();
    for (let count = 0; count < 12; count++)
      await failureOf(session.call({ tool: 'desk/write', arguments: { unknown: 1 } }));
    await resultOf(session.call({ tool: 'desk/write', arguments: {} }));
  });

  test('refuses before a person is asked, and does not use an approval up', async () => {
    const session = await bench.session();
    const ask = (words: string) => session.call({ tool: 'desk/asked', arguments: { text: words } });
    const held = await Promise.all([ask('a'), ask('b')]);
    const tokens = held.map((it) => (it.status === 'confirmation_required' ? it.confirmation.token : ''));
    for (const it of tokens) await bench.host.approvals.approve(it, 'person');
    await resultOf(ask('a'));
    expect((await failureOf(ask('b'))).code).toBe('rate_limited');
    expect((await bench.host.approvals.get(tokens[1] as string)).state).toBe('approved');
    expect((await failureOf(ask('c'))).code).toBe('rate_limited');
    expect(await bench.host.approvals.list(['proposed'])).toEqual([]);
  });

  test('is given back when nothing was done because a tool further down waits for a person', async () => {
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

  test('costs tools without one nothing: their calls do not touch the limits', async () => {
    const session = await bench.session();
    await resultOf(session.call({ tool: 'desk/free', arguments: {} }));
    await bench.host.close();
    const { openSqlite } = await import('../src/store/sqlite.js');
    const connection = openSqlite(join(bench.path, 'state', 'toolwharf.db'));
    expect(connection.all('select * from limit_use', [])).toEqual([]);
    expect(connection.all('select * from limit_clock', [])).toEqual([]);
    connection.close();
  });
});

describe('a spend cap', () => {
  test.each([[100], [0], [99.99]])('%j is within it', async (amount) => {
    const session = await bench.session();
    await resultOf(session.call({ tool: 'desk/pay', arguments: { amount } }));
  });

  test('refuses more', async () => {
    const session = await bench.session();
    expect(await failureOf(session.call({ tool: 'desk/pay', arguments: { amount: 100.01 } }))).toMatchObject({
      status: 'denied',
      code: 'spend_limit',
      message: '100.01 is more than the 100 that one call of desk/pay may spend (its own guardrail)',
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
  ])('refuses %j, which is no clear amount or too much', async (given) => {
    const session = await bench.session();
    const refused = await failureOf(session.call({ tool: 'desk/loose', arguments: given as JsonObject }));
    expect(refused.code).toBe('spend_limit');
    expect(refused.hint).not.toBe('');
  });

  test('has nothing to hold a tool to that has no amount', async () => {
    const session = await bench.session();
    await resultOf(session.call({ tool: 'desk/plain', arguments: { text: 'x' } }));
  });
});

describe('over the end of a host', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());

  test('after kill -9 in the middle no more requests go out than the limit says', async () => {
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
        const session = await host.session({ principal: 'agent', directories: [process.argv[3]], root: '/tmp', allow: [process.argv[4]] });
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
        const words = [
          'child.mjs',
          state,
          join(files.path, 'findagent.json'),
          `net:127.0.0.1:${server.port}`,
        ];
        const child = spawn(process.execPath, words, {
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
      // Each death may have lost the requests that were under way and not yet sent: three at most, each still counted.
      expect(server.requests.length).toBeLessThanOrEqual(20);
      expect(server.requests.length).toBeGreaterThanOrEqual(11);
      expect(begun + last.filter((it) => it === 'ok').length).toBe(server.requests.length);
    } finally {
      await server.close();
      files.remove();
    }
  });

  test('a host that starts with its clock set back frees nothing', async () => {
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
