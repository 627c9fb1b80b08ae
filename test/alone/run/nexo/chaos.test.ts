// Random faults from fixed seeds with many concurrent calls: each call gets its own outcome, whatever
// happens to the others.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/model/json.js';
import { type Bench, type CarrierName, Rig } from '../../../support/nexo/bench.js';
import { type NatsTestServer, startNatsServer } from '../../../support/nexo/nats-server.js';

let nats: NatsTestServer;
const rig = new Rig(() => nats.url);

beforeAll(async () => {
  nats = await startNatsServer();
});

afterEach(() => rig.close());

afterAll(() => nats.close());

/** A deterministic random number generator: numbers from 0 to 1 (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Planned {
  readonly tool: string;
  readonly input: JsonObject;
  readonly timeoutMs: number;
  readonly cancelAfterMs?: number;
  readonly expected: unknown;
}

const kinds = [
  'garbage',
  'wrong id',
  'text id',
  'no id',
  'twice',
  'notice',
  'question',
  'wrapped',
  'windows',
  'empty',
];

function plan(index: number, next: () => number): Planned {
  const value = `answer ${index}`;
  const ms = Math.floor(next() * 120);
  const long = { timeoutMs: 20_000 };
  const choices: readonly (() => Planned)[] = [
    () => ({ tool: 'wait', input: { ms, value }, ...long, expected: value }),
    () => ({ tool: 'shape', input: { value }, ...long, expected: value }),
    () => {
      const kind = kinds[Math.floor(next() * kinds.length)] as string;
      return { tool: 'noise', input: { kind, value }, ...long, expected: value };
    },
    () => ({ tool: 'noise', input: { kind: 'hollow' }, ...long, expected: 'tool_bad_output' }),
    () => ({ tool: 'fail', input: { message: value }, ...long, expected: 'tool_failed' }),
    () => ({ tool: 'never', input: {}, timeoutMs: 50 + ms, expected: 'timeout' }),
    () => ({ tool: 'wait', input: { ms: 400, value }, timeoutMs: 20 + ms, expected: 'timeout' }),
    () => ({ tool: 'never', input: {}, ...long, cancelAfterMs: ms, expected: 'canceled' }),
    () => ({ tool: 'big', input: { bytes: 300_000 }, ...long, expected: 'output_too_large' }),
  ];
  return (choices[Math.floor(next() * choices.length)] as () => Planned)();
}

function outcome(bench: Bench, { tool, input, timeoutMs, cancelAfterMs }: Planned): Promise<unknown> {
  const canceling = new AbortController();
  if (cancelAfterMs !== undefined) setTimeout(() => canceling.abort(), cancelAfterMs);
  const more = { timeoutMs, signal: canceling.signal, outputBytes: 100_000 };
  return bench.call(tool, input, more).then(
    (it) => it.value,
    (error) => error.code ?? error,
  );
}

describe.each<CarrierName>(['stdio', 'nats', 'http'])('concurrent calls over %s', (carrier) => {
  test.each([1, 20_260, 7_777_777])('each get their own outcome (seed %i)', async (seed) => {
    const next = random(seed);
    const bench = await rig.connect(carrier);
    const planned = Array.from({ length: 60 }, (_, index) => plan(index, next));
    const outcomes = await Promise.all(planned.map((it) => outcome(bench, it)));
    expect(outcomes).toEqual(planned.map((it) => it.expected));
    expect((await bench.call('shape', { value: 'still there' })).value).toBe('still there');
  });
});

test.each([3, 99])(
  'a crash fails all pending calls and none that were answered before (seed %i)',
  async (seed) => {
    const next = random(seed);
    const bench = await rig.connect('stdio');
    const before = Array.from({ length: 10 }, (_, index) => ({
      ms: Math.floor(next() * 30),
      value: `early ${index}`,
    }));
    const answered = await Promise.all(before.map((it) => bench.call('wait', it)));
    expect(answered.map((it) => it.value)).toEqual(before.map((it) => it.value));
    const open = Array.from({ length: 20 }, () =>
      outcome(bench, { tool: 'never', input: {}, timeoutMs: 20_000, expected: '' }),
    );
    const crash = outcome(bench, { tool: 'crash', input: {}, timeoutMs: 20_000, expected: '' });
    expect(new Set(await Promise.all([...open, crash]))).toEqual(new Set(['upstream_failed']));
  },
);
