// What an operator decides takes effect in running sessions at once: no client has to connect again.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { RemoteHost, Session } from '../../../src/index.js';
import { confirmToolName } from '../../../src/model/tool-name.js';
import { openSocketServer } from '../../../src/serve/socket/server.js';
import { openSocketHost } from '../../../src/serve/socket/socket-host.js';
import { socketPath } from '../../../src/serve/socket/socket-path.js';
import { httpBench } from '../../support/http-bench.js';
import { frontFor, officialClient } from '../../support/mcp-wire.js';
import { serverPackage, toolsNamed } from '../../support/server-package.js';
import { toolwharf, until } from '../../support/toolwharf.js';
import {
  failureOf,
  pythonTool,
  resultOf,
  talos,
  type Workbench,
  workbench,
} from '../../support/workbench.js';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'));
const tool = (name: string, more: Partial<Parameters<typeof pythonTool>[0]> = {}) =>
  pythonTool({ name, body: [`return {"word": "${name}"}`], ...more });
const call = (session: Session, name: string) => session.call({ tool: `${name}/${name}`, arguments: {} });

async function bench(files: Record<string, string>, options = {}): Promise<Workbench> {
  const made = await workbench(files, { warm: false, ...options });
  closing.push(() => made.close());
  return made;
}

/** Without the tool with which every client runs approved calls. */
const namesOf = (tools: readonly { readonly name: string }[]) =>
  tools.map((it) => it.name).filter((it) => it !== confirmToolName);

/** A client of a session, and how often it was told that the list of tools changed. */
async function listening(made: Workbench, session: Session) {
  const lists: string[][] = [];
  const client = await officialClient(frontFor({ host: made.host, session }), '2025', {
    listChanged: {
      tools: { onChanged: (_error, tools) => void lists.push(namesOf(tools ?? [])) },
    },
  });
  closing.push(() => client.close());
  return { client, lists };
}

async function socketHost(made: Workbench): Promise<RemoteHost> {
  const state = join(made.path, 'state');
  const server = await openSocketServer(made.host, {
    state,
    path: socketPath(state),
    version,
    now: Date.now,
    onBug: (error) => made.bugs.push(error),
  });
  closing.push(() => server.close());
  const client = await openSocketHost({ state, version, principal: 'p/cli', cwd: made.path });
  if (client === undefined) throw new Error('no host answers');
  closing.push(() => client.close());
  return client;
}

async function acceptIn(host: RemoteHost, made: Workbench, id: string): Promise<void> {
  const directories = [made.packages];
  const session = await host.session({
    principal: 'operator',
    directories,
    root: made.root,
    intent: 'review',
  });
  await session.accept(id, (await session.review(id)).to);
  await session.close();
}

const channels: readonly [string, (made: Workbench, id: string) => Promise<void>][] = [
  ['the library', (made, id) => acceptIn(made.host, made, id)],
  ['the socket', async (made, id) => acceptIn(await socketHost(made), made, id)],
  [
    'the command line',
    async (made, id) => {
      const remote = await socketHost(made);
      const looking = await remote.session({
        principal: 'operator',
        directories: [made.packages],
        root: made.root,
        intent: 'look',
      });
      const { to } = await looking.review(id);
      const args = [
        'review',
        id,
        '--dir',
        made.packages,
        '--accept',
        to,
        '--state',
        join(made.path, 'state'),
      ];
      const done = await toolwharf(args);
      expect(done, done.stderr).toMatchObject({ code: 0 });
    },
  ],
];

describe.each(channels)('accepted through %s', (_name, accept) => {
  test('a package that needed review when a session was opened can be called there at once', async () => {
    const made = await bench({ 'say.py': tool('say') });
    await made.session();
    made.write({ 'late.py': tool('late') });
    const sessions = [await made.session(), await made.session({ principal: 'other' })] as const;
    const { client, lists } = await listening(made, sessions[0]);
    expect(namesOf((await client.listTools()).tools)).toEqual(['say']);
    for (const it of sessions) expect((await failureOf(call(it, 'late'))).code).toBe('needs_review');
    await accept(made, 'late');
    for (const it of sessions) expect(await resultOf(call(it, 'late'))).toEqual({ word: 'late' });
    expect(namesOf((await client.listTools()).tools)).toEqual(['late', 'say']);
    await until(() => lists.some((it) => it.includes('late')));
    expect((await sessions[1].packages()).packages.map((it) => it.state)).toEqual(['ready', 'ready']);
  }, 30_000);
});

test('accepted through HTTP, a package can be called in an MCP session at once', async () => {
  const made = await httpBench();
  closing.push(() => made.close());
  const agent = await made.bench.session();
  made.bench.write({ 'late.py': tool('late') });
  const session = await made.bench.session();
  expect((await failureOf(call(session, 'late'))).code).toBe('needs_review');
  const operate = (name: string, body: object) =>
    made.request(`/api/v1/operations/${name}`, { token: made.operator, body });
  const reviewed = await operate('session.review', { package: 'late' });
  expect(reviewed.status, reviewed.text).toBe(200);
  const accepted = await operate('session.accept', { package: 'late', digest: reviewed.json.result.to });
  expect(accepted.status, accepted.text).toBe(200);
  expect(await resultOf(call(session, 'late'))).toEqual({ word: 'late' });
  await agent.close();
});

test('an accepted announcement can be used in all sessions at once', async () => {
  const made = await bench(
    serverPackage(
      'desk',
      `let more = false;
const tool = (name) => ({ name, description: 'Goes.', inputSchema: { type: 'object' } });
on = {
  'tools/list': () => ({ tools: more ? [tool('go'), tool('grown')] : [tool('go')] }),
  'tools/call': () => { more = true; write({ method: 'notifications/tools/list_changed' }); return { content: [{ type: 'text', text: 'ok' }] }; },
};`,
    ),
  );
  const [one, two] = [await made.session(), await made.session()];
  const { lists } = await listening(made, two);
  await resultOf(one.call({ tool: 'desk/go', arguments: {} }));
  expect((await failureOf(two.call({ tool: 'desk/grown', arguments: {} }))).code).toBe('tool_not_found');
  await until(async () => (await one.review('desk')).widened.length > 0);
  expect((await failureOf(two.call({ tool: 'desk/grown', arguments: {} }))).code).toBe('needs_review');
  await acceptIn(made.host, made, 'desk');
  await resultOf(two.call({ tool: 'desk/grown', arguments: {} }));
  await until(() => lists.some((it) => it.includes('desk_grown')));
});

test('an accepted server package can be called in the sessions that are open', async () => {
  const made = await bench({ 'say.py': tool('say') });
  await made.session();
  made.write(serverPackage('late', toolsNamed('go')));
  const session = await made.session();
  expect((await failureOf(session.call({ tool: 'late/go', arguments: {} }))).code).toBe('needs_review');
  await acceptIn(made.host, made, 'late');
  await resultOf(session.call({ tool: 'late/go', arguments: {} }));
});

test('enabling a package, setting a value and installing take effect in open sessions', async () => {
  const made = await bench({
    'say.py': tool('say'),
    ...talos({
      id: 'door',
      code: 'export const handlers = { look() { return "ok"; } };\n',
      functions: ['look'],
      rest: { credentials: [{ name: 'door_key', label: 'Door key', required: true }] },
    }),
  });
  await made.host.switches.set('say', false, 'ada');
  const session = await made.session();
  const { client, lists } = await listening(made, session);
  expect(namesOf((await client.listTools()).tools)).toEqual([]);
  expect((await failureOf(call(session, 'say'))).code).toBe('disabled');
  await made.host.switches.set('say', true, 'ada');
  expect(await resultOf(call(session, 'say'))).toEqual({ word: 'say' });
  await until(() => lists.at(-1)?.includes('say') === true);

  const look = () => session.call({ tool: 'door/look', arguments: {} });
  expect((await failureOf(look())).code).toBe('needs_setup');
  const audience = { kind: 'manifest' } as const;
  await made.host.secrets.set({ package: 'door', slot: 'door_key', value: 'k-1', audience, by: 'ada' });
  expect(await resultOf(look())).toBe('ok');
  await until(() => lists.at(-1)?.length === 2);

  let told = 0;
  session.onChange(() => told++);
  const other = await made.session({ principal: 'operator' });
  await other.install('door');
  expect(told).toBe(1);
});

describe('a package that needs review after an edit', () => {
  const wider = tool('say', { network: true });

  test('stops in all open sessions, and works again as soon as the edit is undone', async () => {
    const made = await bench({ 'say.py': tool('say') }, { watch: true });
    const sessions = [await made.session(), await made.session({ principal: 'other' })] as const;
    const { lists } = await listening(made, sessions[1]);
    made.write({ 'say.py': wider });
    await until(() => lists.some((it) => it.length === 0));
    for (const it of sessions) expect((await failureOf(call(it, 'say'))).code).toBe('needs_review');
    made.write({ 'say.py': tool('say') });
    await until(() => lists.at(-1)?.includes('say') === true);
    for (const it of sessions) expect(await resultOf(call(it, 'say'))).toEqual({ word: 'say' });
  });

  test('stays stopped in the sessions that loaded another version than the accepted one', async () => {
    const made = await bench({ 'say.py': tool('say') });
    await made.session();
    made.write({ 'late.py': tool('late', { network: true }) });
    const session = await made.session();
    made.write({ 'late.py': tool('late') });
    await acceptIn(made.host, made, 'late');
    // This session still has the version with network access, which nobody accepted.
    expect((await failureOf(call(session, 'late'))).code).toBe('needs_review');
    expect(await resultOf(call(await made.session(), 'late'))).toEqual({ word: 'late' });
    rmSync(join(made.packages, 'late.py'));
  });
});
