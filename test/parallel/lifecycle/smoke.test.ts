// Each kind of smoke test with each condition, through real updates: a failing one keeps the generation before it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject, Session } from '../../../src/index.js';
import { counterPackage, serverPackageWith } from '../../support/lifecycle-packages.js';
import { type LoopbackServer, loopbackServer } from '../../support/toolwharf.js';
import { type Workbench, workbench } from '../../support/workbench.js';

const by = 'operator';
const key = 'key-0123456789-abcdef';
const env = [{ name: 'API_KEY', prompt: 'The key.', secret: true, validation_regex: '^key-.+$' }];

let bench: Workbench;
let session: Session;
let server: LoopbackServer;
let allow: readonly string[];

beforeAll(async () => {
  server = await loopbackServer((request, response) => {
    const { authorization } = request.headers;
    const isDown = request.url === '/down';
    const answer = request.url === '/error' ? { error: 'no room' } : { up: true, got: authorization };
    response.writeHead(isDown ? 503 : 200, { 'content-type': 'application/json' });
    response.end(isDown ? `no room for ${authorization}` : JSON.stringify(answer));
  });
  allow = [`net:127.0.0.1:${server.port}`];
  bench = await workbench({});
  writeFileSync(join(bench.path, 'outside.txt'), 'outside');
  session = await bench.session({ directories: [], accept: null });
});
afterAll(async () => {
  await bench.close();
  await server.close();
});

async function install(id: string, more: { readonly skipSmoke?: boolean } = {}) {
  const source = join(bench.packages, id);
  const { digest, credentials } = await session.installations.plan({ source, allow });
  const values = credentials.length === 0 ? {} : { API_KEY: key };
  return session.installations.install({ source, allow, agree: digest, by, values, ...more });
}

/** The failure of an installation, and what is served after it. */
async function failed(id: string) {
  const before = (await session.installations.list()).find((it) => it.package === id)?.current;
  const error = await install(id).then(
    () => new Error('it was installed'),
    (it: Error) => it,
  );
  const after = (await session.installations.list()).find((it) => it.package === id);
  expect(after?.current, error.message).toBe(before);
  expect(error).toMatchObject({ code: 'tool_failed' });
  expect(error.message).not.toContain(key);
  return error.message;
}

const code = `
if sys.argv[1:2] == ['smoke']:
    seen = ['outside' if os.path.exists(sys.argv[3]) else 'inside', os.environ.get('API_KEY', 'no key')]
    print('ready', *seen, file=sys.stderr if sys.argv[2] != '0' else sys.stdout)
    sys.exit(int(sys.argv[2]))
`;
let count = 0;
function writeCounter(smoke: JsonObject) {
  count++;
  bench.write(counterPackage({ version: `1.0.${count}`, smoke, env, code }));
}

const shell = (exit: number, success: JsonObject) => ({
  ...{ kind: 'shell', command: ['python3', '-m', 'counter', 'smoke', `${exit}`, 'OUTSIDE'], success },
});
const http = (path: string, success: JsonObject) => ({
  ...{ kind: 'http', url: `http://127.0.0.1:PORT${path}`, success },
  headers: { Authorization: 'Bearer ${API_KEY}' },
});
const action = (success: JsonObject) => ({
  ...{ kind: 'action-call', action: 'count', arguments: { text: 'a b' }, success },
});

function filled(smoke: JsonObject): JsonObject {
  const text = JSON.stringify(smoke).replace('PORT', `${server.port}`);
  return JSON.parse(text.replace('OUTSIDE', join(bench.path, 'outside.txt')));
}

describe('a smoke test', () => {
  test.each<[string, JsonObject, JsonObject, string]>([
    ['exit_code', shell(3, { exit_code: 3 }), shell(2, { exit_code: 3 }), 'exit code 2; 3 was expected'],
    ['no condition for a program', shell(0, {}), shell(1, {}), 'it said: ready inside'],
    [
      'stdout_regex with a value',
      shell(0, { stdout_regex: '^ready inside ${API_KEY}$' }),
      shell(0, { stdout_regex: 'ready outside' }),
      'the output does not match ready outside',
    ],
    ['http_status', http('/down', { http_status: 503 }), http('/', { http_status: 204 }), 'status is 200'],
    ['no condition for a request', http('/', {}), http('/down', {}), 'it said: no room for'],
    [
      'body_regex',
      http('/', { body_regex: '"got":"Bearer ${API_KEY}"' }),
      http('/', { body_regex: 'nobody' }),
      'the response does not match nobody',
    ],
    [
      'json_pointer_equals of a response',
      http('/', { json_pointer_equals: { '/got': 'Bearer ${API_KEY}', '/up': true } }),
      http('/', { json_pointer_equals: { '/up': false } }),
      '/up is true; false was expected',
    ],
    [
      'no_error_field of a response',
      http('/', { no_error_field: true }),
      http('/error', { no_error_field: true }),
      'the answer has a member "error"',
    ],
    [
      'json_pointer_equals of an action',
      action({ json_pointer_equals: { '/words': 2 } }),
      action({ json_pointer_equals: { '/words': 3 } }),
      '/words is 2; 3 was expected',
    ],
  ])('%s', async (_, passing, failing, words) => {
    writeCounter(filled(failing));
    expect(await failed('counter')).toContain(words);
    writeCounter(filled(passing));
    const change = await install('counter');
    expect(change.steps).toContainEqual({ name: 'smoke', status: 'done' });
    expect(change.to?.version).toBe(`1.0.${count}`);
  });

  test('no_error_field, and no condition, of an action', async () => {
    const error = "if sys.argv[1:] == ['count']: print(json.dumps({'error': 'no index'})); sys.exit(0)";
    const smoke = action({ no_error_field: true });
    bench.write(counterPackage({ version: '2.0.0', smoke, env, code: error }));
    expect(await failed('counter')).toMatch(/"error"|no index/);
    bench.write(counterPackage({ version: '2.0.1', smoke, env }));
    await install('counter');
    const crash = "if sys.argv[1:] == ['count']: sys.exit('the index is gone')";
    bench.write(counterPackage({ version: '2.1.0', smoke: action({}), env, code: crash }));
    expect(await failed('counter')).toContain('the index is gone');
    bench.write(counterPackage({ version: '2.1.1', smoke: action({}), env }));
    await install('counter');
  });

  test('of a tool that only the server has', async () => {
    const smoke = (tool_name: string, success: JsonObject) => ({
      ...{ kind: 'mcp-tool-call', tool_name, arguments: { deep: true }, success },
    });
    const write = (version: string, tool: string, success: JsonObject) =>
      bench.write(serverPackageWith({ version, smoke: smoke(tool, success) }));
    write('1.0.0', 'health', { json_pointer_equals: { '/ok': false } });
    expect(await failed('desk')).toContain('/ok is true; false was expected');
    write('1.0.1', 'health', { json_pointer_equals: { '/ok': true }, no_error_field: true });
    await install('desk');
    write('1.0.2', 'broken', { no_error_field: true });
    expect(await failed('desk')).toContain('the answer has a member "error"');
    write('1.0.3', 'nothing', {});
    expect(await failed('desk')).toContain('the server of desk offers no tool nothing');
    write('1.0.4', 'refused', {});
    expect(await failed('desk')).toContain('the desk is closed');
    write('1.0.5', 'go', {});
    await install('desk');
    // The agent gets only the declared action.
    const { packages } = await session.packages();
    expect(packages.find((it) => it.id === 'desk')?.tools.map((it) => it.name)).toEqual(['go']);
  });
});

test('a smoke test that was skipped is recorded, and "verify" replaces the result', async () => {
  const smoke = filled(http('/down', {}));
  bench.write(counterPackage({ version: '3.0.0', smoke, env }));
  const change = await install('counter', { skipSmoke: true });
  expect(change.steps).toContainEqual({ name: 'smoke', status: 'skipped' });
  const current = async () => (await session.installations.list()).find((it) => it.package === 'counter');
  expect((await current())?.smoke.status).toBe('skipped');
  const result = await session.installations.verify('counter');
  expect(result).toMatchObject({ status: 'failed', detail: expect.stringContaining('no room for') });
  expect(result.detail).not.toContain(key);
  expect((await current())?.smoke).toEqual(result);
  expect((await session.installations.history('counter'))[0]?.smoke).toEqual(result);
});
