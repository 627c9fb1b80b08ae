// The kill switch of each kind, used and not usable, and what is left after it.
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject, PackageChange, RevokeRequest, Session } from '../../../src/index.js';
import { counterPackage } from '../../support/lifecycle-packages.js';
import { type LoopbackServer, loopbackServer } from '../../support/toolwharf.js';
import { type Workbench, workbench } from '../../support/workbench.js';

const by = 'operator';
const key = 'key-0123456789-abcdef';
const other = 'key-9876543210-fedcba';

let bench: Workbench;
let session: Session;
let server: LoopbackServer;
let status = 204;

beforeAll(async () => {
  server = await loopbackServer((request, response) => {
    response.writeHead(status);
    response.end(status === 500 ? `cannot delete ${request.headers.authorization}` : undefined);
  });
  bench = await workbench({});
  session = await bench.session({ directories: [], accept: null });
});
afterAll(async () => {
  await bench.close();
  await server.close();
});

const secret = (name: string) => ({ name, prompt: 'A key.', secret: true });
const region = { name: 'REGION', prompt: 'Where.', secret: false, default: 'north' };

/** Installs a package with this kill switch and the values of these secrets. */
async function install(killSwitch: JsonObject, values: Record<string, string>, more: { code?: string } = {}) {
  const env = [...Object.keys(values).map(secret), region];
  bench.write(counterPackage({ killSwitch, env, ...more }));
  const source = join(bench.packages, 'counter');
  const allow = [`net:127.0.0.1:${server.port}`];
  const plan = await session.installations.plan({ source, allow });
  const given = { ...values, REGION: 'south' };
  await session.installations.install({
    source,
    allow,
    agree: plan.digest,
    by,
    values: given,
    skipSmoke: true,
  });
  status = 204;
  server.requests.length = 0;
  return plan;
}

const revoke = (more: Partial<RevokeRequest> = {}) =>
  session.installations.revoke({ package: 'counter', by, ...more });
const stepOf = ({ steps }: PackageChange, name: string) => steps.find((it) => it.name === name);
const stored = async () =>
  (await bench.host.secrets.list()).filter((it) => it.package === 'counter').map((it) => it.slot);
const states = async () => (await session.installations.list()).map((it) => it.state);
const url = () => ({ kind: 'url', url: `http://127.0.0.1:${server.port}/grants/1` });

async function expectGone() {
  expect([await states(), await stored()]).toEqual([[], []]);
  expect(readdirSync(join(bench.path, 'state', 'store', 'trees'))).toEqual([]);
}

/** The package is stopped, and only these values are left. */
async function expectStopped(values: readonly string[]) {
  expect([await states(), await stored()]).toEqual([['revoking'], values]);
  const answer = await session.call({ tool: 'counter/count', arguments: { text: 'a' } });
  expect(answer).toMatchObject({ status: 'denied' });
}

test.each([204, 404, 410])('a request that gets %d has withdrawn the access', async (answer) => {
  const plan = await install(url(), { API_KEY: key });
  expect(plan.killSwitch).toMatch(/^sends DELETE to http.*\/grants\/1 with API_KEY$/);
  status = answer;
  const change = await revoke();
  expect(server.requests).toMatchObject([
    { method: 'DELETE', url: '/grants/1', headers: { authorization: `Bearer ${key}` } },
  ]);
  expect(stepOf(change, 'kill switch')).toMatchObject({ status: 'done' });
  expect(change.left).toEqual([]);
  await expectGone();
});

test('a request that gets an error keeps only its secret, until another try or the end', async () => {
  await install(url(), { API_KEY: key });
  status = 500;
  const change = await revoke();
  const { detail } = stepOf(change, 'kill switch') ?? {};
  expect(detail).toContain('answered 500: cannot delete Bearer [redacted');
  expect(JSON.stringify(change)).not.toContain(key);
  expect(change.left.at(-1)).toContain('revoke counter --retry');
  await expectStopped(['API_KEY']);
  expect(stepOf(await revoke(), 'kill switch')).toMatchObject({ status: 'failed' });
  status = 200;
  expect((await revoke()).left).toEqual([]);
  await expectGone();

  await install(url(), { API_KEY: key });
  status = 500;
  await revoke();
  const last = await revoke({ forget: true });
  expect(last.left).toEqual([expect.stringContaining('its kill switch did not succeed')]);
  await expectGone();
});

test('of several secrets, the operator names the one to send', async () => {
  const plan = await install(url(), { API_KEY: key, OTHER_KEY: other });
  expect(plan.killSwitch).toContain('with the one of API_KEY, OTHER_KEY that');
  const asked = await revoke();
  expect(asked.left[0]).toContain('--credential NAME; it has API_KEY, OTHER_KEY');
  expect(server.requests).toEqual([]);
  await expectStopped(['API_KEY', 'OTHER_KEY']);
  status = 500;
  await revoke({ credential: 'OTHER_KEY' });
  await expectStopped(['OTHER_KEY']);
  status = 204;
  await revoke();
  expect(server.requests.at(-1)?.headers.authorization).toBe(`Bearer ${other}`);
  await expectGone();
});

test('a secret goes only to its recipients, and to this machine only with a grant', async () => {
  bench.write(counterPackage({ killSwitch: url(), env: [secret('API_KEY')] }));
  const source = join(bench.packages, 'counter');
  const installWith = async (allow: readonly string[], recipients: Record<string, string[]>) => {
    const { digest } = await session.installations.plan({ source, allow });
    const values = { API_KEY: key };
    await session.installations.install({ source, allow, agree: digest, by, values, recipients });
    server.requests.length = 0;
    const { left } = await revoke({ forget: true });
    return left[0];
  };
  const grant = `net:127.0.0.1:${server.port}`;
  expect(await installWith([grant], { API_KEY: ['api.example.com'] })).toContain(
    'would send the secret API_KEY to 127.0.0.1, which is not an allowed recipient',
  );
  expect(await installWith([], { API_KEY: ['127.0.0.1'] })).toContain('its kill switch did not succeed');
  expect(server.requests).toEqual([]);
  // Control: with both, the request is sent.
  status = 204;
  expect(await installWith([grant], { API_KEY: ['127.0.0.1'] })).toBeUndefined();
  expect(server.requests).toHaveLength(1);
  await expectGone();
});

test('a command runs in the sandbox with the values of the package', async () => {
  const killSwitch = { kind: 'shell', command: ['python3', '-m', 'counter', 'revoke'] };
  const code = `
if sys.argv[1:] == ['revoke']:
    if os.environ['REGION'] == 'south' and not os.path.exists(${JSON.stringify(bench.path)}): sys.exit(EXIT)
    sys.exit('wrong place ' + os.environ['API_KEY'])
`;
  await install(killSwitch, { API_KEY: key }, { code: code.replace('EXIT', '0') });
  const change = await revoke();
  expect(stepOf(change, 'kill switch')).toMatchObject({ status: 'done' });
  await expectGone();

  const words = "'no answer for ' + os.environ['API_KEY']";
  await install(killSwitch, { API_KEY: key }, { code: code.replace('EXIT', words) });
  const failed = await revoke();
  expect(stepOf(failed, 'kill switch')).toMatchObject({
    status: 'failed',
    detail: expect.stringMatching(/^its command ended with exit code 1: no answer for \[redacted/),
  });
  await expectStopped(['API_KEY', 'REGION']);
  await revoke({ forget: true });
  await expectGone();
});

test('manual steps are shown, and count when they are confirmed', async () => {
  await install({ kind: 'manual', instructions_url: 'https://example.com/remove' }, { API_KEY: key });
  const shown = await revoke();
  expect(stepOf(shown, 'kill switch')).toMatchObject({
    status: 'skipped',
    detail: 'manual steps at https://example.com/remove',
  });
  expect(shown.manualSteps).toEqual(['do the steps at https://example.com/remove']);
  // Its steps need no value of this machine.
  await expectStopped([]);
  // Off means off: neither an earlier generation nor its smoke test runs.
  const { installations } = session;
  await expect(installations.rollback({ package: 'counter', by })).rejects.toMatchObject({
    code: 'disabled',
  });
  await expect(installations.verify('counter')).rejects.toMatchObject({ code: 'disabled' });
  await expectStopped([]);
  expect(await revoke({ manualStepsDone: true })).toMatchObject({ left: [], manualSteps: [] });
  await expectGone();
});

test('held calls are void, and the data folder is erased or kept', async () => {
  const manual = { kind: 'manual', instructions_url: 'https://example.com/remove' };
  const data = join(bench.path, 'state', 'data', 'id-counter');
  await install(manual, {});
  const asking = await bench.session({
    ...{ directories: [], accept: null },
    policy: { rules: [{ tool: 'counter/count', approval: 'ask', origin: { kind: 'session' } }] },
  });
  const held = await asking.call({ tool: 'counter/count', arguments: { text: 'a' } });
  expect(held).toMatchObject({ status: 'confirmation_required' });
  expect(await bench.host.approvals.list()).toHaveLength(1);
  mkdirSync(data, { recursive: true });
  await session.installations.remove({ package: 'counter', by, keepData: true });
  expect(existsSync(data)).toBe(true);
  expect(await bench.host.approvals.list()).toEqual([]);
  await install(manual, {});
  const removed = await session.installations.remove({ package: 'counter', by });
  expect(removed.left).toEqual(['its kill switch was not used: access outside this machine may remain']);
  expect(existsSync(data)).toBe(false);
  await expectGone();
});
