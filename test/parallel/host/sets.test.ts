// Sets through the library: what a session shows, what approvals are bound to, and who uses which set.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Host, Rule, Session, SessionOptions, ToolSet } from '../../../src/index.js';
import { openDatabase } from '../../../src/store/sqlite/sqlite-database.js';
import { setPackages, teamSet } from '../../support/set-packages.js';
import { failureOf, resultOf, type Workbench, workbench } from '../../support/workbench.js';

let bench: Workbench;
let host: Host;
const by = 'operator';

beforeEach(async () => {
  bench = await workbench(setPackages, { warm: false });
  host = bench.host;
  // The first session accepts the packages.
  await (await bench.session()).close();
});

afterEach(() => bench.close());

const open = (options: Partial<SessionOptions> = {}) => bench.session({ accept: null, ...options });
const names = async (session: Session) => (await session.tools()).map((it) => it.name);
const everything = ['notes/add', 'notes/delete', 'notes/file', 'notes/search', 'notes/tidy', 'web/fetch'];
const ask: Rule = { tool: 'notes/add', approval: 'ask', origin: { kind: 'session' } };

describe('a session with a set', () => {
  test('lists tools as the set shows them', async () => {
    await host.sets.save(teamSet, by);
    const session = await open({ set: 'team' });
    expect(await names(session)).toEqual(['notes/add', 'notes/file', 'notes/search', 'notes/tidy']);
    const [add] = await session.tools();
    expect(add).toMatchObject({ exposed: 'add_team_note', renamed: true, fixed: { folder: 'team' } });
    expect(add?.tool.description).toBe('Adds a note for the team.');
    expect(add?.tool.input).toEqual({
      type: 'object',
      properties: { text: { type: 'string' } },
      required: ['text'],
      additionalProperties: false,
    });
    const { packages, set } = await session.packages();
    expect(packages.map((it) => it.id)).toEqual(['notes']);
    expect(packages[0]?.package?.tools.map((it) => it.name)).not.toContain('delete');
    expect(set).toMatchObject({ name: 'team', source: 'session', readable: true });
    const prompts = await session.prompts();
    expect(prompts.map((it) => it.name)).toEqual(['notes', 'add_team_note', 'notes_search']);
    expect(prompts[1]?.arguments.map((it) => it.name)).toEqual(['text']);
    expect(await session.prompt('add_team_note', { text: 'x' })).toBe('added x to team');
    // Without a set everything is there.
    expect(await names(await open())).toEqual(everything);
  });

  test('a call gets the fixed arguments, by each name of the tool', async () => {
    await host.sets.save(teamSet, by);
    const session = await open({ set: 'team' });
    for (const tool of ['add_team_note', 'notes/add', 'add'])
      expect(await resultOf(session.call({ tool, arguments: { text: 'x' } }))).toBe('added x to team');
    const explained = await session.explain({ tool: 'add_team_note', arguments: { text: 'x' } });
    expect(explained.verdict).toBe('allow');
    const entry = (await host.auditTail(50)).findLast((it) => it.kind === 'intent');
    expect(entry?.body.set).toEqual({ name: 'team', digest: (await host.sets.list())[0]?.digest });
  });

  test('a tool may use hidden tools of its own package, and cannot replace fixed arguments', async () => {
    await host.sets.save(teamSet, by);
    const session = await open({ set: 'team' });
    expect(await resultOf(session.call({ tool: 'tidy', arguments: { id: '1' } }))).toBe('deleted 1');
    const same = { text: 'x', folder: 'team' };
    expect(await resultOf(session.call({ tool: 'file', arguments: same }))).toBe('added x to team');
    const other = await failureOf(session.call({ tool: 'file', arguments: { ...same, folder: 'x' } }));
    expect(other).toMatchObject({
      code: 'denied',
      message: expect.stringContaining('fixed by the set team'),
    });
  });

  test('a change of the set is seen at once, and listeners are told', async () => {
    await host.sets.save(teamSet, by);
    const session = await open({ set: 'team' });
    let changes = 0;
    session.onChange(() => changes++);
    await host.sets.save({ name: 'team', only: ['web'], tools: {} }, by);
    expect(changes).toBe(1);
    expect(await names(session)).toEqual(['web/fetch']);
    expect((await failureOf(session.call({ tool: 'notes/search', arguments: {} }))).code).toBe(
      'tool_not_found',
    );
  });

  test('a fixed argument that the tool does not accept any more takes the tool away, with the reason', async () => {
    await host.sets.save(teamSet, by);
    const changed = setPackages['notes/findagent.json']?.replace(
      '"folder":{"type":"string"}',
      '"folder":{"type":"integer"}',
    ) as string;
    bench.write({ 'notes/findagent.json': changed });
    const reviewing = await bench.session({ intent: 'review' });
    await reviewing.accept('notes', (await reviewing.review('notes')).to, by);
    const session = await open({ set: 'team' });
    expect(await names(session)).toEqual(['notes/file', 'notes/search', 'notes/tidy']);
    const reason =
      'the set team cannot show notes/add: its fixed arguments are not valid: folder: must be integer';
    expect((await session.packages()).packages[0]?.reasons).toContain(reason);
    const failed = await failureOf(session.call({ tool: 'add', arguments: { text: 'x' } }));
    expect(failed).toMatchObject({ code: 'unavailable', message: expect.stringContaining(reason) });
  });

  test('a name that another tool has takes the tool away, with the reason', async () => {
    const set: ToolSet = { name: 'team', tools: { 'web/fetch': { name: 'Notes_Search' } } };
    await host.sets.save(set, by);
    const session = await open({ set: 'team' });
    expect(await names(session)).not.toContain('web/fetch');
    expect((await failureOf(session.call({ tool: 'web/fetch', arguments: { url: 'x' } }))).message).toContain(
      'notes/search has the name Notes_Search already',
    );
  });
});

describe('saving a set', () => {
  test.each<[string, ToolSet['tools'], string]>([
    ['a value of another type', { 'notes/add': { arguments: { folder: 1 } } }, 'folder: must be string'],
    ['an unknown input', { 'notes/add': { arguments: { dir: 'x' } } }, 'it has no input "dir"'],
  ])('rejects %s as a fixed argument', async (_, tools, message) => {
    await expect(host.sets.save({ name: 'team', tools }, by)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(message),
    });
    expect(await host.sets.list()).toEqual([]);
  });

  test('rejects keys', async () => {
    const key = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;
    const set = { name: 'team', tools: { 'notes/add': { arguments: { folder: key } } } };
    await expect(host.sets.save(set, by)).rejects.toMatchObject({ code: 'guardrail' });
  });

  test('says what it does not know', async () => {
    const tools = { 'notes/serch': { hidden: true }, 'other/x': { hidden: true } };
    const { remarks } = await host.sets.save({ name: 'team', only: ['notes/ad*', 'web/x'], tools }, by);
    expect(remarks).toEqual([
      'notes has no tool serch now; did you mean search?',
      'other is not known here, so other/x was not checked',
      'web/x matches no tool of web now',
    ]);
  });
});

describe('held calls and standing rules', () => {
  const held = async (session: Session) => {
    const answer = await session.call({ tool: 'add_team_note', arguments: { text: 'x' } });
    if (answer.status !== 'confirmation_required') throw new Error(JSON.stringify(answer));
    return answer.confirmation;
  };
  const confirm = (session: Session, token: string) =>
    session.call({ tool: 'patch_confirm_action', arguments: { confirmation_token: token } });

  test('a person sees the final arguments, and which of them the set fixed', async () => {
    await host.sets.save(teamSet, by);
    const session = await open({ set: 'team', policy: { rules: [ask] } });
    const { token, arguments: args, evidence } = await held(session);
    expect(args).toEqual({ text: 'x', folder: 'team' });
    const fixed = { kind: 'fixed', text: 'folder: "team", fixed by the set team', at: '/folder' };
    expect(evidence).toContainEqual(fixed);
    await host.approvals.approve(token, by);
    expect(await resultOf(confirm(session, token))).toBe('added x to team');
  });

  test.each<[string, ToolSet['tools'][string]]>([
    ['a fixed argument', { arguments: { folder: 'all' } }],
    ['a name', { name: 'add_note' }],
    ['a description', { description: 'Adds a note.' }],
  ])('a change of %s voids approved calls, and the reason is said', async (_, change) => {
    await host.sets.save(teamSet, by);
    const session = await open({ set: 'team', policy: { rules: [ask] } });
    const { token } = await held(session);
    await host.approvals.approve(token, by);
    const tools = { ...teamSet.tools, 'notes/add': { ...teamSet.tools['notes/add'], ...change } };
    await host.sets.save({ ...teamSet, tools }, by);
    const reason = 'the set team shows notes/add differently now';
    expect(await host.approvals.get(token)).toMatchObject({ state: 'void', voidReason: reason });
    expect((await failureOf(confirm(session, token))).message).toContain(reason);
  });

  test('a change of another tool voids nothing', async () => {
    await host.sets.save(teamSet, by);
    const session = await open({ set: 'team', policy: { rules: [ask] } });
    const { token } = await held(session);
    await host.approvals.approve(token, by);
    await host.sets.save({ ...teamSet, tools: { ...teamSet.tools, 'notes/search': { name: 's' } } }, by);
    expect(await resultOf(confirm(session, token))).toBe('added x to team');
  });

  test('an approval in one set does not let the same call run in another', async () => {
    await host.sets.save(teamSet, by);
    await host.sets.save({ ...teamSet, name: 'other' }, by);
    const { token } = await held(await open({ set: 'team', policy: { rules: [ask] } }));
    await host.approvals.approve(token, by);
    const other = await open({ set: 'other', policy: { rules: [ask] } });
    expect((await failureOf(confirm(other, token))).message).toContain(
      'the set of the session shows notes/add differently',
    );
  });

  test('a changed package ends held calls and rules of sets too', async () => {
    await host.sets.save(teamSet, by);
    const session = await open({ set: 'team', policy: { rules: [ask] } });
    const { token } = await held(session);
    const definition = (await session.tools())[0]?.definition as string;
    const rule = { tool: 'notes/add', definition, principal: null, destructive: false, expiresAt: null };
    const anything = ['text', 'folder'].map((argument) => ({
      argument,
      condition: { test: 'any' } as const,
    }));
    await host.approvals.rules.add({ ...rule, conditions: anything }, by);
    bench.write({
      'notes/findagent.json': setPackages['notes/findagent.json']?.replace('found', 'saw') as string,
    });
    await open({ set: 'team' });
    expect((await host.approvals.get(token)).state).toBe('void');
    expect((await host.approvals.rules.list())[0]?.state).toBe('ended');
  });

  test('a standing rule covers the final arguments, and ends with the change of the set', async () => {
    await host.sets.save(teamSet, by);
    const session = await open({ set: 'team', policy: { rules: [ask] } });
    const definition = (await session.tools())[0]?.definition as string;
    const rule = { tool: 'notes/add', definition, principal: null, destructive: false, expiresAt: null };
    const conditions = (folder: string) => [
      { argument: 'folder', condition: { test: 'equals', value: folder } as const },
      { argument: 'text', condition: { test: 'any' } as const },
    ];
    await host.approvals.rules.add({ ...rule, conditions: conditions('other') }, by);
    await held(session);
    await host.approvals.rules.add({ ...rule, conditions: conditions('team') }, by);
    expect(await resultOf(session.call({ tool: 'add', arguments: { text: 'y' } }))).toBe('added y to team');
    const tools = { ...teamSet.tools, 'notes/add': { ...teamSet.tools['notes/add'], name: 'add_note' } };
    await host.sets.save({ ...teamSet, tools }, by);
    expect((await host.approvals.rules.list()).map((it) => [it.state, it.endReason])).toEqual([
      ['ended', 'the set team shows notes/add differently now'],
      ['ended', 'the set team shows notes/add differently now'],
    ]);
  });
});

describe('who uses which set', () => {
  const only = (name: string, tool: string): ToolSet => ({ name, only: [tool], tools: {} });

  beforeEach(async () => {
    await host.sets.save(only('add', 'notes/add'), by);
    await host.sets.save(only('search', 'notes/search'), by);
    await host.sets.save(only('web', 'web'), by);
  });

  test('a binding wins over the session, that over the workspace, and that over everyone', async () => {
    const below = join(bench.root, 'below');
    mkdirSync(below);
    const at = (options: Partial<SessionOptions>) => open(options).then(names);
    await host.sets.bind({ kind: 'everyone', set: 'web', by });
    expect(await at({})).toEqual(['web/fetch']);
    await host.sets.bind({ kind: 'workspace', name: bench.root, set: 'search', by });
    expect(await at({})).toEqual(['notes/search']);
    expect(await at({ root: below })).toEqual(['notes/search']);
    expect(await at({ root: bench.packages })).toEqual(['web/fetch']);
    expect(await at({ set: 'add' })).toEqual(['notes/add']);
    expect(await at({ set: null })).toEqual(everything);
    await host.sets.bind({ kind: 'principal', name: 'agent', set: 'web', by });
    expect(await at({ set: 'add' })).toEqual(['web/fetch']);
    expect(await at({ set: null })).toEqual(['web/fetch']);
    await host.sets.unbind({ kind: 'principal', name: 'agent', by });
    await host.sets.unbind({ kind: 'workspace', name: bench.root, by });
    expect(await host.sets.unbind({ kind: 'everyone', by })).toBe(true);
    expect(await host.sets.unbind({ kind: 'everyone', by })).toBe(false);
    expect(await at({})).toEqual(everything);
  });

  test('a person who reviews packages sees those outside of a loaded set', async () => {
    await host.sets.bind({ kind: 'everyone', set: 'web', by });
    const session = await bench.session({ intent: 'review', accept: null });
    expect((await session.packages()).packages.map((it) => it.id)).toEqual(['notes', 'web']);
  });

  test('a set in use is not removed, and revoking a token ends its use', async () => {
    const { entry } = await host.tokens.create({ name: 'laptop', role: 'agent', by });
    await host.sets.bind({ kind: 'token', name: 'laptop', set: 'web', by });
    await expect(host.sets.remove('web', by)).rejects.toMatchObject({
      code: 'denied',
      message: 'the set web is in use: token laptop',
    });
    // A token that replaces another one keeps its set.
    const next = await host.tokens.create({ name: 'laptop', role: 'agent', replaces: entry.id, by });
    await host.tokens.revoke(entry.id, by);
    expect(await names(await open({ principal: 'http/laptop' }))).toEqual(['web/fetch']);
    await host.tokens.revoke(next.entry.id, by);
    expect((await host.sets.list()).flatMap((it) => it.bindings)).toEqual([]);
    expect(await host.sets.remove('web', by)).toBe(true);
    expect(await host.sets.remove('web', by)).toBe(false);
  });

  test('an unknown set is an error', async () => {
    await expect(open({ set: 'nothing' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(host.sets.bind({ kind: 'everyone', set: 'nothing', by })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(host.sets.bind({ kind: 'token', name: 'nobody', set: 'web', by })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

test.each([
  ['is missing', "delete from tool_set where name = 'team'"],
  ['is damaged', "update tool_set set content = '{' where name = 'team'"],
  ['has the content of another one', `update tool_set set content = '{"name":"x","tools":{}}'`],
])('a session whose bound set %s has no tools', async (_, change) => {
  await host.sets.save(teamSet, by);
  await host.sets.bind({ kind: 'principal', name: 'agent', set: 'team', by });
  const state = join(bench.path, 'state');
  await host.close();
  const database = openDatabase(state);
  await database.withConnection((it) => it.exec(change));
  await database.destroy();
  const again = await workbenchAt(state);
  try {
    const options = { principal: 'agent', directories: [bench.packages], root: bench.root, accept: null };
    const session = await again.session(options);
    expect(await session.tools()).toEqual([]);
    expect(await session.prompts()).toEqual([]);
    expect(await session.packages()).toMatchObject({ packages: [], set: { name: 'team', readable: false } });
    const failed = await failureOf(session.call({ tool: 'notes/search', arguments: { query: 'x' } }));
    expect(failed).toMatchObject({ code: 'unavailable', message: expect.stringContaining('the set team') });
    // Another caller is not affected.
    const other = await again.session({ ...options, principal: 'other' });
    expect(await names(other)).toEqual(everything);
  } finally {
    await again.close();
  }
});

async function workbenchAt(state: string): Promise<Host> {
  const { createHost } = await import('../../../src/index.js');
  return createHost({ state, warm: false });
}
