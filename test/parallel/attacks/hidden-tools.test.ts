// A caller whose token is bound to a set tries to reach what the set hides, on every surface. The controls make the same
// requests without the set, where they work.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Session, ToolSet } from '../../../src/index.js';
import { type HttpServer, openHttpServer } from '../../../src/serve/http/server.js';
import { type Era, frontFor, officialClient } from '../../support/mcp-wire.js';
import { serverPackage, toolsNamed } from '../../support/server-package.js';
import { setPackages, teamSet } from '../../support/set-packages.js';
import { failureOf, resultOf, type Workbench, workbench } from '../../support/workbench.js';

const by = 'operator';
const twins: ToolSet = {
  name: 'twins',
  tools: { 'twin/delete': { hidden: true }, 'notes/search': { name: 'look' } },
};

let bench: Workbench;
let server: HttpServer;
let bound: Session;
let free: Session;
/** The same set, for packages that do not have the tool. */
let otherBench: Workbench;
let without: Session;
let token: string;
const freeToken = `tw_${randomBytes(32).toString('base64url')}`;

beforeAll(async () => {
  // The server announces a second spelling of a hidden tool.
  const twin = serverPackage('twin', toolsNamed('delete', 'Delete', 'keep'));
  bench = await workbench({ ...setPackages, ...twin }, { warm: false });
  const { host } = bench;
  free = await bench.session();
  for (const set of [teamSet, twins]) await host.sets.save(set, by);
  ({ token } = await host.tokens.create({ name: 'laptop', role: 'agent', by }));
  await host.sets.bind({ kind: 'token', name: 'laptop', set: 'team', by });
  // The session asks for everything, but the caller is bound.
  bound = await bench.session({ principal: 'http/laptop', set: null, accept: null });
  const notes = JSON.parse(setPackages['notes/findagent.json'] as string);
  const fewer = notes.tools.filter((it: { name: string }) => it.name !== 'delete');
  const manifest = JSON.stringify({ ...notes, tools: fewer }).replace('"tool":"delete"', '"tool":"add"');
  const files = { ...setPackages, 'notes/findagent.json': manifest };
  otherBench = await workbench(files, { warm: false });
  await otherBench.host.sets.save(teamSet, by);
  without = await otherBench.session({ set: 'team' });
  server = await openHttpServer(host, {
    port: 0,
    startTokens: [{ name: 'free', role: 'agent', token: freeToken }],
    session: { directories: [bench.packages], root: bench.root, accept: null, set: null },
    version: '9.9.9',
    now: Date.now,
    onBug: (error) => {
      throw error;
    },
  });
});

afterAll(async () => {
  await server?.close();
  await bench?.close();
  await otherBench?.close();
});

/** Names by which a caller could mean the hidden tool. */
const spellings = [
  'notes/delete',
  'notes_delete',
  'delete',
  'Notes/Delete',
  'notes/ｄelete',
  'notes/delete/',
];

describe('a hidden tool', () => {
  test.each(spellings)('is answered as %s exactly as if its package did not have it', async (tool) => {
    const hidden = await failureOf(bound.call({ tool, arguments: { id: '1' } }));
    expect(hidden).toEqual(await failureOf(without.call({ tool, arguments: { id: '1' } })));
    expect(hidden.code).toBe('tool_not_found');
    const explained = await bound.explain({ tool }).catch((error: unknown) => error);
    expect(explained).toMatchObject({ code: 'tool_not_found' });
  });

  test('can be called without the set', async () => {
    for (const tool of spellings.slice(0, 2))
      expect(await resultOf(free.call({ tool, arguments: { id: '1' } }))).toBe('deleted 1');
  });

  test('has a twin in another case, which is hidden too', async () => {
    const all = async (session: Session) =>
      (await session.tools()).flatMap((it) => (it.name.startsWith('twin/') ? it.name : []));
    expect(await all(await bench.session({ set: 'twins' }))).toEqual(['twin/keep']);
    expect(await all(free)).toEqual(['twin/Delete', 'twin/delete', 'twin/keep']);
  });

  test('a tool of a package outside the set, and a name that another set gives, are unknown', async () => {
    const query = { query: 'x' };
    for (const tool of ['web/fetch', 'web_fetch', 'fetch', 'twin/keep', 'look'])
      expect((await failureOf(bound.call({ tool, arguments: query }))).code).toBe('tool_not_found');
    const other = await bench.session({ set: 'twins' });
    expect(await resultOf(other.call({ tool: 'look', arguments: query }))).toBe('found x');
    expect((await bound.prompts()).map((it) => it.package)).not.toContain('web');
    await expect(bound.prompt('web', {})).rejects.toMatchObject({ code: 'not_found' });
    expect(await free.prompt('web', {})).toContain('You answer questions');
  });
});

describe('a fixed argument', () => {
  test.each<[string, string]>([
    ['another value', '{"text":"x","folder":"mine"}'],
    ['the same value', '{"text":"x","folder":"team"}'],
    ['twice', '{"folder":"team","text":"x","folder":"mine"}'],
    ['null', '{"text":"x","folder":null}'],
    ['another case', '{"text":"x","Folder":"mine"}'],
    ['by the prototype', '{"text":"x","__proto__":{"folder":"mine"}}'],
  ])('cannot be sent: %s', async (_, json) => {
    const failed = await failureOf(bound.call({ tool: 'add_team_note', arguments: JSON.parse(json) }));
    expect(failed.code).toBe('invalid_input');
    expect(failed.message).toMatch(/folder|Folder|__proto__/);
  });

  test('can be sent without the set', async () => {
    const args = { text: 'x', folder: 'mine' };
    expect(await resultOf(free.call({ tool: 'notes/add', arguments: args }))).toBe('added x to mine');
  });
});

describe.each<Era>(['2025', '2026'])('a client of %s', (era) => {
  const clientOf = (session: Session, expose: 'all' | 'search') =>
    officialClient(frontFor({ host: bench.host, session, expose }), era);

  test('lists what the set shows, and cannot call the rest', async () => {
    const client = await clientOf(bound, 'all');
    const { tools } = await client.listTools();
    const names = ['add_team_note', 'notes_file', 'notes_search', 'notes_tidy', 'patch_confirm_action'];
    expect(tools.map((it) => it.name).sort()).toEqual(names);
    const add = tools.find((it) => it.name === 'add_team_note');
    expect(add?.description).toBe('Adds a note for the team.');
    expect(JSON.stringify(add?.inputSchema)).not.toContain('folder');
    const answer = await client.callTool({ name: 'add_team_note', arguments: { text: 'x' } });
    expect(answer.content).toEqual([{ type: 'text', text: 'added x to team' }]);
    await expect(client.callTool({ name: 'notes_delete', arguments: { id: '1' } })).rejects.toThrow(
      'no tool named "notes_delete"',
    );
    await client.close();
  });

  test('finds, describes and calls only what the set shows by the meta-tools', async () => {
    const client = await clientOf(bound, 'search');
    const use = async (name: string, args: Record<string, unknown>) =>
      JSON.stringify((await client.callTool({ name, arguments: args })).content);
    expect(await use('find_tools', { query: 'delete a note' })).not.toContain('notes_delete');
    expect(await use('find_tools', { query: 'add_team_note' })).toContain('add_team_note');
    for (const name of ['notes/delete', 'notes_delete']) {
      expect(await use('describe_tool', { name })).toContain('there is no tool');
      expect(await use('call_tool', { name, arguments: { id: '1' } })).toContain('no tool named');
    }
    expect(await use('call_tool', { name: 'add_team_note', arguments: { text: 'x' } })).toContain(
      'x to team',
    );
    await client.close();
    const control = await clientOf(free, 'search');
    const found = await control.callTool({ name: 'find_tools', arguments: { query: 'delete' } });
    expect(JSON.stringify(found.content)).toContain('notes_delete');
    await control.close();
  });
});

describe('over HTTP', () => {
  const send = async (path: string, by: string, body?: object) => {
    const response = await fetch(new URL(path, server.url), {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${by}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };

  test('a bound token sees and calls only its set', async () => {
    const tools = await send('/api/v1/tools', token);
    expect(tools.text).toContain('add_team_note');
    expect(tools.text).not.toMatch(/notes\/delete|web\/fetch/);
    const packages = await send('/api/v1/packages', token);
    expect(packages.text).not.toMatch(/"web"|"delete"/);
    const call = await send('/api/v1/call', token, { tool: 'notes/delete', arguments: { id: '1' } });
    expect(call).toMatchObject({ status: 404, text: expect.stringContaining('tool_not_found') });
    const add = await send('/api/v1/call', token, { tool: 'add_team_note', arguments: { text: 'x' } });
    expect(add.text).toContain('added x to team');
    // An agent can neither see nor change sets.
    const unbind = { kind: 'token', name: 'laptop' };
    expect((await send('/api/v1/operations/sets.unbind', token, unbind)).status).toBe(403);
    expect((await send('/api/v1/operations/sets.list', token, {})).status).toBe(403);
  });

  test('another token sees everything', async () => {
    expect((await send('/api/v1/tools', freeToken)).text).toMatch(/notes\/delete/);
    const call = await send('/api/v1/call', freeToken, { tool: 'notes/delete', arguments: { id: '1' } });
    expect(call.text).toContain('deleted 1');
  });
});
