// What waits for a person, over HTTP: the same list as the command prints, for operators only.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqlite } from '../../../../src/store/sqlite/sqlite.js';
import { type HttpBench, httpBench } from '../../../support/http-bench.js';

let home: HttpBench;
beforeEach(async () => {
  home = await httpBench();
});
afterEach(() => home.close());

const operator = (path: string, rest: object = {}) => home.request(path, { token: home.operator, ...rest });
const list = async () => (await operator('/api/v1/attention')).json.items;

test('held calls, kills and packages that are not ready are listed with the next command', async () => {
  const held = await home.request('/api/v1/call', { body: { tool: 'send_note', arguments: { text: 'a' } } });
  await operator('/api/v1/kills', { body: { target: 'long' } });
  const answer = await operator('/api/v1/attention');
  expect(answer.json.schema).toBe('toolwharf/attention@1');
  expect(answer.json.items).toMatchObject([
    {
      kind: 'approval',
      subject: held.json.confirmation.token,
      command: expect.stringContaining('toolwharf approvals show '),
    },
    { kind: 'killed', subject: 'long', command: 'toolwharf kill --lift long' },
    { kind: 'needs-setup', subject: 'door' },
  ]);
});

test('a call with unknown outcome is listed until an operator acknowledges it', async () => {
  // The next host writes this entry when it finds a call without an outcome.
  const database = openSqlite(`${home.bench.path}/state/toolwharf.db`);
  database.run('insert into unknown_outcome (call, tool, principal, at) values (?, ?, ?, ?)', [
    'call_lost',
    'send_note/send_note',
    'http/start-agent',
    1,
  ]);
  database.close();
  expect((await list())[0]).toMatchObject({ kind: 'outcome-unknown', subject: 'call_lost' });
  const acknowledge = () => operator('/api/v1/attention/call_lost/acknowledge', { method: 'POST' });
  expect(await acknowledge()).toMatchObject({
    status: 200,
    json: { schema: 'toolwharf/acknowledge@1', call: 'call_lost' },
  });
  expect((await list()).map((it: { kind: string }) => it.kind)).not.toContain('outcome-unknown');
  expect((await home.bench.host.auditTail(1))[0]?.body).toMatchObject({
    operation: 'acknowledge',
    callId: 'call_lost',
    by: 'http/start-operator',
  });
  expect((await acknowledge()).status).toBe(404);
});

test('agents have no access to the list', async () => {
  expect((await home.request('/api/v1/attention')).status).toBe(403);
  const tried = await home.request('/api/v1/attention/call_lost/acknowledge', { method: 'POST' });
  expect(tried.status).toBe(403);
});
