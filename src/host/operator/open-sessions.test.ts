import { expect, test } from 'vitest';
import { OpenSessions } from './open-sessions.js';

test('a session is listed while it is open, with its set of now, its calls and the last of them', () => {
  let clock = 10;
  let changes = 0;
  let set: { name: string } | null = null;
  const sessions = new OpenSessions(
    () => clock,
    () => {
      changes++;
    },
  );
  const session = { id: 'ses_1', principal: 'http/laptop', client: '', root: '/work' };
  const entered = sessions.enter({ ...session, set: () => set });
  expect(sessions.list()).toEqual([{ ...session, set: null, openedAt: 10, lastCallAt: null, calls: 0 }]);
  clock = 20;
  set = { name: 'reading' };
  entered.noteCall();
  expect(sessions.list()).toMatchObject([{ set: 'reading', openedAt: 10, lastCallAt: 20, calls: 1 }]);
  entered.leave();
  entered.leave();
  expect([sessions.list(), changes]).toEqual([[], 2]);
});
