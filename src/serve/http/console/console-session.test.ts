import { expect, test } from 'vitest';
import type { Answer, CallRequest, ExplainRequest, Explanation, Host, Session } from '../../../host/host.js';
import { ConsoleSession } from './console-session.js';

test('a call from the console is one that a person typed, and is explained as such', async () => {
  const calls: (CallRequest | ExplainRequest)[] = [];
  const session = {
    call: async (request: CallRequest) => {
      calls.push(request);
      return { status: 'ok' } as Answer;
    },
    explain: async (request: ExplainRequest) => {
      calls.push(request);
      return { verdict: 'allow' } as Explanation;
    },
    close: async () => {},
  } as Session;
  const host: Pick<Host, 'session'> = { session: async () => session };
  const opened = new ConsoleSession(host, { directories: [] } as never);
  const request = { tool: 'bank/pay', arguments: { to: 'Bob' } };
  await (await opened.get()).call(request);
  await (await opened.get()).explain(request);
  expect(calls).toEqual([
    { ...request, isTyped: true },
    { ...request, isTyped: true },
  ]);
  await opened.close();
});
