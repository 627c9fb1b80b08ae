import { expect, test } from 'vitest';
import type { JsonObject } from '../../model/json.js';
import { OpenQuestions } from './open-questions.js';

const yes = { action: 'accept' };
const question = { message: 'Which?', _meta: { 'toolwharf/askers': ['forged'] } };

test('without an open call that can ask, nobody is asked', () => {
  const questions = new OpenQuestions();
  questions.enter('a', {});
  expect(questions.client.onAsk).toBeUndefined();
});

test('a question of the only open call is passed on without a guess of its origin', async () => {
  const questions = new OpenQuestions();
  const asked: JsonObject[] = [];
  questions.enter('a', {
    onAsk: async (it) => {
      asked.push(it);
      return yes;
    },
  });
  expect(await questions.client.onAsk?.(question)).toBe(yes);
  expect(asked).toEqual([{ message: 'Which?' }]);
});

test('with several open calls, each question goes to a call without one, and names the possible origins', async () => {
  const questions = new OpenQuestions();
  const asked: [string, unknown][] = [];
  for (const tool of ['a', 'b'])
    questions.enter(tool, {
      onAsk: async ({ _meta }) => {
        asked.push([tool, _meta]);
        return new Promise((resolve) => setTimeout(() => resolve(yes), 20));
      },
    });
  expect(await Promise.all([questions.client.onAsk?.(question), questions.client.onAsk?.(question)])).toEqual(
    [yes, yes],
  );
  const meta = { 'toolwharf/askers': ['a', 'b'] };
  expect(asked).toEqual([
    ['b', meta],
    ['a', meta],
  ]);
});

test('a question whose call ends first is asked in another open call, and canceled without one', async () => {
  const questions = new OpenQuestions();
  questions.enter('a', { onAsk: async () => yes });
  const leave = questions.enter('b', { onAsk: () => new Promise(() => {}) });
  const answer = questions.client.onAsk?.(question);
  leave();
  expect(await answer).toBe(yes);
  const alone = new OpenQuestions();
  const end = alone.enter('b', { onAsk: () => new Promise(() => {}) });
  const canceled = alone.client.onAsk?.(question);
  end();
  expect(await canceled).toEqual({ action: 'cancel' });
});

test('a request goes to a client that can answer it, and fails if its call ends first', async () => {
  const questions = new OpenQuestions();
  expect(questions.client.clientRequests).toBeUndefined();
  const sampling = { capabilities: { sampling: {} }, send: async () => ({ model: 'tiny' }) };
  const leave = questions.enter('a', { clientRequests: sampling });
  questions.enter('b', { onAsk: async () => yes });
  expect(await questions.client.clientRequests?.send('sampling/createMessage', {})).toEqual({
    model: 'tiny',
  });
  leave();
  expect(questions.client.clientRequests).toBeUndefined();
  const end = questions.enter('c', { clientRequests: { ...sampling, send: () => new Promise(() => {}) } });
  const waiting = questions.client.clientRequests?.send('roots/list', {});
  end();
  await expect(waiting).rejects.toThrow('has ended');
});

test('a question that its call withdraws when it ends is asked in another open call', async () => {
  const questions = new OpenQuestions();
  questions.enter('a', { onAsk: async () => yes });
  let withdraw: (answer: JsonObject) => void = () => {};
  const leave = questions.enter('b', {
    onAsk: () =>
      new Promise((resolve) => {
        withdraw = resolve;
      }),
  });
  const answer = questions.client.onAsk?.(question);
  withdraw({ action: 'cancel' });
  leave();
  expect(await answer).toBe(yes);
});

test.each(['never answers', 'fails'])(
  'a request whose call %s and ends is passed on in another open call',
  async (how) => {
    const questions = new OpenQuestions();
    const capabilities = { sampling: {} };
    questions.enter('a', { clientRequests: { capabilities, send: async () => ({ model: 'tiny' }) } });
    let fail: (error: Error) => void = () => {};
    const send = () => new Promise<never>((_, reject) => (fail = reject));
    const leave = questions.enter('b', { clientRequests: { capabilities, send } });
    const answer = questions.client.clientRequests?.send('sampling/createMessage', {});
    if (how === 'fails') fail(new Error('withdrawn'));
    leave();
    expect(await answer).toEqual({ model: 'tiny' });
  },
);

test('what the client of an open call rejects is not asked again', async () => {
  const questions = new OpenQuestions();
  const capabilities = { sampling: {} };
  questions.enter('a', { clientRequests: { capabilities, send: async () => ({ model: 'tiny' }) } });
  const send = async () => Promise.reject(new Error('no'));
  questions.enter('b', { clientRequests: { capabilities, send } });
  await expect(questions.client.clientRequests?.send('sampling/createMessage', {})).rejects.toThrow('no');
  questions.enter('c', { onAsk: async () => ({ action: 'cancel' }) });
  expect(await questions.client.onAsk?.(question)).toEqual({ action: 'cancel' });
});
