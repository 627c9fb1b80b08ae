// The conversation without any carrier: random interleavings against a model that is a few lines long.
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { HostError } from '../../model/host-error.js';
import type { Json } from '../../model/json.js';
import { RpcFailure } from './message.js';
import { Peer, type Question } from './peer.js';

interface Bench {
  readonly peer: Peer;
  /** Ids in the order in which they were asked. */
  readonly ids: number[];
  readonly sent: Json[];
  readonly logs: string[];
  floods: number;
  say(message: unknown): void;
}

function bench(now?: () => number): Bench {
  const ids: number[] = [];
  const sent: Json[] = [];
  const logs: string[] = [];
  const made: Bench = {
    peer: new Peer(
      {
        send: (text, asked) => {
          sent.push(JSON.parse(text));
          if (asked !== null) ids.push(asked.id);
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

function question(more: Partial<Question> = {}): Question {
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
  | { readonly kind: 'ask' }
  | { readonly kind: 'answer' | 'fail' | 'hollow' | 'cancel' | 'drop'; readonly which: number }
  | { readonly kind: 'noise'; readonly text: string }
  | { readonly kind: 'end' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Step>({ kind: 'ask' }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom('answer', 'fail', 'hollow', 'cancel', 'drop'),
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

test('whatever happens in whatever order, each question is settled once, by the first that concerns it', async () => {
  const given = new HostError('upstream_failed', 'it is gone');
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { peer, ids, say } = bench();
      const stops: AbortController[] = [];
      const real: Promise<string>[] = [];
      const expected: (string | undefined)[] = [];
      let over = false;
      for (const it of steps) {
        const target = 'which' in it && stops.length > 0 ? it.which % stops.length : -1;
        const id = ids[target];
        switch (it.kind) {
          case 'ask': {
            const stop = new AbortController();
            const asked = peer.ask(question({ signal: stop.signal }));
            real.push(
              asked.then(
                (value) => `value ${value}`,
                (error) => (error instanceof RpcFailure ? `failure ${error.message}` : error.code),
              ),
            );
            // One that comes after the end has no id: nothing can concern it any more.
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
          case 'hollow':
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
            peer.end(given);
            for (const index of expected.keys()) expected[index] ??= 'upstream_failed';
        }
      }
      expect(peer.open).toBe(expected.filter((it) => it === undefined).length);
      peer.end(given);
      expect(await Promise.all(real)).toEqual(expected.map((it) => it ?? 'upstream_failed'));
      expect(peer.open).toBe(0);
    }),
    { numRuns: 300 },
  );
});

describe('time', () => {
  test('ends a question; its answer meets nothing afterwards, and its id is never used again', async () => {
    vi.useFakeTimers();
    try {
      const { peer, ids, logs, say } = bench();
      const late = peer.ask(question({ timeoutMs: 1000 })).catch((error) => error);
      vi.advanceTimersByTime(1001);
      expect(await late).toMatchObject({ code: 'timeout', message: 'weather/get gave no answer within 1 s' });
      const next = peer.ask(question());
      say({ jsonrpc: '2.0', id: ids[0], result: 'late' });
      say({ jsonrpc: '2.0', id: ids[1], result: 'next' });
      expect(await next).toBe('next');
      expect(logs).toEqual([`an answer with the id ${ids[0]} comes too late or twice`]);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('what nobody asked for', () => {
  const block = 'x'.repeat(64 * 1024);

  test('is borne for a while, and refilled with time', () => {
    let now = 0;
    const made = bench(() => now);
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

  test('is logged in short', () => {
    const made = bench();
    made.say(block);
    expect(made.logs).toHaveLength(1);
    expect(made.logs[0]?.length).toBeLessThanOrEqual(2000);
  });

  test('a question of the other side is refused, in few words', () => {
    const { sent, say } = bench();
    say({ jsonrpc: '2.0', id: 'a', method: 'm'.repeat(5000) });
    say({ jsonrpc: '2.0', id: { deep: [] }, method: 'x' });
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ id: 'a', error: { code: -32601 } });
    expect(JSON.stringify(sent[0]).length).toBeLessThan(300);
  });
});

test('an answer that was too long fails the question it names, else the only one there is', async () => {
  const { peer, ids } = bench();
  const failures = [peer.ask(question()), peer.ask(question())].map((it) => it.catch((error) => error.code));
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

test('a channel that cannot send fails the question with its own words', async () => {
  const broken = new HostError('network_failed', 'no way there');
  const peer = new Peer({
    send: () => {
      throw broken;
    },
    onLog: () => {},
    onFlood: () => {},
  });
  await expect(peer.ask(question())).rejects.toBe(broken);
  expect(peer.open).toBe(0);
});
