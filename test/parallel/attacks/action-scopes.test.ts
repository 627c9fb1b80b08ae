// An action that lists the scopes it uses gets only those, although its package was granted more. The control is the
// same program of the same package, called by an action without such a list.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject, Session } from '../../../src/index.js';
import { bareServer } from '../../support/mcp-upstream.js';
import { loopbackServer } from '../../support/toolwharf.js';
import { toolspace, type Workbench, workbench } from '../../support/workbench.js';

const scope = (resource: string, ...actions: string[]) => ({ resource, actions, rationale: 'For a test.' });
const scopes = [scope('fs.look', 'read'), scope('fs.change', 'read', 'write'), scope('service.rows', 'read')];

/** Tries everything that the package may do, and prints what worked. */
const script = `import json, os, sys, urllib.request
reached = []
try:
    reached.append(open(os.path.join(sys.argv[1], "note.txt")).read())
except OSError:
    pass
try:
    open(os.path.join(sys.argv[1], sys.argv[2]), "w").close()
    reached.append("written")
except OSError:
    pass
try:
    reached.append(urllib.request.urlopen(sys.argv[3], timeout=5).read().decode())
except OSError:
    pass
print(json.dumps(reached))
`;

/** A server whose tools try the same; it is one process for all tools of the same access. */
const serverBody = `import { readFileSync, writeFileSync } from 'node:fs';
const attempt = async (work) => { try { return [await work()]; } catch { return []; } };
const tool = (name) => ({ name, description: 'Tries.', inputSchema: { type: 'object' } });
on = {
  'tools/list': () => ({ tools: [tool('all'), tool('look'), tool('none')] }),
  'tools/call': ({ arguments: args }, id) => {
    (async () => {
      const reached = [
        ...(await attempt(() => readFileSync(args.folder + '/note.txt', 'utf8'))),
        ...(await attempt(() => (writeFileSync(args.folder + '/' + args.file, ''), 'written'))),
        ...(await attempt(async () => (await fetch(args.url)).text())),
      ];
      write({ id, result: { content: [{ type: 'text', text: JSON.stringify(reached) }] } });
    })();
  },
};`;

const action = (name: string, used: readonly string[] | undefined, rest: JsonObject): JsonObject => ({
  name,
  side_effects: 'read',
  ...(used === undefined ? {} : { scopes_used: used }),
  ...rest,
});
const input = {
  type: 'object',
  properties: { folder: { type: 'string' }, file: { type: 'string' }, url: { type: 'string' } },
  required: ['folder', 'file', 'url'],
};
const exec = {
  invocation: { kind: 'subcommand', argv_template: [`\${input.folder}`, `\${input.file}`, `\${input.url}`] },
  input,
  output: { format: 'json' },
};

function server(): string {
  const manifest = JSON.parse(
    toolspace({ id: 'server', command: ['node', 'server.mjs'], scopes, actions: [] }),
  );
  const upstream = (tool_name: string) => ({ invocation: { kind: 'mcp-tool', tool_name }, input });
  return JSON.stringify({
    ...manifest,
    runtime: { ...manifest.runtime, kind: 'mcp-stdio' },
    actions: [
      action('all', undefined, upstream('all')),
      action('look', ['fs.look'], upstream('look')),
      action('none', [], upstream('none')),
    ].map((it) => ({ summary: 'Try.', ...it })),
  });
}

let bench: Workbench;
let session: Session;
let http: Awaited<ReturnType<typeof loopbackServer>>;
let other: typeof http;

beforeAll(async () => {
  other = await loopbackServer((_request, response) => response.end('other host'));
  http = await loopbackServer((request, response) => {
    if (request.url !== '/redirect') response.end('network');
    else response.writeHead(302, { location: `http://localhost:${other.port}/` }).end();
  });
  const get = (path: string) => ({ invocation: { kind: 'http', method: 'GET', path } });
  bench = await workbench({
    'tries/tries.py': script,
    'tries/toolspace.json': toolspace({
      id: 'tries',
      command: ['python3', 'tries.py'],
      scopes,
      actions: [
        action('all', undefined, exec),
        action('look', ['fs.look'], exec),
        action('change', ['fs.change'], exec),
        action('service', ['service.rows'], exec),
        action('nothing', [], exec),
        action('unknown', ['fs.typo'], exec),
      ],
    }),
    'web/toolspace.json': toolspace({
      id: 'web',
      endpoint: `http://127.0.0.1:${http.port}`,
      scopes,
      actions: [action('own', [], get('/')), action('redirect', [], get('/redirect'))],
    }),
    'server/toolspace.json': server(),
    'server/server.mjs': bareServer(serverBody),
  });
  writeFileSync(join(bench.root, 'note.txt'), 'note', { mode: 0o644 });
  const address = `127.0.0.1:${http.port}`;
  session = await bench.session({
    allow: [
      `tries=net:${address}`,
      `server=net:${address}`,
      `web=net:${address}`,
      `web=net:localhost:${other.port}`,
    ],
  });
});

afterAll(async () => {
  await bench.close();
  await http.close();
  await other.close();
});

let files = 0;

async function reachedBy(tool: string): Promise<unknown> {
  const file = `made-${++files}.txt`;
  const answer = await session.call({
    tool,
    arguments: { folder: bench.root, file, url: `http://127.0.0.1:${http.port}/` },
  });
  if (answer.status !== 'ok') throw new Error(JSON.stringify(answer));
  const reached = typeof answer.result === 'string' ? JSON.parse(answer.result) : answer.result;
  expect(existsSync(join(bench.root, file))).toBe(reached.includes('written'));
  return reached;
}

describe('programs that run once per call', () => {
  test('without a list of scopes, everything that the package was granted works (control)', async () => {
    expect(await reachedBy('tries/all')).toEqual(['note', 'written', 'network']);
  });

  test.each([
    ['look', ['note']],
    ['change', ['note', 'written']],
    ['service', ['network']],
    ['nothing', []],
    ['unknown', []],
  ])('the action %s gets only the scopes that it lists', async (name, expected) => {
    expect(await reachedBy(`tries/${name}`)).toEqual(expected);
  });

  test('policy explain shows the narrowed access and where it comes from', async () => {
    const { permissions } = await session.explain({ tool: 'tries/look' });
    expect(permissions).toMatchObject({
      narrowedTo: ['fs.look'],
      network: { kind: 'none' },
      filesystem: 'read-only',
      granted: { network: [] },
    });
    const all = await session.explain({ tool: 'tries/all' });
    expect(all.permissions).toMatchObject({ network: { kind: 'hosts' }, filesystem: 'read-write' });
    expect(all.permissions.narrowedTo).toBeUndefined();
    expect(all.permissions.granted.network).toHaveLength(1);
  });
});

describe('requests of the host', () => {
  test('an http action that lists no scope still calls its own endpoint, and a redirect leads nowhere else', async () => {
    const call = (tool: string) => session.call({ tool, arguments: {} });
    expect(await call('web/own')).toMatchObject({ status: 'ok', result: 'network' });
    expect(await call('web/redirect')).toMatchObject({ error: { code: 'network_denied' } });
    expect(other.requests).toEqual([]);
  });
});

describe('a server that keeps running', () => {
  test('tools with different access do not share its process', async () => {
    expect(await reachedBy('server/all')).toEqual(['note', 'written', 'network']);
    expect(await reachedBy('server/look')).toEqual(['note']);
    expect(await reachedBy('server/none')).toEqual([]);
    // The process of the first call still has its own access.
    expect(await reachedBy('server/all')).toEqual(['note', 'written', 'network']);
  });
});
