import { expect, test } from 'vitest';
import type { JsonObject } from '../../model/json.js';
import { OpenQuestions } from './open-questions.js';

const yes = { action: 'accept' };
const question = { message: 'Which?', _meta: { 'toolwharf/askers': ['forged'] } };

test('without an open call that can ask, nobody is asked', () => {
  const questions = new OpenQuestions();
  questions.enter('a', undefined);
  expect(questions.ask).toBeUndefined();
});

test('a question of the only open call is passed on without a guess of its origin', async () => {
  const questions = new OpenQuestions();
  const asked: JsonObject[] = [];
  questions.enter('a', async (it) => {
    asked.push(it);
    return yes;
  });
  expect(await questions.ask?.(question)).toBe(yes);
  expect(asked).toEqual([{ message: 'Which?' }]);
});

test('with several open calls, each question goes to a call without one, and names the possible origins', async () => {
  const questions = new OpenQuestions();
  const asked: [string, unknown][] = [];
  for (const tool of ['a', 'b'])
    questions.enter(tool, async ({ _meta }) => {
      asked.push([tool, _meta]);
      return new Promise((resolve) => setTimeout(() => resolve(yes), 20));
    });
  expect(await Promise.all([questions.ask?.(question), questions.ask?.(question)])).toEqual([yes, yes]);
  const meta = { 'toolwharf/askers': ['a', 'b'] };
  expect(asked).toEqual([
    ['b', meta],
    ['a', meta],
  ]);
});

test('a question whose call ends first is asked in another open call, and canceled without one', async () => {
  const questions = new OpenQuestions();
  questions.enter('a', async () => yes);
  const leave = questions.enter('b', () => new Promise(() => {}));
  const answer = questions.ask?.(question);
  leave();
  expect(await answer).toBe(yes);
  const alone = new OpenQuestions();
  const end = alone.enter('b', () => new Promise(() => {}));
  const canceled = alone.ask?.(question);
  end();
  expect(await canceled).toEqual({ action: 'cancel' });
});
