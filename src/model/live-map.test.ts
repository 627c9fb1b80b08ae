import { expect, test } from 'vitest';
import { LiveMap } from './live-map.js';

test('entries are found until they are deleted, and keep the order in which they came', () => {
  const map = new LiveMap<string, number>();
  map.set('a', 1);
  map.set('b', 2);
  map.set('c', 3);
  map.set('a', 4);
  expect(map.keys()).toEqual(['a', 'b', 'c']);
  expect(map.values()).toEqual([4, 2, 3]);
  map.delete('b');
  map.delete('unknown');
  expect(map.size).toBe(2);
  expect([map.has('b'), map.get('b')]).toEqual([false, undefined]);
  expect(map.get('c')).toBe(3);
});

test('its lists are copies: entries may be deleted while they are gone through', () => {
  const map = new LiveMap<number, number>();
  for (let key = 0; key < 4; key++) map.set(key, key);
  for (const key of map.keys()) map.delete(key);
  expect(map.size).toBe(0);
});
