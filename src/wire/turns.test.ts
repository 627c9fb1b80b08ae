import { expect, test } from 'vitest';
import { Turns } from './turns.js';

test('each gets its own turn of the event loop, in order', async () => {
  const turns = new Turns();
  const seen: string[] = [];
  const tick = () => {
    seen.push('tick');
    if (seen.length < 8) setImmediate(tick);
  };
  const done = Promise.all(['a', 'b', 'c'].map((it) => turns.next().then(() => seen.push(it))));
  setImmediate(tick);
  await done;
  expect(seen.slice(0, 5)).toEqual(['a', 'tick', 'b', 'tick', 'c']);
  await turns.next();
});
