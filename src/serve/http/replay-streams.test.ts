import { describe, expect, test } from 'vitest';
import { ByteBudget } from '../../wire/byte-budget.js';
import type { EventStream } from './event-stream.js';
import { ReplayStreams } from './replay-streams.js';

/** A connection that notes what it is told. */
function connection() {
  const sent: (readonly [string | undefined, string])[] = [];
  let close = () => {};
  const it = {
    sent,
    isEnded: false,
    send: (text: string, id?: string) => void sent.push([id, text]),
    prime: (id: string) => void sent.push([id, '']),
    end: () => {
      it.isEnded = true;
    },
    onClose: (listener: () => void) => {
      close = listener;
    },
    break: () => close(),
  };
  return it;
}

const asStream = (it: ReturnType<typeof connection>) => it as unknown as EventStream;

function streams(bytes = 1_000_000) {
  const budget = new ByteBudget({ perOwner: bytes, total: bytes });
  const all = new ReplayStreams({ share: budget.open('agent'), resumeMs: 60_000, isPrimed: () => true });
  return { all, budget };
}

describe('a stream that can be continued', () => {
  test('leaves out the oldest messages that are not needed, and keeps questions and answers', () => {
    const { all } = streams();
    const stream = all.open(() => {});
    const first = connection();
    stream.connect(asStream(first));
    stream.send('question', true);
    for (let at = 0; at < 3000; at++) stream.send(`progress ${at}`, false);
    stream.send('answer', true);
    const again = connection();
    all.connect(() => asStream(again), first.sent[0]?.[0]);
    const texts = again.sent.map(([, text]) => text);
    expect(texts).toHaveLength(1002);
    expect(texts.slice(0, 2)).toEqual(['question', 'progress 2000']);
    expect(texts.at(-1)).toBe('answer');
    expect(first.isEnded).toBe(true);
  });

  test('cannot be continued once it needs more than its room, and frees it', () => {
    const { all, budget } = streams(100);
    let isAbandoned = false;
    const stream = all.open(() => {
      isAbandoned = true;
    });
    const first = connection();
    stream.connect(asStream(first));
    stream.send('x'.repeat(60), true);
    expect([stream.isResumable, budget.used]).toEqual([true, 60]);
    stream.send('x'.repeat(60), true);
    expect([stream.isResumable, budget.used]).toEqual([false, 0]);
    expect(first.sent.at(-1)?.[0]).toBeUndefined();
    expect(all.connect(() => asStream(connection()), first.sent[0]?.[0])).toBeUndefined();
    first.break();
    expect(isAbandoned).toBe(true);
  });

  test('is gone with its session, and so are the bytes', () => {
    const { all, budget } = streams();
    const stream = all.open(() => {});
    const first = connection();
    stream.connect(asStream(first));
    stream.send('progress', false);
    all.close();
    expect([first.isEnded, budget.used]).toEqual([true, 0]);
    expect(all.connect(() => asStream(connection()), first.sent[0]?.[0])).toBeUndefined();
  });
});

test('no two events of a session have the same id', () => {
  const { all } = streams();
  const ids = Array.from({ length: 3 }, () => {
    const [stream, it] = [all.open(() => {}), connection()];
    stream.connect(asStream(it));
    stream.send('progress', false);
    return it.sent.map(([id]) => id);
  }).flat();
  expect(new Set(ids).size).toBe(6);
});

test('an id of the stream without a request leads to a new one if it is over', () => {
  const { all } = streams();
  const it = connection();
  expect(all.connect(() => asStream(it), 'general7-3')).toBe(it);
  expect(it.sent).toEqual([['general1-0', '']]);
  // Control: a stream of a request cannot be begun anew.
  expect(all.connect(() => asStream(it), 'request7-3')).toBeUndefined();
});
