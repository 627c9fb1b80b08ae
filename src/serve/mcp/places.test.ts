import { expect, test } from 'vitest';
import { Cancellation, neverCanceled } from '../../model/cancel-signal.js';
import { createPlaces } from './places.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('who finds no place gets the next one, in the order of asking', async () => {
  const places = createPlaces({ perOwner: 1, total: 10 });
  const first = await places.take('ann', neverCanceled);
  const began: string[] = [];
  const take = (name: string) =>
    places.take('ann', neverCanceled).then((free) => {
      began.push(name);
      return free;
    });
  const second = take('second');
  const third = take('third');
  await settled();
  expect(began).toEqual([]);
  first?.();
  first?.();
  const free = await second;
  await settled();
  expect(began).toEqual(['second']);
  expect(places.takeNow('ann')).toBeUndefined();
  free?.();
  await third;
  expect(began).toEqual(['second', 'third']);
});

test('who gives up while waiting leaves the place to the next', async () => {
  const places = createPlaces({ perOwner: 1, total: 10 });
  const first = places.takeNow('ann');
  const stop = new Cancellation();
  const canceled = places.take('ann', stop);
  const waiting = places.take('ann', neverCanceled);
  stop.abort();
  expect(await canceled).toBeUndefined();
  first?.();
  expect(await waiting).toBeTypeOf('function');
  expect(await places.take('bob', stop)).toBeUndefined();
});

test('an owner without a free place does not keep others from theirs, and all share the total', async () => {
  const places = createPlaces({ perOwner: 1, total: 2 });
  const ann = places.takeNow('ann');
  const annAgain = places.take('ann', neverCanceled);
  const bob = places.takeNow('bob');
  const carl = places.take('carl', neverCanceled);
  bob?.();
  expect(await carl).toBeTypeOf('function');
  ann?.();
  expect(await annAgain).toBeTypeOf('function');
});
