// Lists are serialized once and sent many times. After any change, the next request gets the new list.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import type { Session } from '../../../../src/index.js';
import { createMcpServer, type McpServer } from '../../../../src/serve/mcp/server.js';
import { createMcpServerParts } from '../../../../src/serve/mcp/server-options.js';
import { until } from '../../../support/toolwharf.js';
import { pythonTool, type Workbench, workbench } from '../../../support/workbench.js';

const benches: Workbench[] = [];
afterEach(async () => {
  for (const it of benches.splice(0)) await it.close();
});

const bugs: unknown[] = [];
const parts = createMcpServerParts({
  version: '1.0.0',
  state: null,
  now: () => 1,
  onBug: (error) => bugs.push(error),
});

function frontOf(made: Workbench, session: Session, expose: 'all' | 'auto' = 'all'): McpServer {
  const { approvals, tasks } = made.host;
  return createMcpServer({
    ...parts,
    session,
    approvals,
    tasks,
    principal: 'agent',
    holder: 'h',
    expose,
    approver: null,
  });
}

/** The serialized lists that a client gets, for two revisions. */
async function listsOf(front: McpServer): Promise<string[]> {
  const texts: string[] = [];
  for (const revision of ['2025-11-25', '2024-11-05']) {
    const client = front.session2025({ send: () => {} });
    let id = 0;
    const ask = async (method: string, params: Record<string, unknown>) =>
      (await client.receive({ kind: 'request', id: ++id, method, params: params as never }))?.text ?? '';
    await ask('initialize', { protocolVersion: revision, capabilities: {} });
    for (const method of ['tools/list', 'prompts/list', 'resources/list']) {
      let cursor: string | undefined;
      do {
        const text = await ask(method, cursor === undefined ? {} : { cursor });
        cursor = JSON.parse(text).result.nextCursor;
        texts.push(text);
      } while (cursor !== undefined);
    }
    client.close();
  }
  return texts;
}

const names = (texts: readonly string[]) =>
  JSON.parse(texts[0] ?? '').result.tools.map((it: { name: string }) => it.name);

interface Scene {
  readonly made: Workbench;
  readonly session: Session;
  readonly cached: McpServer;
}

const toolNames = ['one', 'two'];
const tool = (name: string, more = '') => pythonTool({ name, body: [`return {"word": "${name}${more}"}`] });
const keyed = {
  'keyed/manifest.json': JSON.stringify({
    id: 'keyed',
    name: 'Keyed',
    description: 'Needs a value.',
    version: '1.0.0',
    credentials: [{ name: 'KEY', label: 'a key', required: true }],
    functions: [{ name: 'use', description: 'Use it.', parameters: { type: 'object', properties: {} } }],
  }),
  'keyed/index.js': 'export const handlers = { use: () => 1 };\n',
};

async function edited({ session }: Scene, edit: () => void): Promise<void> {
  let changes = 0;
  const stop = session.onChange(() => {
    changes += 1;
  });
  edit();
  await until(() => changes > 0);
  stop();
}

let edition = 0;
type Change = (scene: Scene, name: string) => Promise<unknown>;

const changesByName: Readonly<Record<string, Change>> = {
  'kill a tool': ({ made }, name) => made.host.kills.set(`${name}/${name}`, 'ada'),
  'kill a package': ({ made }, name) => made.host.kills.set(name, 'ada'),
  'kill all': ({ made }) => made.host.kills.set('all', 'ada'),
  'lift all': async ({ made }) => {
    for (const { target } of await made.host.kills.list()) await made.host.kills.lift(target, 'ada');
  },
  'switch off': ({ made }, name) => made.host.switches.set(name, false, 'ada'),
  'switch on': ({ made }, name) => made.host.switches.set(name, true, 'ada'),
  'set a value': ({ made }) =>
    made.host.secrets.set({
      package: 'keyed',
      slot: 'KEY',
      value: 'open-sesame',
      audience: { kind: 'manifest' },
      by: 'ada',
    }),
  'unset a value': ({ made }) => made.host.secrets.unset('keyed', 'KEY', 'ada'),
  edit: (scene, name) =>
    edited(scene, () => scene.made.write({ [`${name}.py`]: tool(name, String(++edition)) })),
  remove: async (scene, name) => {
    const path = join(scene.made.packages, `${name}.py`);
    if (existsSync(path)) await edited(scene, () => rmSync(path));
  },
};

async function scene(): Promise<Scene> {
  const files = Object.fromEntries(toolNames.map((it) => [`${it}.py`, tool(it)]));
  const made = await workbench({ ...files, ...keyed }, { watch: true });
  benches.push(made);
  const session = await made.session();
  return { made, session, cached: frontOf(made, session) };
}

async function assertFresh({ made, session, cached }: Scene): Promise<string[]> {
  const lists = await listsOf(cached);
  const fresh = frontOf(made, session);
  expect(lists).toEqual(await listsOf(fresh));
  fresh.close();
  return lists;
}

test('the next request after each kind of change gets the new list', async () => {
  const it = await scene();
  const { made } = it;
  const all = ['one', 'two', 'patch_confirm_action'];
  const seen = async () => names(await assertFresh(it));
  expect(await seen()).toEqual(all);
  await made.host.kills.set('one/one', 'ada');
  expect(await seen()).toEqual(['two', 'patch_confirm_action']);
  await made.host.kills.lift('one/one', 'ada');
  expect(await seen()).toEqual(all);
  await made.host.switches.set('two', false, 'ada');
  expect(await seen()).toEqual(['one', 'patch_confirm_action']);
  await made.host.switches.set('two', true, 'ada');
  await changesByName['set a value']?.(it, '');
  expect(await seen()).toEqual(['keyed_use', ...all]);
  await made.host.secrets.unset('keyed', 'KEY', 'ada');
  expect(await seen()).toEqual(all);
  await changesByName.remove?.(it, 'one');
  expect(await seen()).toEqual(['two', 'patch_confirm_action']);
});

test('after any sequence of changes, the cached lists equal those of a new MCP server', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...Object.keys(changesByName)), fc.constantFrom(...toolNames)), {
        minLength: 3,
        maxLength: 8,
      }),
      async (steps) => {
        const it = await scene();
        await assertFresh(it);
        for (const [name, about] of steps) {
          await changesByName[name]?.(it, about);
          await assertFresh(it);
        }
        await benches.pop()?.close();
      },
    ),
    { numRuns: 5, seed: 3 },
  );
  expect(bugs).toEqual([]);
});
