// Behavior specific to NATS: heartbeats, shutdown messages, replacement by a new version, loss of the server.
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { HostError } from '../../../../src/model/host-error.js';
import { parseNatsUrl } from '../../../../src/run/nexo/nats-server.js';
import { Rig } from '../../../support/nexo/bench.js';
import { type NatsTestServer, startNatsServer } from '../../../support/nexo/nats-server.js';
import { until } from '../../../support/toolwharf.js';

let nats: NatsTestServer;
let bus: NatsConnection;
let url: string | null = null;
const rig = new Rig(() => url);

beforeAll(async () => {
  nats = await startNatsServer();
  url = nats.url;
  bus = await connect({ servers: nats.url, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
});

afterEach(async () => {
  await rig.close();
  url = nats.url;
});

afterAll(async () => {
  await bus.close();
  await nats.close();
});

function failure(work: Promise<unknown>): Promise<HostError> {
  return work.then(
    () => Promise.reject(new Error('no failure')),
    (error) => error,
  );
}

test('without a NATS server the package needs setup, and the hint names the option', async () => {
  url = null;
  expect(await failure(rig.reach('nats', {}))).toMatchObject({
    code: 'needs_setup',
    hint: expect.stringContaining('--nats-url nats://'),
  });
});

test('an unreachable server is named without its password', async () => {
  const closed = await startNatsServer();
  await closed.close();
  url = `nats://ada:${'open'}${'sesame'}@127.0.0.1:${closed.port}`;
  const error = await failure(rig.reach('nats', {}));
  expect(error).toMatchObject({
    code: 'network_failed',
    message: `the NATS server at 127.0.0.1:${closed.port} cannot be reached`,
  });
  expect(JSON.stringify([error.message, error.hint])).not.toContain('sesame');
});

test('the password of the URL is sent to the server; a wrong one fails with auth_required', async () => {
  const guarded = await startNatsServer('authorization { user: ada, password: lovelace }');
  rig.later(() => guarded.close());
  url = `nats://ada:lovelace@127.0.0.1:${guarded.port}`;
  const bench = await rig.connect('nats');
  expect((await bench.call('shape', { value: 1 })).value).toBe(1);
  url = `nats://ada:byron@127.0.0.1:${guarded.port}`;
  expect(await failure(rig.reach('nats', {}))).toMatchObject({ code: 'auth_required' });
});

test('an extension that does not run is reported at once, not after a timeout', async () => {
  const began = performance.now();
  expect(await failure(rig.reach('nats', { behavior: { prefix: 'unused' } }))).toMatchObject({
    code: 'upstream_failed',
    message: 'no subscriber on the NATS subject unused.contract.rpc',
  });
  expect(performance.now() - began).toBeLessThan(5000);
});

test('an extension without heartbeats and answers counts as gone; its pending calls fail', async () => {
  const bench = await rig.connect('nats', { behavior: { heartbeat: 50 }, times: { heartbeat: 200 } });
  const open = failure(bench.call('never'));
  bench.signal('SIGSTOP');
  expect(await bench.upstream.ended).toEqual({
    kind: 'unreachable',
    reason: 'the extension contract sent no heartbeat for 0.6 s',
  });
  expect(await open).toMatchObject({ code: 'upstream_failed' });
  expect(await failure(bench.call('echo'))).toMatchObject({ code: 'upstream_failed' });
});

test('requests have the envelope of the broker, and so have the answers', async () => {
  const seen: unknown[] = [];
  const listen = (subject: string) =>
    bus.subscribe(subject, { callback: (_, it) => void seen.push(JSON.parse(it.string())) });
  const subscription = listen('wrapped.contract.rpc');
  const bench = await rig.connect('nats', { behavior: { prefix: 'wrapped', form: 'envelope' } });
  expect((await bench.call('shape', { value: 'ok' })).value).toBe('ok');
  await bus.flush();
  subscription.unsubscribe();
  expect(seen).toHaveLength(2);
  for (const it of seen)
    expect(it).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      topic: 'wrapped.contract.rpc',
      reply_to: expect.stringMatching(/^_INBOX\./),
      payload: expect.stringMatching(/^\{"jsonrpc":"2\.0"/),
    });
  expect((await bench.call('told')).value).not.toContain('ignored bare');
});

test('an older extension that reads only bare JSON-RPC gets that; no call is sent twice', async () => {
  const bench = await rig.connect('nats', { behavior: { form: 'bare' }, times: { form: 100 } });
  expect((await bench.call('shape', { value: 'ok' })).value).toBe('ok');
  expect((await bench.call('told')).value).toEqual([
    'ignored envelope',
    'initialize',
    expect.stringContaining('agent_version'),
    'tools/call',
    'tools/call',
  ]);
});

test('an older extension that answers the envelope with an error is asked in the other form at once', async () => {
  const began = performance.now();
  const bench = await rig.connect('nats', { behavior: { form: 'bare', objects: true } });
  expect((await bench.call('shape', { value: 'ok' })).value).toBe('ok');
  expect((await bench.call('told')).value).toContain('x/unknown');
  expect(performance.now() - began).toBeLessThan(5000);
});

test.each(['envelope', 'bare', 'both'])(
  'an extension that restarts with the form %s is found again',
  async (form) => {
    const prefix = `restart-${form}`;
    const old = form === 'bare' ? 'envelope' : 'bare';
    const bench = await rig.connect('nats', { behavior: { prefix, form: old }, times: { form: 100 } });
    bench.signal('SIGKILL');
    await rig.start('nats', { prefix, form });
    const deadline = { timeoutMs: 5000, signal: new AbortController().signal };
    expect((await bench.upstream.announce?.(deadline))?.version).toBe('1.0.0');
    expect((await bench.call('shape', { value: form })).value).toBe(form);
  },
);

test('messages of the registry are read in both forms', async () => {
  for (const wrap of [true, false]) {
    const bench = await rig.connect('nats', { behavior: { prefix: `cards-${wrap}` } });
    const card = { id: 'contract', version: '2.0.0', subject_prefix: '' };
    const event = { id: 'x', timestamp: '', topic: 't', source: 's', session_id: null, payload: card };
    bus.publish(`cards-${wrap}.registry.announce`, JSON.stringify(wrap ? event : card));
    expect(await bench.upstream.ended).toMatchObject({ reason: expect.stringContaining('version 2.0.0') });
  }
});

test('heartbeats keep an extension alive; without them, answers to tools/list do', async () => {
  for (const behavior of [{ heartbeat: 50 }, {}]) {
    const bench = await rig.connect('nats', { behavior, times: { heartbeat: 60 } });
    const ended = bench.upstream.ended.then(() => 'ended');
    const later = new Promise((resolve) => setTimeout(() => resolve('up'), 700));
    expect(await Promise.race([ended, later])).toBe('up');
    const asked = (await bench.call('told')).value as string[];
    expect(asked.includes('tools/list')).toBe(behavior.heartbeat === undefined);
  }
});

test('an extension that announces its shutdown is gone at once', async () => {
  const bench = await rig.connect('nats');
  const open = failure(bench.call('never'));
  bench.signal('SIGTERM');
  expect(await bench.upstream.ended).toEqual({
    kind: 'exited',
    reason: 'the extension contract announced its shutdown: maintenance',
  });
  expect(await open).toMatchObject({
    code: 'upstream_failed',
    message: expect.stringContaining('maintenance'),
  });
});

test('a new version replaces the old one: pending calls are answered, new calls fail', async () => {
  const old = await rig.connect('nats', { behavior: { prefix: 'swap', version: '1.0.0' } });
  const announce = (version: string) =>
    bus.publish('swap.registry.announce', JSON.stringify({ id: 'contract', version }));
  const open = old.call('wait', { ms: 800, value: 'from the old one' });
  announce('1.0.0');
  await bus.flush();
  expect((await old.call('shape', { value: 1 })).value).toBe(1);
  announce('2.0.0');
  expect(await old.upstream.ended).toEqual({
    kind: 'requested',
    reason: 'version 2.0.0 of the extension contract replaces it',
  });
  expect(await failure(old.call('echo'))).toMatchObject({ code: 'upstream_failed' });
  expect((await open).value).toBe('from the old one');
});

test('registry messages of other extensions and invalid messages change nothing', async () => {
  const bench = await rig.connect('nats', { behavior: { prefix: 'calm' } });
  bus.publish('calm.registry.announce', JSON.stringify({ id: 'other', version: '9.0.0' }));
  bus.publish(
    'calm.registry.announce',
    JSON.stringify({ id: 'contract', version: '9', subject_prefix: 'x' }),
  );
  bus.publish('calm.registry.announce', 'no json');
  bus.publish('calm.registry.announce', JSON.stringify([]));
  bus.publish('calm.registry.shutdown.other', '{}');
  bus.publish('elsewhere.registry.shutdown.contract', '{}');
  await bus.flush();
  expect((await bench.call('shape', { value: 1 })).value).toBe(1);
});

test('while the server is down calls fail at once; they work again after it is back', async () => {
  const bench = await rig.connect('nats');
  await nats.stop();
  await until(
    async () => (await failure(bench.call('echo', {}, { timeoutMs: 200 }))).code === 'network_failed',
  );
  await nats.start();
  await until(() =>
    bench.call('shape', { value: 'back' }, { timeoutMs: 500 }).then(
      (it) => it.value === 'back',
      () => false,
    ),
  );
});

test('arguments larger than the server allows are rejected before they are sent', async () => {
  const bench = await rig.connect('nats');
  const text = 'x'.repeat(9 * 1024 * 1024);
  expect(await failure(bench.call('echo', { text }))).toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining('the NATS server allows'),
  });
  expect((await bench.call('shape', { value: 1 })).value).toBe(1);
});

test('NATS URLs are parsed, and invalid ones are rejected', () => {
  expect(parseNatsUrl('nats://127.0.0.1')).toEqual({ address: '127.0.0.1:4222', tls: false });
  expect(parseNatsUrl('tls://nats.example.com:4443')).toEqual({
    address: 'nats.example.com:4443',
    tls: true,
  });
  expect(parseNatsUrl('nats://s3cret@[::1]:5000')).toEqual({
    address: '[::1]:5000',
    tls: false,
    token: 's3cret',
  });
  expect(parseNatsUrl('nats://a:b%20c@h')).toEqual({ address: 'h:4222', tls: false, user: 'a', pass: 'b c' });
  for (const wrong of ['', 'localhost', 'http://h', 'nats://', 'nats://h/path', 'nats://h?x=1'])
    expect(() => parseNatsUrl(wrong), wrong).toThrow(/is not valid/);
});
