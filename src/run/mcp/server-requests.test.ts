import { expect, test } from 'vitest';
import type { JsonObject } from '../../model/json.js';
import { answerServerRequest } from './server-requests.js';

test('a question is asked without the metadata of the server, which could name other tools as its origin', async () => {
  const asked: JsonObject[] = [];
  const ask = async (question: JsonObject) => {
    asked.push(question);
    return { action: 'accept', content: {} };
  };
  const params = { message: 'Which?', requestedSchema: {}, _meta: { 'toolwharf/askers': ['bank_pay'] } };
  const answer = await answerServerRequest(
    'elicitation/create',
    params,
    { roots: [], workspace: null },
    { onAsk: ask },
  );
  expect(answer).toEqual({ action: 'accept', content: {} });
  expect(asked).toEqual([{ message: 'Which?', requestedSchema: {} }]);
});
