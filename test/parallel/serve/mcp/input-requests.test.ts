// Questions of a server keep their keys, so a client of 2026 can answer as it would without the host.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleModule } from '../../../../scripts/bundle.mjs';
import { upstreams } from '../../../support/mcp-upstream.js';
import { BareClient, envelope, frontFor, type Message } from '../../../support/mcp-wire.js';
import { scriptPackage } from '../../../support/server-package.js';
import { temporaryFolder } from '../../../support/toolwharf.js';
import { type Workbench, workbench } from '../../../support/workbench.js';

const folder = temporaryFolder();
let bench: Workbench;
let client: BareClient;
let strict: BareClient;

beforeAll(async () => {
  const script = join(folder.path, 'server.mjs');
  await bundleModule(`import './feature-server.mjs';`, upstreams, script);
  bench = await workbench(scriptPackage('desk', script, ['2026']));
  const { host } = bench;
  const session = await bench.session({ policy: { serverRequests: ['sampling', 'roots'] } });
  client = new BareClient(frontFor({ host, session }));
  strict = new BareClient(frontFor({ host, session: await bench.session() }));
});

afterAll(async () => {
  client?.leave();
  strict?.leave();
  await bench?.close();
  folder.remove();
});

const forms = { elicitation: {} };
let ids = 0;

async function call(
  name: string,
  capabilities: object,
  more: object = {},
  of = client,
): Promise<{ result: Message; error: Message }> {
  const args = name === 'consult' ? { topic: 'ink' } : {};
  const params = { name: `desk_${name}`, arguments: args, ...more, ...envelope(capabilities) };
  return (await of.request('tools/call', params, ++ids)) as { result: Message; error: Message };
}

const accepted = (it: string) => ({ action: 'accept', content: { it } });
const textOf = (result: Message) => (result.content as Message[])[0]?.text;

test('a question has the key that its server chose', async () => {
  const { result } = await call('consult', forms);
  expect(Object.keys(result.inputRequests as object)).toEqual(['it']);
  expect(JSON.stringify(result)).not.toContain('toolwharf/question-key');
  const { requestState } = result;
  const { result: done } = await call('consult', forms, {
    requestState,
    inputResponses: { it: accepted('red') },
  });
  expect(textOf(done)).toBe('ink: accept red');
});

test('questions that are asked together have the keys of their server', async () => {
  const { result } = await call('quiz', forms);
  expect(Object.keys(result.inputRequests as object)).toEqual(Array.from({ length: 8 }, (_, at) => `q${at}`));
});

test('answers that come with the call are given to its server, and others are ignored', async () => {
  const inputResponses = { it: accepted('blue'), other: accepted('none') };
  const { result } = await call('consult', forms, { inputResponses });
  expect(textOf(result)).toBe('ink: accept blue');
});

test.each([{ it: 12345 }, { it: { action: 'perhaps' } }, { wrong: accepted('blue') }, null])(
  'a call with the answers %j is asked',
  async (inputResponses) => {
    const { result } = await call('consult', forms, { inputResponses });
    expect(result.resultType).toBe('input_required');
  },
);

test('answers that come with the call are not given if the client cannot be asked', async () => {
  const answered = await call('consult', {}, { inputResponses: { it: accepted('blue') } });
  expect(JSON.stringify(answered)).not.toContain('blue');
  expect(answered.error).toMatchObject({ code: -32_021 });
});

test('a client that lacks what a server needs gets the error of the server', async () => {
  const { error } = await call('needy', {});
  expect(error).toMatchObject({ code: -32_021, data: { requiredCapabilities: { sampling: {} } } });
  const { result } = await call('needy', { sampling: {} });
  expect(textOf(result)).toBe('it has sampling');
});

test('a client is not told that it lacks what the operator does not allow', async () => {
  const { result, error } = await call('needy', { sampling: {} }, {}, strict);
  expect(error).toBeUndefined();
  expect(result).toMatchObject({ isError: true, _meta: { 'toolwharf/code': 'upstream_failed' } });
});
