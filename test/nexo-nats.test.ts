// What only a bus has: signs of life, goodbyes, versions that take over, a server that goes away and comes back.
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { HostError } from '../src/model/host-error.js';
import { parseNatsUrl } from '../src/run/nexo/nats-server.js';
import { Rig } from './nexo/bench.js';
import { type NatsHouse, natsHouse } from './nexo/nats-house.js';
import { until } from './toolwharf.js';

let house: NatsHouse;
let bus: NatsConnection;
let url: string | null = null;
const rig = new Rig(() => url);

beforeAll(async () => {
  house = await natsHouse();
  url = house.url;
  bus = await connect({ servers: house.url, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
});

afterEach(async () => {
  await rig.close();
  url = house.url;
});

afterAll(async () => {
  await bus.close();
  await house.close();
});

function failure(work: Promise<unknown>): Promise<HostError> {
  return work.then(
    () => Promise.reject(new Error('no failure')),
    (error) => error,
  );
}

test('without a server the package needs one, and the next step is named', async () => {
  url = null;
  expect(await failure(rig.reach('nats', {}))).toMatchObject({
    code: 'needs_setup',
    hint: expect.stringContaining('--nats-url nats://'),
  });
});

test('a server that is not there is named, without the password', async () => {
  const closed = await natsHouse();
  await closed.close();
  url = `nats://ada:${'open'}${'sesame'}@127.0.0.1:${closed.port}`;
  const error = await failure(rig.reach('nats', {}));
  expect(error).toMatchObject({
    code: 'network_failed',
    message: `no NATS server answers at 127.0.0.1:${closed.port}`,
  });
  expect(JSON.stringify([error.message, error.hint])).not.toContain('sesame');
});

test('a server that wants a password gets the one from the address, and says no to another', async () => {
  const guarded = await natsHouse('authorization { user: ada, password: lovelace }');
  rig.later(() => guarded.close());
  url = `nats://ada:lovelace@127.0.0.1:${guarded.port}`;
  const bench = await rig.connect('nats');
  expect((await bench.call('shape', { value: 1 })).value).toBe(1);
  url = `nats://ada:byron@127.0.0.1:${guarded.port}`;
  expect(await failure(rig.reach('nats', {}))).toMatchObject({ code: 'auth_required' });
});

test('an extension that does not run is told apart from one that is slow', async () => {
  const began = performance.now();
  expect(await failure(rig.reach('nats', { wishes: { prefix: 'nobody' } }))).toMatchObject({
    code: 'upstream_failed',
    message: 'nobody answers on nobody.contract.rpc',
  });
  expect(performance.now() - began).toBeLessThan(5000);
});

test('one that gives no sign of life, and no answer, is gone; open calls fail with it', async () => {
  const bench = await rig.connect('nats', { wishes: { heartbeat: 50 }, times: { heartbeat: 200 } });
  const open = failure(bench.call('never'));
  bench.signal('SIGSTOP');
  expect(await bench.remote.ended).toEqual({
    kind: 'unreachable',
    reason: 'the extension contract gave no sign of life for 0.6 s',
  });
  expect(await open).toMatchObject({ code: 'upstream_failed' });
  expect(await failure(bench.call('echo'))).toMatchObject({ code: 'upstream_failed' });
});

test('signs of life keep it; so do answers of one that gives none', async () => {
  for (const wishes of [{ heartbeat: 50 }, {}]) {
    const bench = await rig.connect('nats', { wishes, times: { heartbeat: 60 } });
    const ended = bench.remote.ended.then(() => 'ended');
    const later = new Promise((resolve) => setTimeout(() => resolve('up'), 700));
    expect(await Promise.race([ended, later])).toBe('up');
    const asked = (await bench.call('told')).value as string[];
    expect(asked.includes('tools/list')).toBe(wishes.heartbeat === undefined);
  }
});

test('one that says goodbye is gone at once', async () => {
  const bench = await rig.connect('nats');
  const open = failure(bench.call('never'));
  bench.signal('SIGTERM');
  expect(await bench.remote.ended).toEqual({
    kind: 'exited',
    reason: 'the extension contract says that it stops: maintenance',
  });
  expect(await open).toMatchObject({
    code: 'upstream_failed',
    message: expect.stringContaining('maintenance'),
  });
});

test('another version takes its place: what was asked before is answered, nothing more is asked', async () => {
  const old = await rig.connect('nats', { wishes: { prefix: 'swap', version: '1.0.0' } });
  const announce = (version: string) =>
    bus.publish('swap.registry.announce', JSON.stringify({ id: 'contract', version }));
  const open = old.call('wait', { ms: 800, value: 'from the old one' });
  announce('1.0.0');
  await bus.flush();
  expect((await old.call('shape', { value: 1 })).value).toBe(1);
  announce('2.0.0');
  expect(await old.remote.ended).toEqual({
    kind: 'asked',
    reason: 'version 2.0.0 of the extension contract takes its place',
  });
  expect(await failure(old.call('echo'))).toMatchObject({ code: 'upstream_failed' });
  expect((await open).value).toBe('from the old one');
});

test('announcements, heartbeats and goodbyes of others, and nonsense, change nothing', async () => {
  const bench = await rig.connect('nats', { wishes: { prefix: 'calm' } });
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

test('while the server is away calls fail at once, and go on when it is back', async () => {
  const bench = await rig.connect('nats');
  await house.stop();
  await until(
    async () => (await failure(bench.call('echo', {}, { timeoutMs: 200 }))).code === 'network_failed',
  );
  await house.start();
  await until(() =>
    bench.call('shape', { value: 'back' }, { timeoutMs: 500 }).then(
      (it) => it.value === 'back',
      () => false,
    ),
  );
});

test('arguments that the server does not take are refused before they are sent', async () => {
  const bench = await rig.connect('nats');
  const text = 'x'.repeat(9 * 1024 * 1024);
  expect(await failure(bench.call('echo', { text }))).toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining('the NATS server takes'),
  });
  expect((await bench.call('shape', { value: 1 })).value).toBe(1);
});

test('addresses of servers', () => {
  expect(parseNatsUrl('nats://127.0.0.1')).toEqual({ place: '127.0.0.1:4222', tls: false });
  expect(parseNatsUrl('tls://nats.example.com:4443')).toEqual({ place: 'nats.example.com:4443', tls: true });
  expect(parseNatsUrl('nats://s3cret@[::1]:5000')).toEqual({
    place: '[::1]:5000',
    tls: false,
    token: 's3cret',
  });
  expect(parseNatsUrl('nats://a:b%20c@h')).toEqual({ place: 'h:4222', tls: false, user: 'a', pass: 'b c' });
  for (const wrong of ['', 'localhost', 'http://h', 'nats://', 'nats://h/path', 'nats://h?x=1'])
    expect(() => parseNatsUrl(wrong), wrong).toThrow(/cannot be used/);
});
