// One contract for extensions, whatever carries it: a process in the sandbox, a NATS server, HTTP.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { HostError } from '../src/model/host-error.js';
import { type Bench, type CarrierName, Rig } from './nexo/bench.js';
import { type NatsHouse, natsHouse } from './nexo/nats-house.js';

const carriers: readonly CarrierName[] = ['stdio', 'nats', 'http'];
let house: NatsHouse;
const rig = new Rig(() => house.url);

beforeAll(async () => {
  house = await natsHouse();
});

afterEach(() => rig.close());

afterAll(() => house.close());

/** The failure of something that must fail. */
function failure(work: Promise<unknown>): Promise<HostError> {
  return work.then(
    (it) => Promise.reject(new Error(`no failure: ${JSON.stringify(it)}`)),
    (error) => error,
  );
}

describe.each(carriers)('an extension over %s', (carrier) => {
  const kept = new Rig(() => house.url);
  let shared: Promise<Bench> | undefined;
  /** One that many tests ask; it must survive all of them. */
  const usual = async () => {
    shared ??= kept.connect(carrier);
    const bench = await shared;
    bench.logs.length = 0;
    return bench;
  };

  afterAll(() => kept.close());

  test('says what it is when it comes up, and is told who asks', async () => {
    const bench = await rig.connect(carrier);
    expect(bench.remote.announced).toMatchObject({
      version: '1.0.0',
      hooks: ['before_message', 'after_tool_call'],
    });
    expect(bench.remote.announced.tools[0]).toEqual({
      name: 'echo',
      description: 'does echo',
      input: { type: 'object', additionalProperties: true },
    });
    const { value } = await bench.call('told');
    expect(value).toEqual([
      'initialize',
      JSON.stringify({ agent_version: '1.0.0', extension_id: 'contract' }),
      'tools/call',
    ]);
  });

  test('answers calls with its own value, many at once and in any order', async () => {
    const bench = await usual();
    const waits = [120, 5, 60, 1, 90, 30];
    const answers = await Promise.all(waits.map((ms, index) => bench.call('wait', { ms, value: index })));
    expect(answers.map((it) => it.value)).toEqual([0, 1, 2, 3, 4, 5]);
    expect((await bench.call('shape', { value: null })).value).toBeNull();
    expect((await bench.call('shape', { value: [1, 'zwei', false] })).value).toEqual([1, 'zwei', false]);
  });

  test('fails in its own words', async () => {
    const bench = await usual();
    const error = await failure(bench.call('fail', { code: -32602, message: 'no such city: Atlantis' }));
    expect(error).toMatchObject({
      code: 'tool_failed',
      message: 'contract/fail answered with an error: no such city: Atlantis',
    });
    expect(await failure(bench.call('fail', { message: 7 }))).toMatchObject({
      code: 'tool_failed',
      message: expect.stringContaining('without a word'),
    });
  });

  test('an answer in the shape of an MCP result is read as one, any other is passed on as it is', async () => {
    const bench = await usual();
    const shaped = (value: object) => bench.call('shape', { value: value as never });
    const content = [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ];
    expect(await shaped({ content })).toMatchObject({ value: 'one\ntwo', parts: content });
    expect(await shaped({ content, structuredContent: { n: 2 } })).toMatchObject({ value: { n: 2 } });
    expect(await failure(shaped({ content, isError: true }))).toMatchObject({
      code: 'tool_failed',
      message: 'contract/shape answered with an error: one\ntwo',
    });
    const page = { content: 'the text of a page', title: 'A page' };
    expect(await shaped(page)).toEqual({ value: page, warnings: [] });
  });

  test('one that knows no tools/call is asked by the name of the tool, and that is remembered', async () => {
    const bench = await rig.connect(carrier, { wishes: { older: true } });
    expect((await bench.call('echo', { city: 'Oslo' })).value).toEqual({ input: { city: 'Oslo' } });
    await bench.call('echo');
    expect((await bench.call('told')).value).toEqual([
      'initialize',
      expect.any(String),
      'tools/call',
      'tools/echo',
      'tools/echo',
      'tools/told',
    ]);
  });

  test('one that names no tools when it comes up is asked for a list', async () => {
    const bench = await rig.connect(carrier, { wishes: { listsLater: true } });
    expect(bench.remote.announced.tools.map((it) => it.name)).toContain('echo');
    expect((await bench.call('shape', { value: 1 })).value).toBe(1);
  });

  test('one that knows neither is quoted with what it said of the call', async () => {
    const bench = await rig.connect(carrier, { tools: ['lost', 'echo'] });
    expect(await failure(bench.call('lost'))).toMatchObject({
      code: 'tool_failed',
      message: 'contract/lost answered with an error: there is no tool lost',
    });
    expect((await bench.call('echo')).value).toEqual({ input: {} });
  });

  test('a tool that the manifest does not declare is never called, and that it was announced is told', async () => {
    const bench = await rig.connect(carrier, { wishes: { extra: ['wipe_disk'] } });
    expect(await failure(bench.call('wipe_disk'))).toMatchObject({ code: 'tool_not_found' });
    expect(bench.logs.join('\n')).toContain('wipe_disk, which its manifest does not declare');
    expect((await bench.call('told')).value).toHaveLength(3);
  });

  test('hooks that the manifest does not declare, and points that nobody knows, are left out', async () => {
    const hooks = ['after_tool_call', 'before_message', 'before_breakfast'];
    const bench = await rig.connect(carrier, { hooks: ['after_tool_call'], wishes: { hooks } });
    expect(bench.remote.announced.hooks).toEqual(['after_tool_call']);
  });

  test('a hook is asked with the event, and its own words come back', async () => {
    const bench = await usual();
    const patience = { timeoutMs: 5000, signal: new AbortController().signal };
    expect(await bench.remote.hook?.('before_message', { text: 'hello' }, patience)).toEqual({
      abort: false,
      override: { seen: 'hooks/before_message', event: { text: 'hello' } },
    });
  });

  test('who is calling is told where the manifest asks for it, over what a caller wrote there', async () => {
    const bench = await rig.connect(carrier, { passthrough: true });
    const caller = { agentId: 'alma', sessionId: 'ses_7' };
    const spoofed = { city: 'Oslo', _meta: { agent_id: 'root', session_id: 'ses_1', admin: true } };
    expect((await bench.call('echo', spoofed, { caller })).value).toEqual({
      input: { city: 'Oslo', _meta: { agent_id: 'alma', session_id: 'ses_7' } },
    });
  });

  test('nobody can say who is calling where the manifest does not ask for it', async () => {
    const bench = await usual();
    const answer = await bench.call('echo', { city: 'Oslo', _meta: { agent_id: 'root' } });
    expect(answer.value).toEqual({ input: { city: 'Oslo' } });
    expect(answer.warnings).toEqual([expect.stringContaining('_meta')]);
  });

  const noises = [
    ['garbage', 'debug: not json'],
    ['wrong id', 'answers nothing that was asked'],
    ['text id', '"wrong"'],
    ['no id', '"wrong"'],
    ['notice', 'it tells of log'],
    ['question', 'it asks the host for host/secrets'],
    ['wrapped', ''],
    ['windows', ''],
    ['empty', ''],
  ] as const;
  test.each(noises)('noise (%s) around an answer is logged and ignored', async (kind, logged) => {
    const bench = await usual();
    expect((await bench.call('noise', { kind })).value).toBe('right');
    expect(bench.logs.join('\n')).toContain(logged);
    expect((await bench.call('shape', { value: 'next' })).value).toBe('next');
  });

  test('an answer that comes twice counts once', async () => {
    const bench = await usual();
    const [first, second] = await Promise.all([
      bench.call('noise', { kind: 'twice' }),
      bench.call('wait', { ms: 50, value: 'mine' }),
    ]);
    expect([first.value, second.value]).toEqual(['right', 'mine']);
  });

  test('an answer without a result and without an error is none', async () => {
    const bench = await usual();
    expect(await failure(bench.call('noise', { kind: 'hollow' }))).toMatchObject({ code: 'tool_bad_output' });
  });

  test('an answer that is too large fails its own call only', async () => {
    const bench = await usual();
    const other = bench.call('wait', { ms: 200, value: 'mine' });
    for (const bytes of [200_000, 3_000_000]) {
      const error = await failure(bench.call('big', { bytes }, { outputBytes: 100_000 }));
      expect(error).toMatchObject({ code: 'output_too_large' });
    }
    expect((await other).value).toBe('mine');
    expect((await bench.call('big', { bytes: 90_000 }, { outputBytes: 100_000 })).value).toHaveLength(90_000);
  });

  test('a call without an answer ends in time; an answer after that meets nothing', async () => {
    const bench = await usual();
    const error = await failure(bench.call('never', {}, { timeoutMs: 150 }));
    expect(error).toMatchObject({
      code: 'timeout',
      message: expect.stringMatching(/within 0\.1\d? s/),
    });
    const late = failure(bench.call('wait', { ms: 150, value: 'late' }, { timeoutMs: 50 }));
    const next = bench.call('wait', { ms: 250, value: 'next' });
    expect(await late).toMatchObject({ code: 'timeout' });
    expect((await next).value).toBe('next');
  });

  test('a call that is canceled ends at once and takes no other with it', async () => {
    const bench = await usual();
    const giveUp = new AbortController();
    const canceled = failure(bench.call('wait', { ms: 100, value: 'x' }, { signal: giveUp.signal }));
    const other = bench.call('wait', { ms: 200, value: 'mine' });
    giveUp.abort();
    expect(await canceled).toMatchObject({ code: 'canceled' });
    expect(await failure(bench.call('echo', {}, { signal: giveUp.signal }))).toMatchObject({
      code: 'canceled',
    });
    expect((await other).value).toBe('mine');
  });

  test('one that does not come up is told so in time', async () => {
    const hung = { wishes: { handshake: 'hang' }, times: { handshake: 400 } };
    expect(await failure(rig.connect(carrier, hung))).toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('asked to initialize'),
    });
    expect(await failure(rig.connect(carrier, { wishes: { handshake: 'refuse' } }))).toMatchObject({
      code: 'upstream_failed',
      message: expect.stringContaining('not with this agent'),
    });
    expect(await failure(rig.connect(carrier, { wishes: { handshake: 'odd' } }))).toMatchObject({
      code: 'tool_bad_output',
      hint: expect.stringContaining('tools'),
    });
    const noisy = await rig.connect(carrier, { wishes: { handshake: 'garbage' } });
    expect((await noisy.call('shape', { value: 1 })).value).toBe(1);
  });

  test('a handshake that nobody waits for any more is given up', async () => {
    const giveUp = new AbortController();
    const connecting = failure(
      rig.connect(carrier, { wishes: { handshake: 'hang' }, signal: giveUp.signal }),
    );
    setTimeout(() => giveUp.abort(), 100);
    expect(await connecting).toMatchObject({ code: 'canceled' });
  });

  test('a tool list that cannot be meant is cut to what can be used', async () => {
    let deep: unknown = {};
    for (let level = 0; level < 200; level++) deep = { properties: { x: deep } };
    const tools = [
      { name: 'echo', description: 7, input_schema: 'none' },
      { name: 'echo', description: 'again' },
      { name: 'Bad Name' },
      { name: 'big', input_schema: deep },
      'told',
      null,
      { name: 'told', description: 'x'.repeat(50_000) },
    ];
    const bench = await rig.connect(carrier, { wishes: { tools } });
    expect(bench.remote.announced.tools).toEqual([
      { name: 'echo' },
      { name: 'told', description: 'x'.repeat(16 * 1024) },
    ]);
    expect(bench.logs.join('\n')).toMatch(/twice[\s\S]*nested too deeply/);
  });

  test('closing it lets it go for good', async () => {
    const bench = await rig.connect(carrier);
    await bench.remote.close('the host is being closed');
    expect(await bench.remote.ended).toEqual({ kind: 'asked', reason: 'the host is being closed' });
    expect(await failure(bench.call('echo'))).toMatchObject({ code: 'upstream_failed' });
  });
});
