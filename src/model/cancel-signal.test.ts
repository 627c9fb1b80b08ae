import { expect, test } from 'vitest';
import { Cancellation, neverCanceled } from './cancel-signal.js';

test('each listener is called once, in order, unless it was removed before or added after the abort', () => {
  const cancellation = new Cancellation();
  const called: string[] = [];
  const removed = () => called.push('removed');
  cancellation.addEventListener('abort', () => called.push('first'));
  cancellation.addEventListener('abort', removed);
  const twice = () => called.push('twice');
  cancellation.addEventListener('abort', twice);
  cancellation.addEventListener('abort', twice);
  cancellation.removeEventListener('abort', removed);
  expect(cancellation.aborted).toBe(false);
  cancellation.abort();
  cancellation.abort();
  cancellation.addEventListener('abort', () => called.push('late'));
  expect(cancellation.aborted).toBe(true);
  expect(called).toEqual(['first', 'twice']);
});

test('listeners that a listener removes or adds during the abort are not called', () => {
  const cancellation = new Cancellation();
  const called: string[] = [];
  const other = () => called.push('other');
  cancellation.addEventListener('abort', () => {
    cancellation.removeEventListener('abort', other);
    cancellation.addEventListener('abort', () => called.push('added'));
  });
  cancellation.addEventListener('abort', other);
  cancellation.abort();
  expect(called).toEqual([]);
});

test('the signal that is never canceled ignores its listeners', () => {
  neverCanceled.addEventListener('abort', () => {
    throw new Error('called');
  });
  expect(neverCanceled.aborted).toBe(false);
});
