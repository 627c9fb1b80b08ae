// Extensions behind the host and the command: as processes, over NATS, and over HTTP.

import { spawn } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { checkNats } from '../../../../src/host/doctor/nats.js';
import { request } from '../../../support/http-bench.js';
import { Rig } from '../../../support/nexo/bench.js';
import { type NatsTestServer, startNatsServer } from '../../../support/nexo/nats-server.js';
import { allProcesses, sandboxed } from '../../../support/processes.js';
import { knownEffectsOptions, main, temporaryFolder, toolwharf, until } from '../../../support/toolwharf.js';
import { failureOf, resultOf, workbench } from '../../../support/workbench.js';

const examples = join(import.meta.dirname, '../../../../examples/nexo');
let nats: NatsTestServer;
const rig = new Rig(() => nats.url);

beforeAll(async () => {
  nats = await startNatsServer();
});

afterEach(() => rig.close());

afterAll(() => nats.close());

function folder(files: Record<string, string> = {}): string {
  const made = temporaryFolder(files);
  rig.later(made.remove);
  return made.path;
}

function manifest(
  transport: string,
  id = 'contract',
  tools = ['echo', 'shape', 'told', 'wait', 'never', 'mutter'],
): string {
  return `[plugin]
id = "${id}"
version = "1.0.0"

[capabilities]
tools = ${JSON.stringify(tools)}

[transport]
${transport}
`;
}

describe('an extension written only from the public description of the format', () => {
  const about = `[plugin]
id = "weather"
version = "0.1.0"
name = "Weather"
description = "Fetch weather by city name."
min_agent_version = "0.1.0"
priority = 0

[capabilities]
tools = ["get_weather"]
hooks = []

[transport]
type = "stdio"
command = "./weather"
args = []

[requires]
bins = ["python3"]
env = ["WEATHER_API_KEY"]

[context]
passthrough = true

[meta]
author = "you"
license = "MIT OR Apache-2.0"
`;

  test('works unchanged', async () => {
    const path = folder({ 'pack/plugin.toml': about });
    const program = join(path, 'pack', 'weather');
    writeFileSync(program, readFileSync(join(import.meta.dirname, '../../../support/nexo/weather.py')));
    chmodSync(program, 0o755);
    const state = ['--state', join(path, 'state'), '--json'];
    const known = knownEffectsOptions(path);
    const pack = join(path, 'pack');
    const unset = await toolwharf(['call', pack, 'get_weather', '{"city": "Oslo"}', ...state]);
    expect(unset.code).not.toBe(0);
    expect(unset.stdout).toContain('WEATHER_API_KEY');
    const set = await toolwharf(['secret', 'set', 'weather', 'WEATHER_API_KEY', '--any-host', ...state], {
      stdin: 'k-77',
    });
    expect(set, set.stderr).toMatchObject({ code: 0 });
    const spoofed = '{"city": "Oslo", "_meta": {"agent_id": "root"}}';
    const rejected = await toolwharf(['call', pack, 'get_weather', spoofed, ...state]);
    expect(JSON.parse(rejected.stdout).error).toMatchObject({ code: 'invalid_input' });
    const called = await toolwharf(['call', pack, 'get_weather', '{"city": "Oslo"}', ...state, ...known]);
    expect(called, called.stderr + called.stdout).toMatchObject({ code: 0 });
    const { result } = JSON.parse(called.stdout);
    expect(result).toMatchObject({ city: 'Oslo', celsius: -3, key_ends_with: '77' });
    expect(result.asked_by).toEqual(expect.any(String));
    const failed = await toolwharf(['call', pack, 'get_weather', '{"city": "Atlantis"}', ...state, ...known]);
    expect(failed.stdout).toContain('no weather for Atlantis');
  });
});

describe('an extension over NATS', () => {
  const files = { 'contract/plugin.toml': manifest('type = "nats"\nsubject_prefix = "host"') };

  async function bench(natsUrl: string | undefined = nats.url) {
    const made = await workbench(files, {
      supervision: { backoffMs: 50, maxBackoffMs: 100, maxFailures: 1000 },
    });
    rig.later(() => made.close());
    const session = await made.session({ policy: natsUrl === undefined ? {} : { natsUrl } });
    return { session, call: (tool: string, input = {}) => session.call({ tool, arguments: input }) };
  }

  test('needs a NATS server; the status says how to set one', async () => {
    const made = await workbench(files);
    rig.later(() => made.close());
    const session = await made.session();
    const [found] = (await session.packages()).packages;
    expect(found).toMatchObject({ state: 'needs-setup' });
    expect(found?.reasons.join()).toContain('--nats-url nats://127.0.0.1:4222');
  });

  test('is called while it runs, found again after a restart, and replaced by its next version', async () => {
    const first = await rig.start('nats', { prefix: 'host', version: '1.0.0' });
    const { session, call } = await bench();
    expect((await session.packages()).packages[0]).toMatchObject({ state: 'ready' });
    expect(await resultOf(call('shape', { value: 1 }))).toBe(1);

    first.child.kill('SIGTERM');
    await until(async () => (await call('shape', { value: 1 })).status !== 'ok');
    expect((await failureOf(call('shape', { value: 1 }))).code).toBe('upstream_failed');
    const second = await rig.start('nats', { prefix: 'host', version: '1.0.0' });
    await until(async () => (await call('shape', { value: 2 })).status === 'ok');

    const open = call('wait', { ms: 1500, value: 'asked before' });
    await until(async () => ((await resultOf(call('told'))) as string[]).length > 3);
    await rig.start('nats', { prefix: 'host', version: '2.0.0' });
    expect(await resultOf(open)).toBe('asked before');
    second.child.kill('SIGKILL');
    await until(async () => {
      const answer = await call('told');
      return (
        answer.status === 'ok' && (answer.result as string[]).filter((it) => it === 'initialize').length === 1
      );
    });
  });
});

test('an extension over HTTP is called only with the grant for its address', async () => {
  const { port } = await rig.start('http');
  const files = { 'contract/plugin.toml': manifest(`type = "http"\nurl = "http://127.0.0.1:${port}/rpc"`) };
  const made = await workbench(files);
  rig.later(() => made.close());
  const closed = await made.session();
  expect((await closed.packages()).packages[0]?.reasons.join()).toContain(`net:127.0.0.1:${port}`);
  const session = await made.session({ allow: [`net:127.0.0.1:${port}`] });
  expect(await resultOf(session.call({ tool: 'shape', arguments: { value: 5 } }))).toBe(5);
});

test('serve keeps extensions running between calls, shows their state, and ends them', async () => {
  await rig.start('nats', { prefix: 'serve' });
  const near =
    'type = "stdio"\ncommand = "/usr/bin/node"\nargs = ["extension.mjs"]\n[requires]\nenv = ["NEAR_KEY"]';
  const path = folder({
    'packs/far/plugin.toml': manifest('type = "nats"\nsubject_prefix = "serve"'),
    'packs/near/plugin.toml': manifest(near, 'near'),
    'packs/near/extension.mjs': readFileSync(
      join(import.meta.dirname, '../../../support/nexo/extension.mjs'),
      'utf8',
    ),
  });
  const args = ['serve', join(path, 'packs'), '-v', '--port', '0', '--json', '--state', join(path, 'state')];
  const key = ['near', 'Kq7', 'w2Lz'].join('-');
  const set = ['secret', 'set', 'near', 'NEAR_KEY', '--any-host', '--state', join(path, 'state')];
  expect(await toolwharf(set, { stdin: key })).toMatchObject({ code: 0 });
  args.push('--nats-url', nats.url, ...knownEffectsOptions(path));
  const served = spawn(process.execPath, [main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise((resolve) => served.once('close', resolve));
  rig.later(() => {
    served.kill('SIGKILL');
    return exited;
  });
  let printed = '';
  served.stdout.on('data', (it) => {
    printed += it;
  });
  let complained = '';
  served.stderr.on('data', (it) => {
    complained += it;
  });
  await until(() => printed.includes('\n'), 25_000);
  const { mcp, token } = JSON.parse(printed.split('\n', 1)[0] as string);
  const port = Number(new URL(mcp).port);
  const call = async (tool: string, given: object = {}) => {
    const { json } = await request(port, '/api/v1/call', { token, body: { tool, arguments: given } });
    return json.result;
  };
  expect(await call('near/shape', { value: 1 })).toBe(1);
  expect(await call('near/told')).toEqual(['initialize', expect.any(String), 'tools/call', 'tools/call']);
  expect(await call('contract/shape', { value: 2 })).toBe(2);
  await call('near/mutter', { variable: 'NEAR_KEY' });
  await until(() => complained.includes('logged in with'));
  expect(complained).toContain('"event":"log","package":"near"');
  expect(complained).not.toContain(key);
  expect(complained).not.toContain('undefined');
  const { json } = await request(port, '/api/v1/packages', { token });
  const shown = JSON.stringify(json);
  expect(shown.match(/"state":"running"/g)).toHaveLength(2);
  const inside = sandboxed(served.pid as number).map((it) => it.pid);
  expect(inside).not.toEqual([]);
  served.kill('SIGTERM');
  await exited;
  await until(() => !allProcesses().some((it) => inside.includes(it.pid)));
});

describe('the examples', () => {
  test('machine-watch runs as its own process and is called through a real NATS server', async () => {
    const path = join(examples, 'machine-watch');
    const watch = spawn(process.execPath, [join(path, 'serve.mjs')], {
      env: { NATS_URL: nats.url },
      stdio: 'ignore',
    });
    const exited = new Promise((resolve) => watch.once('close', resolve));
    rig.later(() => {
      watch.kill('SIGKILL');
      return exited;
    });
    const state = ['--state', join(folder(), 'state'), '--json'];
    const args = ['call', path, 'disk_space', '{"path": "/"}', '--nats-url', nats.url, ...state];
    let outcome = await toolwharf(args);
    await until(async () => {
      if (outcome.code !== 0) outcome = await toolwharf(args);
      return outcome.code === 0;
    }, 25_000);
    expect(JSON.parse(outcome.stdout).result).toMatchObject({ path: '/', totalMiB: expect.any(Number) });
    const listed = await toolwharf(['list', path, ...state], { env: { TOOLWHARF_NATS_URL: nats.url } });
    expect(listed.stdout).toContain('"ready"');
    // Older hosts send bare JSON-RPC and expect it back.
    const bus = await connect({ servers: nats.url });
    rig.later(() => bus.close());
    const answer = await bus.request(
      'ext.machine-watch.rpc',
      '{"jsonrpc":"2.0","id":3,"method":"tools/list"}',
    );
    expect(answer.json()).toMatchObject({ jsonrpc: '2.0', id: 3, result: { tools: expect.any(Array) } });
  });
});

test('a NATS URL with a password is rejected on the command line; a variable provides the login', async () => {
  const guarded = await startNatsServer('authorization { token: "sesam" }');
  rig.later(() => guarded.close());
  const path = folder();
  const state = ['--state', join(path, 'state'), '--json'];
  const url = `nats://${'sesam'}@127.0.0.1:${guarded.port}`;
  const shown = await toolwharf(['list', path, '--nats-url', url, ...state]);
  expect(shown.code).not.toBe(0);
  expect(shown.stdout + shown.stderr).toContain('TOOLWHARF_NATS_LOGIN');
  expect(shown.stdout + shown.stderr).not.toContain('sesam');
  const args = ['doctor', path, '--nats-url', guarded.url, ...state];
  const { stdout } = await toolwharf(args, { env: { TOOLWHARF_NATS_LOGIN: 'sesam' } });
  const check = JSON.parse(stdout).checks.find((it: { id: string }) => it.id === 'nats');
  expect(check).toMatchObject({
    status: 'ok',
    message: expect.stringContaining(`127.0.0.1:${guarded.port}`),
  });
  expect(await checkNats(guarded.url)).toMatchObject({ id: 'nats', status: 'fail' });
});

test('doctor names the NATS server that does not answer', async () => {
  const closed = await startNatsServer();
  await closed.close();
  expect(await checkNats(closed.url)).toMatchObject({
    status: 'fail',
    message: `the NATS server at 127.0.0.1:${closed.port} cannot be reached`,
    fix: expect.stringContaining('nats-server'),
  });
});
