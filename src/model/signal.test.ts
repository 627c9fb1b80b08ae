import { expect, test } from 'vitest';
import { Stop, unstoppable } from './signal.js';

test('each listener is told once, in order, and nobody who came or left too late', () => {
  const stop = new Stop();
  const told: string[] = [];
  const left = () => told.push('left');
  stop.addEventListener('abort', () => told.push('first'));
  stop.addEventListener('abort', left);
  const twice = () => told.push('twice');
  stop.addEventListener('abort', twice);
  stop.addEventListener('abort', twice);
  stop.removeEventListener('abort', left);
  expect(stop.aborted).toBe(false);
  stop.abort();
  stop.abort();
  stop.addEventListener('abort', () => told.push('late'));
  expect(stop.aborted).toBe(true);
  expect(told).toEqual(['first', 'twice']);
});

test('one listener that takes others away, or adds some, confuses nobody', () => {
  const stop = new Stop();
  const told: string[] = [];
  const other = () => told.push('other');
  stop.addEventListener('abort', () => {
    stop.removeEventListener('abort', other);
    stop.addEventListener('abort', () => told.push('added'));
  });
  stop.addEventListener('abort', other);
  stop.abort();
  expect(told).toEqual([]);
});

test('what nobody gives up never is', () => {
  unstoppable.addEventListener('abort', () => {
    throw new Error('told');
  });
  expect(unstoppable.aborted).toBe(false);
});
