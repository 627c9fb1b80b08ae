// Concurrent calls of several callers, valid and faulty, do not affect each other.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, Session } from '../../../src/index.js';
import { type LoopbackServer, loopbackServer } from '../../support/toolwharf.js';
import {
  failureOf,
  findagent,
  inputOf,
  type PythonOptions,
  pythonTool,
  resultOf,
  talos,
  toolspace,
  type Workbench,
  workbench,
} from '../../support/workbench.js';

const fetches = (name: string): PythonOptions => ({
  name,
  network: true,
  head: ['import urllib.request'],
  body: ['return {"read": urllib.request.urlopen(text, timeout=10).read().decode()}'],
});

const scripts: readonly PythonOptions[] = [
  { name: 'good', body: ['return {"echo": text}'] },
  { name: 'crash', body: ['import signal', 'os.kill(os.getpid(), signal.SIGSEGV)'] },
  { name: 'hang', body: ['import time; time.sleep(120)'] },
  { name: 'flood', body: ['while True: print("y" * 1000)'] },
  { name: 'garbage', body: ['sys.stdout.buffer.write(bytes(range(256)) * 100)', 'os._exit(0)'] },
  {
    name: 'daemon',
    head: ['import time'],
    body: [
      'if os.fork() == 0:',
      '    os.setsid()',
      '    for n in range(3): os.close(n)',
      '    if os.fork() == 0: time.sleep(120)',
      '    os._exit(0)',
      'return {"started": True}',
    ],
  },
  { ...fetches('unlinked'), network: false },
  fetches('left'),
  fetches('right'),
];

let bench: Workbench;
let one: LoopbackServer;
let two: LoopbackServer;

beforeAll(async () => {
  one = await loopbackServer((_request, response) => response.end('one'));
  two = await loopbackServer((_request, response) => response.end('two'));
  bench = await workbench({
    ...Object.fromEntries(scripts.map((it) => [`${it.name}.py`, pythonTool(it)])),
    ...talos({
      id: 'worker',
      functions: ['echo', 'crash', 'pid', 'hold'],
      code: `let calls = 0;
export const echo = ({ text }) => ({ echo: text });
export const crash = () => { setTimeout(() => { throw new Error('late'); }, 0); return new Promise(() => {}); };
export const pid = () => ({ calls: ++calls });
export const hold = () => new Promise((resolve) => setTimeout(() => resolve('held'), 700));
`,
    }),
    'asker/findagent.json': findagent('Asker', {
      tools: [
        {
          name: 'ask',
          description: 'Ask the first server.',
          input_schema: inputOf({ text: { type: 'string' } }),
          annotations: { readOnlyHint: true },
          action: { type: 'http', method: 'GET', url: `http://127.0.0.1:${one.port}/{text}` },
        },
        {
          name: 'say',
          description: 'A text.',
          input_schema: inputOf({ text: { type: 'string' } }),
          action: { type: 'prompt-template', template: '<{text}>' },
        },
        {
          name: 'pass',
          description: 'Call another package.',
          input_schema: inputOf({ text: { type: 'string' } }),
          action: { type: 'compose', agent: 'good', tool: 'good' },
        },
      ],
    }),
    'shell/toolspace.json': toolspace({
      id: 'shell',
      command: ['sh', 'echo.sh'],
      actions: [
        {
          name: 'echo',
          invocation: { kind: 'subcommand', argv_template: ['--', `\${input.text}`] },
          input: inputOf({ text: { type: 'string' } }),
          output: { format: 'text' },
        },
      ],
    }),
    'shell/echo.sh': 'shift\nprintf %s "$1"\n',
  });
});

afterAll(async () => {
  await bench.close();
  await one.close();
  await two.close();
  expect(bench.bugs).toEqual([]);
});

const call = (of: Session, tool: string, text: string, timeoutMs?: number) =>
  of.call({ tool, arguments: { text }, timeoutMs });

describe('two callers with different grants', () => {
  test('each caller reaches only its own server, at the same time and with the same tool', async () => {
    const [first, second] = await Promise.all([
      bench.session({ principal: 'first', allow: [`net:127.0.0.1:${one.port}`] }),
      bench.session({ principal: 'second', allow: [`net:127.0.0.1:${two.port}`] }),
    ]);
    const url = (server: LoopbackServer) => `http://127.0.0.1:${server.port}/`;
    const [own, foreign] = [[] as Promise<Answer>[], [] as Promise<Answer>[]];
    for (const tool of ['left', 'right', 'left']) {
      own.push(call(first, tool, url(one)), call(second, tool, url(two)));
      foreign.push(call(first, tool, url(two)), call(second, tool, url(one)));
    }
    const read = await Promise.all(own.map((it) => resultOf(it)));
    expect(read).toEqual(
      Array(3)
        .fill([{ read: 'one' }, { read: 'two' }])
        .flat(),
    );
    for (const it of await Promise.all(foreign))
      expect(it).toMatchObject({ status: 'denied', error: { code: 'network_denied' } });
    expect([one.requests.length, two.requests.length]).toEqual([3, 3]);
  });
});

test('a grant of the session has no effect on a package that requests no network access', async () => {
  const session = await bench.session({ principal: 'third', allow: [`net:127.0.0.1:${two.port}`] });
  const before = two.requests.length;
  const [open, closed] = await Promise.all(
    ['left', 'unlinked'].map((tool) => call(session, tool, `http://127.0.0.1:${two.port}/`)),
  );
  expect(open).toMatchObject({ status: 'ok', result: { read: 'two' } });
  expect(closed).toMatchObject({ status: 'denied', error: { code: 'network_denied' } });
  expect(two.requests).toHaveLength(before + 1);
});

describe('64 calls at once', () => {
  test('calls of all kinds succeed, and the audit log is intact', async () => {
    const session = await bench.session({ allow: [`net:127.0.0.1:${one.port}`] });
    const kinds: readonly (readonly [string, (text: string) => unknown])[] = [
      ['good/good', (text) => ({ echo: text })],
      ['worker/echo', (text) => ({ echo: text })],
      ['asker/ask', () => 'one'],
      ['asker/say', (text) => `<${text}>`],
      ['asker/pass', (text) => ({ echo: text })],
      ['shell/echo', (text) => text],
    ];
    const wanted = Array.from({ length: 64 }, (_, index) => {
      const [tool, expected] = kinds[index % kinds.length] as (typeof kinds)[number];
      return { tool, text: `text ${index}`, expected: expected(`text ${index}`) };
    });
    const answers = await Promise.all(wanted.map(({ tool, text }) => resultOf(call(session, tool, text))));
    expect(answers).toEqual(wanted.map((it) => it.expected));
    expect(await bench.host.verifyAudit()).toMatchObject({ ok: true });
  });
});

describe('faulty tools', () => {
  test('20 valid calls succeed next to crashes, hangs, floods, garbage and daemons', async () => {
    const session = await bench.session();
    const bad = ['crash', 'hang', 'flood', 'garbage', 'daemon', 'hang'].map((tool) =>
      call(session, tool, '', 3000),
    );
    const good = Array.from({ length: 20 }, (_, index) =>
      resultOf(call(session, index % 3 === 0 ? 'worker/echo' : 'good/good', `n${index}`)),
    );
    expect(await Promise.all(good)).toEqual(
      Array.from({ length: 20 }, (_, index) => ({ echo: `n${index}` })),
    );
    const codes = await Promise.all(
      bad.map(async (it) => {
        const answer = await it;
        return answer.status === 'ok' ? 'ok' : (await failureOf(answer)).code;
      }),
    );
    expect(codes).toEqual(['tool_failed', 'timeout', 'output_too_large', 'tool_bad_output', 'ok', 'timeout']);
  });

  test('a crash in a worker process fails only the call that caused it', async () => {
    const session = await bench.session();
    const held = Array.from({ length: 3 }, () =>
      resultOf(session.call({ tool: 'worker/hold', arguments: {} })),
    );
    const crashed = failureOf(session.call({ tool: 'worker/crash', arguments: {} }));
    expect((await crashed).message).toContain('late');
    expect(await Promise.all(held)).toEqual(['held', 'held', 'held']);
    expect(await resultOf(call(session, 'worker/echo', 'after'))).toEqual({ echo: 'after' });
  });

  test('a queued call can be canceled without waiting for its turn', async () => {
    const session = await bench.session();
    const busy = Array.from({ length: 32 }, () => call(session, 'hang', '', 4000));
    await new Promise((resolve) => setTimeout(resolve, 500));
    const controller = new AbortController();
    const started = performance.now();
    const waiting = session.call({ tool: 'good', arguments: { text: 'x' }, signal: controller.signal });
    setTimeout(() => controller.abort(), 100);
    expect(await failureOf(waiting)).toMatchObject({ code: 'canceled' });
    expect(performance.now() - started).toBeLessThan(1500);
    await Promise.all(busy);
  });
});
