import { expect, test } from 'vitest';
import type { Answer, CallRequest, Host, Session } from '../../../host/host.js';
import { ConsoleSession } from './console-session.js';

test('a call from the console is one that a person typed', async () => {
  const calls: CallRequest[] = [];
  const session = {
    call: async (request: CallRequest) => {
      calls.push(request);
      return { status: 'ok' } as Answer;
    },
    close: async () => {},
  } as Session;
  const host: Pick<Host, 'session'> = { session: async () => session };
  const opened = new ConsoleSession(host, { directories: [] } as never);
  await (await opened.get()).call({ tool: 'bank/pay', arguments: { to: 'Bob' } });
  expect(calls).toEqual([{ tool: 'bank/pay', arguments: { to: 'Bob' }, isTyped: true }]);
  await opened.close();
});
