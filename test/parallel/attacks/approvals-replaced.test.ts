// A person can approve a held call with other arguments. They are checked like a new call, run once, and the agent is told.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HttpBench, httpBench } from '../../support/http-bench.js';

let home: HttpBench;
beforeAll(async () => {
  home = await httpBench();
});
afterAll(() => home?.close());

const call = async (text: string) =>
  (await home.request('/api/v1/call', { body: { tool: 'send_note', arguments: { text } } })).json;
const hold = async (text: string): Promise<string> => (await call(text)).confirmation.token;
const approvals = () => home.bench.host.approvals;

describe('a call that was approved with other arguments', () => {
  test('runs once with these arguments, and the caller is told which were used', async () => {
    const id = await hold('send everything');
    await approvals().approveWith(id, { text: 'send less' }, 'person');
    // The other arguments are approved for this one call only.
    expect((await call('send less')).status).toBe('confirmation_required');
    const answer = await call('send everything');
    expect(answer).toMatchObject({
      status: 'ok',
      result: { sent: 'send less' },
      replaced: { arguments: { text: 'send less' } },
    });
    expect((await call('send everything')).status).toBe('confirmation_required');
    // Control: approved as it was, the arguments of the caller run.
    const other = await hold('send this');
    await approvals().approve(other, 'person');
    const plain = await call('send this');
    expect(plain.result).toEqual({ sent: 'send this' });
    expect(plain.replaced).toBeUndefined();
  });

  test('is checked from the start: arguments that the schema rejects do not run and use nothing up', async () => {
    const id = await hold('wrong arguments');
    await approvals().approveWith(id, { text: 7 }, 'person');
    const answer = await call('wrong arguments');
    expect(answer).toMatchObject({ status: 'error', error: { code: 'invalid_input' } });
    expect((await approvals().get(id)).state).toBe('approved');
  });

  test('says in the audit log that the arguments were replaced, without the arguments', async () => {
    const id = await hold('log it');
    await approvals().approveWith(id, { text: 'nobody reads this' }, 'person');
    const entries = await home.bench.host.auditTail(20);
    const decision = entries.find((it) => it.kind === 'approval' && it.body.approval === id);
    expect(decision?.body).toMatchObject({
      decision: 'approved',
      replaced: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(JSON.stringify(entries)).not.toContain('nobody reads this');
  });

  test('is only for a person: an agent token cannot do it', async () => {
    const id = await hold('by the agent');
    const body = { id, arguments: { text: 'mine' } };
    const path = '/api/v1/operations/approvals.approveWith';
    expect((await home.request(path, { body })).status).toBe(403);
    expect((await approvals().get(id)).state).toBe('proposed');
    expect((await home.request(path, { body, token: home.operator })).status).toBe(200);
  });
});

test('the preview of a standing rule counts the held calls that it would have answered', async () => {
  const held = await approvals().list(['proposed', 'approved', 'denied', 'executed']);
  const [first] = held;
  const rule = {
    ...{ tool: 'send_note/send_note', definition: first?.definition as string, principal: null },
    ...{ destructive: false, expiresAt: null },
  };
  const matching = { argument: 'text', condition: { test: 'matches', pattern: 'send .*' } } as const;
  const some = await approvals().rules.preview({ ...rule, conditions: [matching] });
  const expected = held.filter((it) => String((it.arguments as { text: string }).text).startsWith('send '));
  expect(some).toMatchObject({ held: held.length, answered: expected.length, unknown: 0 });
  expect(some.asked).toBe(held.length - expected.length);
  expect(some.calls.map((it) => it.id).sort()).toEqual(expected.map((it) => it.id).sort());
  // A rule that names no argument answers nothing.
  expect(await approvals().rules.preview({ ...rule, conditions: [] })).toMatchObject({ answered: 0 });
  expect(await approvals().rules.list()).toEqual([]);
});
