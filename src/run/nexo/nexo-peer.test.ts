// The peer without a transport: random interleavings, compared with a simple model.
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { HostError } from '../../model/host-error.js';
import type { Json } from '../../model/json.js';
import { RpcFailure } from './message.js';
import { NexoPeer, type NexoRequest } from './nexo-peer.js';

interface Harness {
  readonly peer: NexoPeer;
  /** Ids in the order of the requests. */
  readonly ids: number[];
  readonly sent: Json[];
  readonly logs: string[];
  floods: number;
  say(message: unknown): void;
}

function harness(now?: () => number): Harness {
  const ids: number[] = [];
  const sent: Json[] = [];
  const logs: string[] = [];
  const made: Harness = {
    peer: new NexoPeer(
      {
        send: (text, request) => {
          sent.push(JSON.parse(text));
          if (request !== null) ids.push(request.id);
        },
        onLog: (line) => logs.push(line),
        onFlood: () => {
          made.floods++;
        },
      },
      now,
    ),
    ids,
    sent,
    logs,
    floods: 0,
    say: (message) => {
      const text = typeof message === 'string' ? message : JSON.stringify(message);
      made.peer.receive(text, Buffer.byteLength(text));
    },
  };
  return made;
}

function request(more: Partial<NexoRequest> = {}): NexoRequest {
  return {
    method: 'tools/call',
    params: {},
    name: 'weather/get',
    bytes: 1000,
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    ...more,
  };
}

type Step =
  | { readonly kind: 'request' }
  | { readonly kind: 'answer' | 'fail' | 'empty' | 'cancel' | 'drop'; readonly which: number }
  | { readonly kind: 'noise'; readonly text: string }
  | { readonly kind: 'end' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Step>({ kind: 'request' }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom('answer', 'fail', 'empty', 'cancel', 'drop'),
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
      const { peer, ids, say } = harness();
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
          case 'drop':
            if (target < 0) break;
            peer.drop(id as number, new HostError('network_failed', 'broken'));
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
      expect(peer.open).toBe(expected.filter((it) => it === undefined).length);
      peer.end(endError);
      expect(await Promise.all(real)).toEqual(expected.map((it) => it ?? 'upstream_failed'));
      expect(peer.open).toBe(0);
    }),
    { numRuns: 300 },
  );
});

describe('a timeout', () => {
  test('fails a request; a late answer has no effect, and its id is never reused', async () => {
    vi.useFakeTimers();
    try {
      const { peer, ids, logs, say } = harness();
      const late = peer.request(request({ timeoutMs: 1000 })).catch((error) => error);
      vi.advanceTimersByTime(1001);
      expect(await late).toMatchObject({ code: 'timeout', message: 'weather/get did not answer within 1 s' });
      const next = peer.request(request());
      say({ jsonrpc: '2.0', id: ids[0], result: 'late' });
      say({ jsonrpc: '2.0', id: ids[1], result: 'next' });
      expect(await next).toBe('next');
      expect(logs).toEqual([`the answer with id ${ids[0]} is late or repeated`]);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('unsolicited data', () => {
  const block = 'x'.repeat(64 * 1024);

  test('is accepted up to a limit, which refills with time', () => {
    let now = 0;
    const made = harness(() => now);
    for (let count = 0; count < 128; count++) made.say(block);
    expect(made.floods).toBe(0);
    made.say(block);
    expect(made.floods).toBe(1);
    now += 1001;
    made.say(block);
    expect(made.floods).toBe(1);
    made.say(block);
    expect(made.floods).toBe(2);
  });

  test('is logged in shortened form', () => {
    const made = harness();
    made.say(block);
    expect(made.logs).toHaveLength(1);
    expect(made.logs[0]?.length).toBeLessThanOrEqual(2000);
  });

  test('that is a request of the extension is answered with a short error', () => {
    const { sent, say } = harness();
    say({ jsonrpc: '2.0', id: 'a', method: 'm'.repeat(5000) });
    say({ jsonrpc: '2.0', id: { deep: [] }, method: 'x' });
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ id: 'a', error: { code: -32601 } });
    expect(JSON.stringify(sent[0]).length).toBeLessThan(300);
  });
});

test('an answer that is too long fails the request it names, or the only pending one', async () => {
  const { peer, ids } = harness();
  const failures = [peer.request(request()), peer.request(request())].map((it) =>
    it.catch((error) => error.code),
  );
  peer.tooLong('{"result": "xxxx');
  peer.tooLong('some log');
  expect(peer.open).toBe(2);
  peer.tooLong(` {"jsonrpc":"2.0", "id": ${ids[1]}, "result": "xxxx`);
  expect(peer.open).toBe(1);
  peer.tooLong('some log');
  expect(peer.open).toBe(1);
  peer.tooLong('{"result": "xxxx');
  expect(await Promise.all(failures)).toEqual(['output_too_large', 'output_too_large']);
});

test('a channel that cannot send fails the request with its own error', async () => {
  const broken = new HostError('network_failed', 'not connected');
  const peer = new NexoPeer({
    send: () => {
      throw broken;
    },
    onLog: () => {},
    onFlood: () => {},
  });
  await expect(peer.request(request())).rejects.toBe(broken);
  expect(peer.open).toBe(0);
});
