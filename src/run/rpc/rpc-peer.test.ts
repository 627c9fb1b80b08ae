// The peer without a transport, with a small dialect that has everything a protocol may have.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { Progress } from '../run.js';
import type { Dialect, IncomingMessage, PeerLimits } from './dialect.js';
import type { PeerChannel, PeerRequest } from './peer-channel.js';
import { RpcFailure } from './rpc-failure.js';
import { RpcPeer } from './rpc-peer.js';

const limits: PeerLimits = {
  flood: { messages: { burst: 50, perSecond: 10 }, bytes: { burst: 10_000, perSecond: 1000 } },
  invalidTexts: 5,
  pendingRequests: 8,
  incomingRequests: 2,
  answerBytes: 500,
  envelopeBytes: 100,
};
const unlimited: PeerLimits = {
  ...limits,
  flood: { messages: null, bytes: { burst: 1e9, perSecond: 1 } },
  invalidTexts: Number.POSITIVE_INFINITY,
  pendingRequests: Number.POSITIVE_INFINITY,
  incomingRequests: Number.POSITIVE_INFINITY,
};

/** A text is one message or a list of messages. */
function dialect(own: PeerLimits): Dialect<Json> {
  return {
    limits: own,
    read(text) {
      try {
        const value: Json = JSON.parse(text);
        const messages = (Array.isArray(value) ? value : [value]).map(messageOf);
        return messages.every((it) => it !== undefined) ? messages : undefined;
      } catch {
        return undefined;
      }
    },
    params: (params, progressToken) =>
      progressToken === undefined ? params : { ...params, token: progressToken },
    cancellation: (id, reason) => ({ method: 'cancel', params: { id, reason } }),
    progress(method, { token, value }) {
      return method === 'progress' && typeof value === 'number'
        ? { token, progress: { progress: value } }
        : undefined;
    },
  };
}

function messageOf(value: Json): IncomingMessage<Json> | undefined {
  if (!isObject(value)) return undefined;
  const { id, method, params = {}, result, error } = value;
  const known = typeof id === 'number' || typeof id === 'string' ? id : null;
  if (typeof method === 'string' && isObject(params))
    return id === undefined
      ? { kind: 'notification', method, params }
      : { kind: 'request', id: known, method, params };
  if (isObject(error))
    return { kind: 'failure', id: known, failure: new RpcFailure(Number(error.code), String(error.message)) };
  if (known === null) return undefined;
  return result === undefined ? { kind: 'empty', id: known } : { kind: 'result', id: known, value: result };
}

interface Connected {
  readonly peer: RpcPeer<PeerRequest, Json>;
  /** Ids in the order of the requests. */
  readonly ids: number[];
  readonly sent: JsonObject[];
  readonly logs: string[];
  readonly floods: string[];
  readonly notifications: string[];
  readonly strays: unknown[];
  say(message: unknown): void;
}

interface Options {
  readonly limits?: PeerLimits;
  readonly now?: () => number;
  readonly send?: PeerChannel<PeerRequest>['send'];
  readonly closingCancels?: boolean;
  readonly onRequest?: (method: string) => Promise<JsonObject>;
}

function connected(options: Options = {}): Connected {
  const ids: number[] = [];
  const sent: JsonObject[] = [];
  const logs: string[] = [];
  const floods: string[] = [];
  const notifications: string[] = [];
  const strays: unknown[] = [];
  const peer = new RpcPeer<PeerRequest, Json>(
    dialect(options.limits ?? unlimited),
    {
      onRequest: options.onRequest ?? (async (method) => ({ method })),
      onNotification: (method) => notifications.push(method),
      onStrayAnswer: (id, isLate) => strays.push([id, isLate]),
      onLog: (line) => logs.push(line),
      onFlood: (kind) => floods.push(kind),
    },
    options.now,
  );
  peer.connect({
    closingCancels: options.closingCancels ?? false,
    async send(message, request) {
      sent.push(message);
      if (request !== null) ids.push(request.id);
      return (await options.send?.(message, request)) ?? 'sent';
    },
  });
  const say = (message: unknown) => {
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    peer.receive(text, Buffer.byteLength(text));
  };
  return { peer, ids, sent, logs, floods, notifications, strays, say };
}

function request(more: Partial<PeerRequest> = {}): PeerRequest {
  return {
    method: 'tools/call',
    params: {},
    name: 'weather/get',
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    ...more,
  };
}

const settled = async (work: Promise<Json>) =>
  await work.catch((error: Error) => (error instanceof HostError ? error.code : `failure ${error.message}`));
const turn = () => new Promise((resolve) => setImmediate(resolve));

type Step =
  | { readonly kind: 'request' }
  | { readonly kind: 'answer' | 'fail' | 'empty' | 'cancel' | 'break'; readonly which: number }
  | { readonly kind: 'noise'; readonly text: string }
  | { readonly kind: 'end' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Step>({ kind: 'request' }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom('answer', 'fail', 'empty', 'cancel', 'break'),
      which: fc.nat(12),
    }) as fc.Arbitrary<Step>,
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('noise' as const),
      text: fc.oneof(
        fc.string({ unit: 'binary', maxLength: 40 }),
        fc.json({ maxDepth: 2 }),
        fc
          .record({
            id: fc.oneof(fc.integer({ min: -5, max: 0 }), fc.double(), fc.string()),
            result: fc.constant('wrong'),
          })
          .filter(({ id }) => !(Number.isInteger(id) && Number(id) > 0))
          .map((it) => JSON.stringify(it)),
      ),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'end' }) },
);

test('in any order of events, each request is settled once, by its first event', async () => {
  const endError = new HostError('upstream_failed', 'it exited');
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { peer, ids, say } = connected();
      const stops: AbortController[] = [];
      const real: Promise<string>[] = [];
      const expected: (string | undefined)[] = [];
      let over = false;
      for (const it of steps) {
        const target = 'which' in it && stops.length > 0 ? it.which % stops.length : -1;
        const id = ids[target];
        switch (it.kind) {
          case 'request': {
            const stop = new AbortController();
            const pending = peer.request(request({ signal: stop.signal }));
            real.push(
              pending.then(
                (value) => `value ${value}`,
                (error) => (error instanceof RpcFailure ? `failure ${error.message}` : error.code),
              ),
            );
            // A request after the end gets no id, so no later event can affect it.
            if (over) ids.push(Number.NaN);
            stops.push(stop);
            expected.push(over ? 'upstream_failed' : undefined);
            break;
          }
          case 'answer':
            if (target < 0) break;
            say({ jsonrpc: '2.0', id, result: `of ${target}` });
            expected[target] ??= `value of ${target}`;
            break;
          case 'fail':
            if (target < 0) break;
            say({ jsonrpc: '2.0', id, error: { code: 1, message: `of ${target}` } });
            expected[target] ??= `failure of ${target}`;
            break;
          case 'empty':
            if (target < 0) break;
            say({ jsonrpc: '2.0', id });
            expected[target] ??= 'tool_bad_output';
            break;
          case 'cancel':
            stops[target]?.abort();
            if (target >= 0) expected[target] ??= 'canceled';
            break;
          case 'break':
            if (target < 0) break;
            peer.fail(id as number, new HostError('network_failed', 'broken'));
            expected[target] ??= 'network_failed';
            break;
          case 'noise':
            say(it.text);
            break;
          case 'end':
            over = true;
            peer.end(endError);
            for (const index of expected.keys()) expected[index] ??= 'upstream_failed';
        }
      }
      expect(peer.pending).toBe(expected.filter((it) => it === undefined).length);
      peer.end(endError);
      expect(await Promise.all(real)).toEqual(expected.map((it) => it ?? 'upstream_failed'));
      expect(peer.pending).toBe(0);
    }),
    { numRuns: 300 },
  );
});

describe('a timeout', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('fails a request; a late answer has no effect, and its id is never used again', async () => {
    const { peer, ids, strays, say } = connected();
    const late = peer.request(request({ timeoutMs: 1000 })).catch((error) => error);
    vi.advanceTimersByTime(1001);
    expect(await late).toMatchObject({ code: 'timeout', message: 'weather/get did not answer within 1 s' });
    const next = peer.request(request());
    say({ id: ids[0], result: 'late' });
    say({ id: ids[1], result: 'next' });
    say({ id: 99, result: 'invented' });
    say({ id: 'text', result: 'invented' });
    expect(await next).toBe('next');
    expect(strays).toEqual([
      [ids[0], true],
      [99, false],
      ['text', false],
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is told to the other side', async () => {
    const { peer, ids, sent } = connected();
    const late = settled(peer.request(request({ timeoutMs: 1000 })));
    vi.advanceTimersByTime(1001);
    expect(await late).toBe('timeout');
    expect(sent.at(-1)).toEqual({
      jsonrpc: '2.0',
      method: 'cancel',
      params: { id: ids[0], reason: 'timeout' },
    });
  });
});

describe('a canceled request', () => {
  test('fails at once, and is told to the other side', async () => {
    const { peer, ids, sent } = connected();
    const stop = new AbortController();
    const work = settled(peer.request(request({ signal: stop.signal })));
    stop.abort();
    expect(await work).toBe('canceled');
    expect(sent.at(-1)).toMatchObject({ method: 'cancel', params: { id: ids[0] } });
  });

  test('is not told if the closed stream says it already', async () => {
    const { peer, sent } = connected({ closingCancels: true });
    const stop = new AbortController();
    const work = settled(peer.request(request({ signal: stop.signal })));
    stop.abort();
    expect(await work).toBe('canceled');
    expect(sent).toHaveLength(1);
  });

  test('is not sent if it was canceled before', async () => {
    const { peer, sent } = connected();
    expect(await settled(peer.request(request({ signal: AbortSignal.abort() })))).toBe('canceled');
    expect(sent).toEqual([]);
  });
});

describe('the channel', () => {
  test('that cannot send fails the request with its own error', async () => {
    const broken = new HostError('network_failed', 'not connected');
    const { peer } = connected({
      send: async () => {
        throw broken;
      },
    });
    await expect(peer.request(request())).rejects.toBe(broken);
    expect(peer.pending).toBe(0);
  });

  test('that is done without an answer fails the request', async () => {
    const { peer } = connected({ send: async () => 'done' });
    expect(await settled(peer.request(request()))).toBe('upstream_failed');
  });

  test('learns by its signal that a request is settled', async () => {
    const aborted: boolean[] = [];
    const { peer, ids, say } = connected({
      async send(_message, sent) {
        sent?.signal.addEventListener('abort', () => aborted.push(true));
        return 'sent';
      },
    });
    const work = peer.request(request());
    expect(aborted).toEqual([]);
    say({ id: ids[0], result: 1 });
    await work;
    expect(aborted).toEqual([true]);
  });

  test('can be replaced after its end', async () => {
    const { peer, say, ids } = connected();
    peer.end(new HostError('upstream_failed', 'it exited'));
    expect(await settled(peer.request(request()))).toBe('upstream_failed');
    peer.connect({
      async send(_message, sent) {
        if (sent !== null) ids.push(sent.id);
        return 'sent';
      },
    });
    const work = peer.request(request());
    say({ id: ids.at(-1), result: 'again' });
    expect(await work).toBe('again');
  });

  test('is not used for messages that arrive after its end', () => {
    const { peer, say, notifications, sent } = connected();
    expect(peer.end(new HostError('upstream_failed', 'it exited'))).toBe(true);
    expect(peer.end(new HostError('upstream_failed', 'again'))).toBe(false);
    say({ method: 'changed' });
    say({ id: 'q', method: 'ask' });
    expect([notifications, sent]).toEqual([[], []]);
  });
});

describe('the size of an answer', () => {
  test('is limited by its request, or else by the dialect; the others are not affected', async () => {
    const { peer, ids, say } = connected();
    const works = [request({ limit: 10 }), request(), request({ limit: 1000 })].map((it) =>
      settled(peer.request(it)),
    );
    // 100 bytes more are allowed around the result.
    for (const id of ids) say({ id, result: 'x'.repeat(600) });
    expect(await Promise.all(works)).toEqual(['output_too_large', 'output_too_large', 'x'.repeat(600)]);
  });

  test('decides how long the next message may be', async () => {
    const { peer, ids, say } = connected();
    const least = peer.maxMessageBytes;
    const work = peer.request(request({ limit: 5_000_000 }));
    expect(peer.maxMessageBytes).toBe(5_000_100);
    say({ id: ids[0], result: null });
    await work;
    expect(peer.maxMessageBytes).toBe(least);
  });

  test('that was too long to be read fails the request it names, or the only pending one', async () => {
    const { peer, ids } = connected();
    const failures = [peer.request(request()), peer.request(request())].map(settled);
    peer.failTooLong('{"result": "xxxx');
    peer.failTooLong('some log');
    expect(peer.pending).toBe(2);
    peer.failTooLong(` {"jsonrpc":"2.0", "id": ${ids[1]}, "result": "xxxx`);
    expect(peer.pending).toBe(1);
    peer.failTooLong('some log');
    expect(peer.pending).toBe(1);
    peer.failTooLong('{"result": "xxxx');
    expect(await Promise.all(failures)).toEqual(['output_too_large', 'output_too_large']);
  });
});

describe('limits', () => {
  test('of pending requests: one more fails and is not sent', async () => {
    const { peer, sent } = connected({ limits });
    for (let count = 0; count < 8; count++) peer.request(request()).catch(() => {});
    expect(await settled(peer.request(request()))).toBe('upstream_failed');
    expect(sent).toHaveLength(8);
    peer.end(new HostError('upstream_failed', 'the test is over'));
  });

  test('of unrequested messages, by number: they refill with time', () => {
    let now = 0;
    const { say, floods } = connected({ limits, now: () => now });
    for (let count = 0; count < 50; count++) say({ method: 'n' });
    expect(floods).toEqual([]);
    say({ method: 'n' });
    expect(floods).toEqual(['unrequested']);
    now += 100;
    say({ method: 'n' });
    expect(floods).toEqual(['unrequested']);
    say({ id: 7, result: 'stray answers count, too' });
    expect(floods).toEqual(['unrequested', 'unrequested']);
  });

  test('of unrequested messages, by bytes: they refill with time', () => {
    let now = 0;
    const { say, floods, peer } = connected({ limits, now: () => now });
    const block = JSON.stringify({ method: 'n', params: { text: 'x'.repeat(4900) } });
    say(block);
    say(block);
    expect(floods).toEqual([]);
    say(block);
    expect(floods).toEqual(['unrequested']);
    now += 5001;
    say(block);
    expect(floods).toEqual(['unrequested']);
    expect(peer.unrequested(5000, 'more')).toBe(false);
  });

  test('do not count answers to pending requests', async () => {
    const { peer, ids, say, floods } = connected({ limits, now: () => 0 });
    for (let count = 0; count < 200; count++) {
      const work = peer.request(request());
      say({ id: ids.at(-1), result: 'x'.repeat(400) });
      await work;
    }
    expect(floods).toEqual([]);
  });

  test('of invalid texts, which an answer resets', async () => {
    const { peer, ids, say, floods, logs } = connected({ limits });
    for (let count = 0; count < 5; count++) say(`  Welcome ${count}  `);
    expect(logs).toEqual([0, 1, 2, 3, 4].map((it) => `Welcome ${it}`));
    const work = peer.request(request());
    say({ id: ids[0], result: 1 });
    await work;
    for (let count = 0; count < 5; count++) say('noise');
    expect(floods).toEqual([]);
    say('noise');
    expect(floods).toEqual(['invalid']);
  });

  test('of log lines: a long text is shortened', () => {
    const { say, logs } = connected();
    say('x'.repeat(65_536));
    say({ id: null, error: { code: 1, message: 'y'.repeat(65_536) } });
    expect(logs.map((it) => it.length)).toEqual([2000, 2000]);
  });

  test('a flood inside a list ends the list', () => {
    const flood = { messages: { burst: 50, perSecond: 1 }, bytes: { burst: 1e9, perSecond: 1 } };
    const { say, floods, notifications } = connected({ limits: { ...limits, flood }, now: () => 0 });
    say(Array.from({ length: 80 }, () => ({ method: 'n' })));
    expect([notifications.length, floods]).toEqual([50, ['unrequested']]);
  });
});

describe('requests of the other side', () => {
  test('are answered with a result, an error, or nothing about bugs', async () => {
    const { say, sent } = connected({
      async onRequest(method) {
        if (method === 'no') throw new RpcFailure(-7, 'never');
        if (method === 'bug') throw new Error('a path: /home/ada');
        return { method };
      },
    });
    say({ id: 'a', method: 'yes' });
    say({ id: 'b', method: 'no' });
    say({ id: 3, method: 'bug' });
    await turn();
    expect(sent).toEqual([
      { jsonrpc: '2.0', id: 'a', result: { method: 'yes' } },
      { jsonrpc: '2.0', id: 'b', error: { code: -7, message: 'never' } },
      { jsonrpc: '2.0', id: 3, error: { code: -32603, message: 'the host cannot answer' } },
    ]);
  });

  test('with an id that is unusable or too long get no answer', async () => {
    const { say, sent } = connected();
    say({ id: { deep: [] }, method: 'x' });
    say({ id: 'i'.repeat(201), method: 'x' });
    await turn();
    expect(sent).toEqual([]);
  });

  test('are limited while earlier ones wait', async () => {
    const answers: (() => void)[] = [];
    const { say, sent } = connected({
      limits,
      onRequest: (method) => new Promise((resolve) => answers.push(() => resolve({ method }))),
    });
    for (const id of ['a', 'b', 'c']) say({ id, method: 'ask' });
    await turn();
    expect(sent).toMatchObject([{ id: 'c', error: { code: -32603 } }]);
    for (const answer of answers) answer();
    await turn();
    say({ id: 'd', method: 'ask' });
    answers.at(-1)?.();
    await turn();
    expect(sent.map((it) => it.id)).toEqual(['c', 'a', 'b', 'd']);
  });

  test('an answer that cannot be delivered is logged', async () => {
    const { say, logs } = connected({
      send: async () => {
        throw new HostError('upstream_failed', 'it does not read');
      },
    });
    say({ id: 'a', method: 'ask' });
    await turn();
    expect(logs).toEqual(['a message could not be delivered: it does not read']);
  });
});

test('progress is passed on if it increases and its request wants it', async () => {
  const { peer, ids, sent, say } = connected();
  const seen: Progress[] = [];
  const works = [request({ onProgress: (it) => seen.push(it) }), request()].map((it) => peer.request(it));
  const tell = (value: unknown, token: unknown) => say({ method: 'progress', params: { value, token } });
  expect(sent.map((it) => it.params)).toEqual([{ token: ids[0] }, {}]);
  for (const value of [1, 3, 2, 3, '4', 5]) tell(value, ids[0]);
  tell(9, ids[1]);
  tell(9, 'other');
  for (const id of ids) say({ id, result: null });
  await Promise.all(works);
  tell(10, ids[0]);
  expect(seen.map((it) => it.progress)).toEqual([1, 3, 5]);
});

test('an error that belongs to no request is logged', () => {
  const { say, logs } = connected();
  say({ id: null, error: { code: 1, message: 'overloaded' } });
  expect(logs).toEqual(['it sent an error: overloaded']);
});
