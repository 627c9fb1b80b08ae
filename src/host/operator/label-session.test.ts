import { expect, test } from 'vitest';
import { readToolLabels } from '../../policy/taint/read-tool-labels.js';
import { LabelSession } from './label-session.js';

const { tools } = readToolLabels({
  tools: {
    inbox: { effects: ['read'], returns: 'third-party' },
    send: {
      effects: ['write', 'send'],
      inputs: { to: 'destination', text: 'content' },
      returns: 'status',
    },
  },
});

const callOf = (tool: string, input = {}) => ({
  package: 'app',
  tool,
  callId: tool,
  labels: tools.get(tool) as NonNullable<ReturnType<typeof tools.get>>,
  input,
});

const me = ['me@home.example'];
const sendToMe = callOf('send', { to: 'me@home.example', text: 'x' });

/** A session that has read a mail which names the address. */
async function afterMail(): Promise<LabelSession> {
  const session = new LabelSession('lab', null, async () => {});
  await session.started(callOf('inbox'));
  session.returned(callOf('inbox'), 'Write to me@home.example');
  return session;
}

const isHeld = (session: LabelSession) => session.judge(sendToMe, 'standard').kind === 'hold';

test('other constants of the operator replace the ones before', async () => {
  const session = await afterMail();
  expect(isHeld(session)).toBe(true);
  session.useConstants(me);
  expect(isHeld(session)).toBe(false);
  session.useConstants([]);
  expect(isHeld(session)).toBe(true);
});

test('constants are in force again after one of them was revoked', async () => {
  const session = await afterMail();
  session.useConstants(me);
  session.revoke({ source: 'approval', kind: 'place', value: 'me@home.example', level: 'pay' });
  expect(isHeld(session)).toBe(true);
  session.useConstants(me);
  expect(isHeld(session)).toBe(false);
});

test('constants are in force again after the session was started anew', async () => {
  const session = await afterMail();
  session.useConstants(me);
  session.reset();
  session.useConstants(me);
  await session.started(callOf('inbox'));
  session.returned(callOf('inbox'), 'Write to me@home.example');
  expect(isHeld(session)).toBe(false);
});
