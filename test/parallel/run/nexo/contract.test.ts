// The same contract for extensions over every transport: a process in the sandbox, a NATS server, HTTP.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { HostError } from '../../../../src/model/host-error.js';
import { type Bench, type CarrierName, Rig } from '../../../support/nexo/bench.js';
import { type NatsTestServer, startNatsServer } from '../../../support/nexo/nats-server.js';

const carriers: readonly CarrierName[] = ['stdio', 'nats', 'http'];
let nats: NatsTestServer;
const rig = new Rig(() => nats.url);

beforeAll(async () => {
  nats = await startNatsServer();
});

afterEach(() => rig.close());

afterAll(() => nats.close());

/** The error of work that must fail. */
function failure(work: Promise<unknown>): Promise<HostError> {
  return work.then(
    (it) => Promise.reject(new Error(`no failure: ${JSON.stringify(it)}`)),
    (error) => error,
  );
}

describe.each(carriers)('an extension over %s', (carrier) => {
  const kept = new Rig(() => nats.url);
  let shared: Promise<Bench> | undefined;
  /** One connection for many tests; it must survive all of them. */
  const sharedBench = async () => {
    shared ??= kept.connect(carrier);
    const bench = await shared;
    bench.logs.length = 0;
    return bench;
  };

  afterAll(() => kept.close());

  test('announces itself at startup and receives the version of the agent', async () => {
    const bench = await rig.connect(carrier);
    expect(bench.upstream.announced).toMatchObject({
      version: '1.0.0',
      hooks: ['before_message', 'after_tool_call'],
    });
    expect(bench.upstream.announced.tools[0]).toEqual({
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

  test('answers many concurrent calls in any order, each with its own value', async () => {
    const bench = await sharedBench();
    const waits = [120, 5, 60, 1, 90, 30];
    const answers = await Promise.all(waits.map((ms, index) => bench.call('wait', { ms, value: index })));
    expect(answers.map((it) => it.value)).toEqual([0, 1, 2, 3, 4, 5]);
    expect((await bench.call('shape', { value: null })).value).toBeNull();
    expect((await bench.call('shape', { value: [1, 'zwei', false] })).value).toEqual([1, 'zwei', false]);
  });

  test('a failed call reports the error text of the extension', async () => {
    const bench = await sharedBench();
    const error = await failure(bench.call('fail', { code: -32602, message: 'no such city: Atlantis' }));
    expect(error).toMatchObject({
      code: 'tool_failed',
      message: 'contract/fail returned an error: no such city: Atlantis',
    });
    expect(await failure(bench.call('fail', { message: 7 }))).toMatchObject({
      code: 'tool_failed',
      message: expect.stringContaining('without a message'),
    });
  });

  test('a result in the shape of an MCP result is read as one; others are passed on unchanged', async () => {
    const bench = await sharedBench();
    const shaped = (value: object) => bench.call('shape', { value: value as never });
    const content = [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ];
    expect(await shaped({ content })).toMatchObject({ value: 'one\ntwo', parts: content });
    expect(await shaped({ content, structuredContent: { n: 2 } })).toMatchObject({ value: { n: 2 } });
    expect(await failure(shaped({ content, isError: true }))).toMatchObject({
      code: 'tool_failed',
      message: 'contract/shape returned an error: one\ntwo',
    });
    const page = { content: 'the text of a page', title: 'A page' };
    expect(await shaped(page)).toEqual({ value: page, warnings: [] });
  });

  test('an extension without tools/call is called by tools/NAME, and the host remembers it', async () => {
    const bench = await rig.connect(carrier, { behavior: { older: true } });
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

  test('an extension that announces no tools at startup is asked for tools/list', async () => {
    const bench = await rig.connect(carrier, { behavior: { listsLater: true } });
    expect(bench.upstream.announced.tools.map((it) => it.name)).toContain('echo');
    expect((await bench.call('shape', { value: 1 })).value).toBe(1);
  });

  test('if an extension knows neither method, its answer to tools/call is reported', async () => {
    const bench = await rig.connect(carrier, { tools: ['lost', 'echo'] });
    expect(await failure(bench.call('lost'))).toMatchObject({
      code: 'tool_failed',
      message: 'contract/lost returned an error: there is no tool lost',
    });
    expect((await bench.call('echo')).value).toEqual({ input: {} });
  });

  test('an announced tool that the manifest does not declare is logged and never called', async () => {
    const bench = await rig.connect(carrier, { behavior: { extra: ['wipe_disk'] } });
    expect(await failure(bench.call('wipe_disk'))).toMatchObject({ code: 'tool_not_found' });
    expect(bench.logs.join('\n')).toContain('wipe_disk, which its manifest does not declare');
    expect((await bench.call('told')).value).toHaveLength(3);
  });

  test('undeclared hooks and unknown hook points are ignored', async () => {
    const hooks = ['after_tool_call', 'before_message', 'before_breakfast'];
    const bench = await rig.connect(carrier, { hooks: ['after_tool_call'], behavior: { hooks } });
    expect(bench.upstream.announced.hooks).toEqual(['after_tool_call']);
  });

  test('a hook receives the event, and its answer is returned unchanged', async () => {
    const bench = await sharedBench();
    const deadline = { timeoutMs: 5000, signal: new AbortController().signal };
    expect(await bench.upstream.hook?.('before_message', { text: 'hello' }, deadline)).toEqual({
      abort: false,
      override: { seen: 'hooks/before_message', event: { text: 'hello' } },
    });
  });

  test('if the manifest asks for the caller, the host sets it, whatever the caller wrote there', async () => {
    const bench = await rig.connect(carrier, { passthrough: true });
    const caller = { agentId: 'alma', sessionId: 'ses_7' };
    const spoofed = { city: 'Oslo', _meta: { agent_id: 'root', session_id: 'ses_1', admin: true } };
    expect((await bench.call('echo', spoofed, { caller })).value).toEqual({
      input: { city: 'Oslo', _meta: { agent_id: 'alma', session_id: 'ses_7' } },
    });
  });

  test('if the manifest does not ask for the caller, the caller cannot set it', async () => {
    const bench = await sharedBench();
    const answer = await bench.call('echo', { city: 'Oslo', _meta: { agent_id: 'root' } });
    expect(answer.value).toEqual({ input: { city: 'Oslo' } });
    expect(answer.warnings).toEqual([expect.stringContaining('_meta')]);
  });

  const noises = [
    ['garbage', 'debug: not json'],
    ['wrong id', 'matches no request'],
    ['text id', '"wrong"'],
    ['no id', '"wrong"'],
    ['notice', 'it sent the notification log'],
    ['question', 'it requested host/secrets'],
    ['wrapped', ''],
    ['windows', ''],
    ['empty', ''],
  ] as const;
  test.each(noises)('unsolicited data (%s) around an answer is logged and ignored', async (kind, logged) => {
    const bench = await sharedBench();
    expect((await bench.call('noise', { kind })).value).toBe('right');
    expect(bench.logs.join('\n')).toContain(logged);
    expect((await bench.call('shape', { value: 'next' })).value).toBe('next');
  });

  test('a repeated answer counts once', async () => {
    const bench = await sharedBench();
    const [first, second] = await Promise.all([
      bench.call('noise', { kind: 'twice' }),
      bench.call('wait', { ms: 50, value: 'mine' }),
    ]);
    expect([first.value, second.value]).toEqual(['right', 'mine']);
  });

  test('an answer without a result and without an error is not valid', async () => {
    const bench = await sharedBench();
    expect(await failure(bench.call('noise', { kind: 'hollow' }))).toMatchObject({ code: 'tool_bad_output' });
  });

  test('an answer that is too large fails only its own call', async () => {
    const bench = await sharedBench();
    const other = bench.call('wait', { ms: 200, value: 'mine' });
    for (const bytes of [200_000, 3_000_000]) {
      const error = await failure(bench.call('big', { bytes }, { outputBytes: 100_000 }));
      expect(error).toMatchObject({ code: 'output_too_large' });
    }
    expect((await other).value).toBe('mine');
    expect((await bench.call('big', { bytes: 90_000 }, { outputBytes: 100_000 })).value).toHaveLength(90_000);
  });

  test('a call without an answer times out; its late answer is ignored', async () => {
    const bench = await sharedBench();
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

  test('a canceled call ends at once and does not affect others', async () => {
    const bench = await sharedBench();
    const canceling = new AbortController();
    const canceled = failure(bench.call('wait', { ms: 100, value: 'x' }, { signal: canceling.signal }));
    const other = bench.call('wait', { ms: 200, value: 'mine' });
    canceling.abort();
    expect(await canceled).toMatchObject({ code: 'canceled' });
    expect(await failure(bench.call('echo', {}, { signal: canceling.signal }))).toMatchObject({
      code: 'canceled',
    });
    expect((await other).value).toBe('mine');
  });

  test('an extension that does not complete the handshake fails with a timeout or its own error', async () => {
    const hung = { behavior: { handshake: 'hang' }, times: { handshake: 400 } };
    expect(await failure(rig.connect(carrier, hung))).toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('(initialize) did not answer'),
    });
    expect(await failure(rig.connect(carrier, { behavior: { handshake: 'refuse' } }))).toMatchObject({
      code: 'upstream_failed',
      message: expect.stringContaining('not with this agent'),
    });
    expect(await failure(rig.connect(carrier, { behavior: { handshake: 'odd' } }))).toMatchObject({
      code: 'tool_bad_output',
      hint: expect.stringContaining('tools'),
    });
    const noisy = await rig.connect(carrier, { behavior: { handshake: 'garbage' } });
    expect((await noisy.call('shape', { value: 1 })).value).toBe(1);
  });

  test('a handshake is canceled with its signal', async () => {
    const canceling = new AbortController();
    const connecting = failure(
      rig.connect(carrier, { behavior: { handshake: 'hang' }, signal: canceling.signal }),
    );
    setTimeout(() => canceling.abort(), 100);
    expect(await connecting).toMatchObject({ code: 'canceled' });
  });

  test('invalid entries of a tool list are ignored, and the valid ones are kept', async () => {
    let deep: unknown = {};
    for (let level = 0; level < 40; level++) deep = { properties: { x: deep } };
    const tools = [
      { name: 'echo', description: 7, input_schema: 'none' },
      { name: 'echo', description: 'again' },
      { name: 'Bad Name' },
      { name: 'big', input_schema: deep },
      'told',
      null,
      { name: 'told', description: 'x'.repeat(50_000) },
    ];
    const bench = await rig.connect(carrier, { behavior: { tools } });
    expect(bench.upstream.announced.tools).toEqual([
      { name: 'echo' },
      { name: 'told', description: 'x'.repeat(16 * 1024) },
    ]);
    expect(bench.logs.join('\n')).toMatch(/twice[\s\S]*nested too deeply/);
  });

  test('after it was closed, calls fail', async () => {
    const bench = await rig.connect(carrier);
    await bench.upstream.close('the host is being closed');
    expect(await bench.upstream.ended).toEqual({ kind: 'requested', reason: 'the host is being closed' });
    expect(await failure(bench.call('echo'))).toMatchObject({ code: 'upstream_failed' });
  });
});
