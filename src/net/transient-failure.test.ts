import { expect, test } from 'vitest';
import { transientStatus } from './transient-failure.js';

const at = Date.parse('Sun, 06 Nov 1994 08:49:37 GMT');
const found = (status: number, after?: string) =>
  transientStatus({ status, headers: after === undefined ? {} : { 'retry-after': after } }, () => at);

test.each([502, 503, 504])('status %i is worth another try', (status) => {
  expect(found(status)).toEqual({});
  expect(found(status, '2')).toEqual({ afterMs: 2000 });
});

test.each([400, 401, 404, 409, 422, 500, 501])('status %i is an answer of the service', (status) => {
  expect(found(status)).toBeUndefined();
  expect(found(status, '1')).toBeUndefined();
});

test('a service that limits the rate must say when to come back', () => {
  expect(found(429)).toBeUndefined();
  expect(found(429, 'soon')).toBeUndefined();
  expect(found(429, '7')).toEqual({ afterMs: 7000 });
});

test('the time may be a date, which may be over', () => {
  expect(found(503, 'Sun, 06 Nov 1994 08:49:40 GMT')).toEqual({ afterMs: 3000 });
  expect(found(503, 'Sun, 06 Nov 1994 08:00:00 GMT')).toEqual({ afterMs: 0 });
});
