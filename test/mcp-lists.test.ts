// Lists are written down once and sent many times; whatever changes them, the next client to ask gets the new one.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import type { Session } from '../src/index.js';
import { createFront, type Front, frontParts } from '../src/serve/mcp/front.js';
import { until } from './toolwharf.js';
import { pythonTool, type Workbench, workbench } from './workbench.js';

const benches: Workbench[] = [];
afterEach(async () => {
  for (const it of benches.splice(0)) await it.close();
});

const bugs: unknown[] = [];
const parts = frontParts({ version: '1.0.0', now: () => 1, onBug: (error) => bugs.push(error) });

function frontOf(made: Workbench, session: Session, expose: 'all' | 'auto' = 'all'): Front {
  const { approvals } = made.host;
  return createFront({ ...parts, session, approvals, principal: 'agent', holder: 'h', expose });
}

/** The texts of all lists, in both shapes, as a client gets them. */
async function listsOf(front: Front): Promise<string[]> {
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
  readonly kept: Front;
}

const words = ['one', 'two'];
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
  let told = 0;
  const stop = session.onChange(() => {
    told += 1;
  });
  edit();
  await until(() => told > 0);
  stop();
}

let edition = 0;
type Act = (scene: Scene, name: string) => Promise<unknown>;

const acts: Readonly<Record<string, Act>> = {
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
  const files = Object.fromEntries(words.map((it) => [`${it}.py`, tool(it)]));
  const made = await workbench({ ...files, ...keyed }, { watch: true });
  benches.push(made);
  const session = await made.session();
  return { made, session, kept: frontOf(made, session) };
}

async function assertFresh({ made, session, kept }: Scene): Promise<string[]> {
  const lists = await listsOf(kept);
  const anew = frontOf(made, session);
  expect(lists).toEqual(await listsOf(anew));
  anew.close();
  return lists;
}

test('each kind of change is seen by whoever asks next', async () => {
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
  await acts['set a value']?.(it, '');
  expect(await seen()).toEqual(['keyed_use', ...all]);
  await made.host.secrets.unset('keyed', 'KEY', 'ada');
  expect(await seen()).toEqual(all);
  await acts.remove?.(it, 'one');
  expect(await seen()).toEqual(['two', 'patch_confirm_action']);
});

test('after any changes the kept lists are those of a front that has kept nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...Object.keys(acts)), fc.constantFrom(...words)), {
        minLength: 3,
        maxLength: 8,
      }),
      async (steps) => {
        const it = await scene();
        await assertFresh(it);
        for (const [name, about] of steps) {
          await acts[name]?.(it, about);
          await assertFresh(it);
        }
        await benches.pop()?.close();
      },
    ),
    { numRuns: 5, seed: 3 },
  );
  expect(bugs).toEqual([]);
});
