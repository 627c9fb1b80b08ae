// Calls every example in the sandbox, one after the other, like a new user does.
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHost, type Host, type Json, type Session } from '../../../src/index.js';
import type { HttpClient, HttpRequest } from '../../../src/net/http-client.js';
import { temporaryFolder } from '../../support/toolwharf.js';

const examples = join(import.meta.dirname, '../../../examples');
/** Not served by "npm start". */
const extraExamples = join(import.meta.dirname, '../../../examples-extra');
let folder: ReturnType<typeof temporaryFolder>;
let host: Host;
let session: Session;
const sent: HttpRequest[] = [];

/** Two examples use internet services, where tests do not go. The test checks the requests only. */
const client: HttpClient = {
  open: () => Promise.reject(new Error('no tool of the examples streams')),
  async send(request) {
    sent.push(request);
    const body = Buffer.from(request.url.includes('/forecast') ? '{"current":{}}' : '[]');
    return { status: 200, reason: 'OK', headers: { 'content-type': 'application/json' }, body };
  },
};

beforeAll(async () => {
  folder = temporaryFolder({ 'work/notes.txt': 'one\n# TODO: two\n', 'work/data.csv': 'a,b\n1,2\n' });
  chmodSync(join(folder.path, 'work'), 0o777);
  mkdirSync(join(folder.path, 'state'));
  host = await createHost({ state: join(folder.path, 'state'), client, warm: false });
  session = await host.session({ directories: [examples, extraExamples], root: join(folder.path, 'work') });
});

afterAll(async () => {
  await host.close();
  folder.remove();
});

/** What one example shows does not count for the next one. */
function fresh(): Session {
  return session.named(randomUUID());
}

/** What a person does once with "toolwharf approvals allow PACKAGE". */
async function alwaysAllow(packageId: string): Promise<void> {
  const whole = { definition: null, principal: null, conditions: [], destructive: false, expiresAt: null };
  await host.approvals.rules.add({ ...whole, tool: `${packageId}/*` }, 'person');
}

async function result(tool: string, given: Record<string, Json>): Promise<Json> {
  const answer = await fresh().call({ tool, arguments: given });
  if (answer.status !== 'ok') throw new Error(JSON.stringify(answer));
  return answer.result;
}

test('each example is ready, or says exactly what it needs', async () => {
  const { packages } = await session.packages();
  const waiting = packages.filter((it) => it.state !== 'ready').map((it) => [it.id, it.state]);
  expect(Object.fromEntries(waiting)).toEqual({
    'machine-watch': 'needs-setup',
    assigned_issues: 'needs-setup',
    yaml_to_json: 'needs-setup',
    'webhook-signatures': 'needs-setup',
  });
  const reasons = (id: string) => packages.find((it) => it.id === id)?.reasons.join();
  expect(reasons('yaml_to_json')).toMatch(/toolwharf install .*yaml_to_json\.py/);
  expect(reasons('webhook-signatures')).toMatch(/toolwharf secret set webhook-signatures signing_secret/);
});

describe('each example answers', () => {
  test('word_count answers', async () =>
    expect(await result('word_count', { text: 'to be or not' })).toMatchObject({ words: 4 }));

  test('csv_profile reads a file from the workspace', async () =>
    expect(await result('csv_profile', { path: 'data.csv' })).toMatchObject({ rows: 1 }));

  test('draw_lots and replace_in_files run after a person approved the call', async () => {
    for (const [tool, given] of [
      ['draw_lots', { names: ['Ada', 'Grace'] }],
      ['replace_in_files', { folder: '.', find: 'one', replacement: 'zero', pattern: '*.txt' }],
    ] as const) {
      const held = await session.call({ tool, arguments: given as Record<string, Json> });
      if (held.status !== 'confirmation_required') throw new Error(JSON.stringify(held));
      await host.approvals.approve(held.confirmation.token, 'person');
      await result(tool, given as Record<string, Json>);
    }
    expect(readFileSync(join(folder.path, 'work/notes.txt'), 'utf8')).toContain('zero');
  });

  test('shell asks first, then runs in the workspace and sees nothing else', async () => {
    const held = await session.call({ tool: 'shell/execute', arguments: { command: 'ls' } });
    expect(held).toMatchObject({
      status: 'confirmation_required',
      confirmation: { kind: 'undeclared_effect' },
    });
    await alwaysAllow('shell');
    const command = 'pwd; echo made > made.txt; cat made.txt; cat /etc/shadow';
    const done = (await result('shell/execute', { command })) as { stdout: string; exitCode: number };
    expect(done.stdout).toBe(`${join(folder.path, 'work')}\nmade\n`);
    expect(done.exitCode).not.toBe(0);
  });

  test('webhook-signatures works once its secret is set', async () => {
    const entry = {
      package: 'webhook-signatures',
      slot: 'signing_secret',
      value: 'it is a secret',
      by: 'me',
    };
    await host.secrets.set({ ...entry, audience: { kind: 'manifest' } });
    await alwaysAllow('webhook-signatures');
    const signed = (await result('webhook-signatures/sign', { scheme: 'github', body: '{}' })) as {
      headers: Record<string, string>;
    };
    const signature = signed.headers['X-Hub-Signature-256'] as string;
    expect(signature).toMatch(/^sha256=[0-9a-f]{64}$/);
    const verified = await result('webhook-signatures/verify', { scheme: 'github', body: '{}', signature });
    expect(JSON.stringify(verified)).toMatch(/true/);
  });

  test('table-desk, json-diff and todo-marks answer', async () => {
    expect(await result('table-desk/profile', { text: 'a,b\n1,2\n3,4\n' })).toMatchObject({ rows: 2 });
    const totals = await result('table-desk/totals', { text: 'k,v\nx,1\nx,2\n', by: 'k', value: 'v' });
    expect(JSON.stringify(totals)).toContain('3');
    const before = { a: 1 };
    const { patch } = (await result('json-diff/diff', { before, after: { a: 2 } })) as { patch: Json };
    expect(JSON.stringify(await result('json-diff/apply', { document: before, patch }))).toContain('2');
    const marks = await result('todo-marks/find_marks', { folder: join(folder.path, 'work') });
    expect(marks).toContain('notes.txt:2');
    const largest = await result('todo-marks/largest_files', { folder: join(folder.path, 'work') });
    expect(String(largest)).toContain('notes.txt');
  });

  test('statistics-desk and log-digest answer', async () => {
    expect(await result('statistics-desk/summary', { values: [1, 2, 3] })).toMatchObject({ mean: 2 });
    const compared = await result('statistics-desk/compare', { before: [1, 2, 3], after: [2, 3, 4] });
    expect(compared).toMatchObject({ difference: 1 });
    expect(await result('statistics-desk/trend', { y: [1, 2, 3, 4] })).toMatchObject({ slope: 1 });
    writeFileSync(join(folder.path, 'log'), '');
    const digest = await result('log-digest/digest_log', { log: 'error: mail to ada@example.com failed\n' });
    // The guardrails remove personal data before the code sees it.
    expect(JSON.stringify(digest)).not.toContain('ada@example.com');
    await result('log-digest/compare_logs', { before: 'a\n', after: 'b\n' });
  });

  test('minutes-keeper fills its prompts without personal data', async () => {
    const notes = 'pay with 4111 1111 1111 1111\nthen\nship';
    // If leak-guard is installed too, it stops such a call before the guardrails see it.
    const stopped = await session.call({ tool: 'minutes-keeper/minutes_prompt', arguments: { notes } });
    expect(stopped).toMatchObject({ status: 'denied' });
    expect(JSON.stringify(stopped)).toContain('leak-guard stopped the call');
    await host.switches.set('leak-guard', false, 'test');
    const filled = await result('minutes-keeper/minutes_prompt', { notes });
    await host.switches.set('leak-guard', true, 'test');
    expect(filled).toContain('ship');
    expect(filled).toContain('[redacted:credit_card]');
    await result('minutes-keeper/follow_up_prompt', { owner: 'Ada', action: 'ship', due: 'Friday' });
  });

  test('holiday-desk and weather-desk send the requests of their manifests', async () => {
    await result('holiday-desk/public_holidays', { year: 2026, country: 'NO' });
    expect(sent.at(-1)).toMatchObject({
      method: 'GET',
      url: expect.stringMatching(/\/PublicHolidays\/2026\/NO$/),
    });
    await result('weather-desk/current_weather', { latitude: 59.9, longitude: 10.7 });
    expect(sent.at(-1)?.url).toMatch(/latitude=59\.9&longitude=10\.7/);
    expect(sent.every((it) => it.url.startsWith('https://') && !it.credential)).toBe(true);
  });
});
