// Two clients with keys, each started by its configuration. A set is bound to one of them; the other sees everything.
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { patchTool, temporaryFolder, toolwharf } from '../../../support/toolwharf.js';

let folder: ReturnType<typeof temporaryFolder>;
let state: string[];
const open: Client[] = [];

beforeAll(async () => {
  const tool = (name: string) => patchTool({ name, body: `    return {"${name}": text}` });
  folder = temporaryFolder({ 'tools/note.py': tool('note'), 'tools/print.py': tool('print_text') });
  state = ['--state', join(folder.path, 'state')];
  await run('review', join(folder.path, 'tools'), '--yes');
});
afterAll(async () => {
  for (const it of open) await it.close();
  folder.remove();
});

async function run(...args: readonly string[]) {
  const done = await toolwharf([...args, ...state], { cwd: folder.path, env: { HOME: folder.path } });
  expect(done, done.stderr).toMatchObject({ code: 0 });
  return done.stdout;
}

/** Writes the configuration of a client, and returns the command in it. */
async function connected(name: string): Promise<{ readonly command: string; readonly args: string[] }> {
  const text = await run('connect', 'cursor', join(folder.path, 'tools'), '--name', name, '--yes', '--json');
  return JSON.parse(text).entry;
}

async function start({ command, args }: Awaited<ReturnType<typeof connected>>): Promise<Client> {
  const env = { ...(process.env as Record<string, string>), HOME: folder.path, TOOLWHARF_IDLE: '1s' };
  const client = new Client({ name: 'bound', version: '1.0.0' }, { versionNegotiation: { mode: 'legacy' } });
  open.push(client);
  await client.connect(new StdioClientTransport({ command, args, env }));
  return client;
}

/** The tools of packages. Those of the host itself are always there. */
const names = async (client: Client) =>
  (await client.listTools()).tools.map((it) => it.name).filter((it) => /note|print|write/.test(it));

test('a client whose key has a set sees only its tools, and another client sees all', async () => {
  const [desk, other] = [await connected('desk'), await connected('other')];
  const set = ['--only', 'note', '--rename', 'note/note=write_down', '--fix', 'note/note:text="fixed"'];
  await run('set', 'save', 'writing', ...set);
  await run('set', 'bind', 'writing', '--client', 'cursor-desk');
  const [bound, free] = [await start(desk), await start(other)];
  expect([await names(bound), await names(free)]).toEqual([['write_down'], ['note', 'print_text']]);
  const schemaOf = async (client: Client, name: string) =>
    (await client.listTools()).tools.find((it) => it.name === name)?.inputSchema.properties;
  expect(await schemaOf(bound, 'write_down')).toEqual({});
  expect(await schemaOf(free, 'note')).toHaveProperty('text');

  const call = async (client: Client, name: string, args = {}) =>
    client.callTool({ name, arguments: args }).catch((error: Error) => ({ error: error.message }));
  expect(await call(bound, 'write_down')).toMatchObject({ structuredContent: { note: 'fixed' } });
  expect(JSON.stringify(await call(bound, 'write_down', { text: 'mine' }))).not.toContain('mine"');
  for (const name of ['print_text', 'print_text/print_text'])
    expect(await call(bound, name, { text: 'out' })).not.toMatchObject({
      structuredContent: expect.anything(),
    });
  // Control: the same calls of the other client.
  expect(await call(free, 'note', { text: 'mine' })).toMatchObject({ structuredContent: { note: 'mine' } });
  expect(await call(free, 'print_text', { text: 'out' })).toMatchObject({
    structuredContent: { print_text: 'out' },
  });

  // A change of the set reaches the client that runs.
  await run('set', 'save', 'writing', '--reset', 'note/note');
  await expect.poll(() => names(bound)).toEqual(['note']);
  await run('set', 'unbind', '--client', 'cursor-desk');
  await expect.poll(() => names(bound)).toEqual(['note', 'print_text']);
}, 60_000);
