import { expect, test } from 'vitest';
import type { Session } from '../../host/host.js';
import { NamedSessions } from './named-sessions.js';
import type { McpServerOptions } from './server-options.js';

function countingSession() {
  const made: string[] = [];
  const session = {
    named(name: string) {
      made.push(name);
      return { name } as unknown as Session;
    },
  } as unknown as Session;
  const options = { session, holder: 'token' } as McpServerOptions;
  return { made, sessions: new NamedSessions(options), options };
}

test('a named session is made once, and each name has its own', () => {
  const { made, sessions } = countingSession();
  const first = sessions.of('a');
  expect(sessions.of('a')).toBe(first);
  expect(sessions.of('b')).not.toBe(first);
  expect(made).toEqual(['a', 'b']);
  expect(first.holder).toBe('token a');
});

test('without a name it is the session itself', () => {
  const { made, options, sessions } = countingSession();
  expect(sessions.of(undefined)).toBe(options);
  expect(made).toEqual([]);
});

test('only the names that were used last are kept', () => {
  const { made, sessions } = countingSession();
  for (let count = 0; count < 32; count++) sessions.of(`name ${count}`);
  sessions.of('name 0');
  sessions.of('one more');
  made.length = 0;
  sessions.of('name 0');
  sessions.of('name 1');
  expect(made).toEqual(['name 1']);
});
