import { expect, test } from 'vitest';
import { postgresPlace } from './postgres-url.js';

const secret = ['hunter', 'two'].join('-');

test.each([
  ['postgres://tools@127.0.0.1:5433/tools', '127.0.0.1:5433/tools', null],
  ['postgresql://tools@[::1]/tools', '[::1]/tools', null],
  ['postgres://tools@localhost/a%20b', 'localhost/a b', null],
  ['postgres:///tools?host=/run/postgresql', '/run/postgresql/tools', null],
  // Another machine is connected with TLS.
  ['postgres://tools@db.example/tools', 'db.example/tools', 'verify-full'],
  ['postgres://tools@127.0.0.1.example/tools', '127.0.0.1.example/tools', 'verify-full'],
  ['postgres://tools@db.example/tools?sslmode=disable', 'db.example/tools', 'disable'],
])('%s', (url, shown, sslmode) => {
  const place = postgresPlace(url, undefined);
  expect(place.shown).toBe(shown);
  expect(new URL(place.url).searchParams.get('sslmode')).toBe(sslmode);
});

test('a password is added as it is, and is not shown', () => {
  const { url, shown } = postgresPlace('postgres://tools@localhost/tools', 'a b%40/:@');
  expect(decodeURIComponent(new URL(url).password)).toBe('a b%40/:@');
  expect(shown).toBe('localhost/tools');
});

test.each([
  `postgres://tools:${secret}@db.example/tools`,
  `postgres://tools@db.example/tools?password=${secret}`,
  `postgres://tools:${secret}@:bad/tools`,
  `https://tools:${secret}@db.example/tools`,
  `${secret}`,
  'postgres://db.example/',
  'postgres:///tools',
])('is rejected without being repeated: URL %#', (url) => {
  let error: unknown;
  try {
    postgresPlace(url, undefined);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({ code: 'usage' });
  expect((error as Error).cause).toBeUndefined();
  expect(`${error} ${JSON.stringify(error)} ${(error as Error).stack}`).not.toContain(secret);
});
