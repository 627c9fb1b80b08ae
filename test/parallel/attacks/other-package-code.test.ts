// A tool that can write to the workspace tries to change the code of another package, which then would run with the
// secret of that package.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { unconfinedPython } from '../../support/unconfined.js';
import {
  type Files,
  failureOf,
  pythonTool,
  resultOf,
  talos,
  type Workbench,
  workbench,
} from '../../support/workbench.js';

const runs = pythonTool({
  name: 'runs',
  filesystem: 'read-write',
  body: ['exec(text, {"os": os})', 'return {"done": True}'],
});

/** A package with a secret. */
const holder = (answer: string): Files =>
  talos({
    id: 'holder',
    functions: ['ask'],
    code: `export const ask = () => ${answer};`,
    rest: { settings: [{ name: 'token', label: 'Token', type: 'secret' }] },
  });

let bench: Workbench;
/** The folder with the packages of another session, inside the workspace. */
let linked: string;

beforeEach(async () => {
  bench = await workbench({ 'runs.py': runs });
  linked = join(bench.root, 'project/tools');
  put({
    ...holder('"good"'),
    'single.py': pythonTool({ name: 'single', body: ['return {"who": "single"}'] }),
  });
});

afterEach(async () => {
  await bench.close();
  expect(bench.bugs).toEqual([]);
});

/** Everybody may write here, so that only the sandbox prevents it. */
function put(files: Files): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(linked, name);
    mkdirSync(dirname(path), { recursive: true });
    for (let folder = dirname(path); folder !== bench.root; folder = dirname(folder))
      chmodSync(folder, 0o777);
    writeFileSync(path, text);
    chmodSync(path, 0o666);
  }
}

const run = async (code: string) => (await bench.session()).call({ tool: 'runs', arguments: { text: code } });
const rewrite = (path: string) =>
  `open(${JSON.stringify(path)}, "w").write("export const ask = () => 'evil';")`;

describe('the code of a package that another session uses', () => {
  const others = [
    ['project/tools/holder/index.mjs', 'a file of a folder'],
    ['project/tools/single.py', 'a single file'],
  ] as const;

  test.each(others)('%s (%s) cannot be changed', async (path) => {
    const before = readFileSync(join(bench.root, path), 'utf8');
    await unconfinedPython(rewrite(path), bench.root);
    expect(readFileSync(join(bench.root, path), 'utf8'), 'control').toContain('evil');
    writeFileSync(join(bench.root, path), before);
    await (await bench.host.session({ directories: [linked], root: bench.path })).close();
    const top = path.split('/')[0] as string;
    for (const attack of [
      rewrite(path),
      `import os\nos.remove(${JSON.stringify(path)})`,
      `import os\nos.rename(${JSON.stringify(dirname(path))}, "away")`,
      `import os\nos.rename(${JSON.stringify(top)}, "away")`,
    ])
      await failureOf(run(attack));
    expect(readFileSync(join(bench.root, path), 'utf8')).toBe(before);
  });

  test('no package can be added to a folder that another session serves', async () => {
    await (await bench.host.session({ directories: [linked], root: bench.path })).close();
    await failureOf(run('open("project/tools/evil.py", "w").write("x")'));
    expect(existsSync(join(linked, 'evil.py'))).toBe(false);
    await resultOf(run('open("project/free.txt", "w").write("x")'));
  });

  test('it stays protected after the host was started again', async () => {
    await (await bench.host.session({ directories: [linked], root: bench.path })).close();
    const state = join(bench.path, 'state');
    await bench.host.close();
    const { createHost } = await import('../../../src/index.js');
    const again = await createHost({ state });
    try {
      const session = await again.session({ directories: [bench.packages], root: bench.root });
      const path = 'project/tools/holder/index.mjs';
      await failureOf(session.call({ tool: 'runs', arguments: { text: rewrite(path) } }));
      expect(readFileSync(join(bench.root, path), 'utf8')).toContain('good');
    } finally {
      await again.close();
    }
  });

  test('a workspace inside the folder of such a package is mounted read-only at most', async () => {
    await (await bench.host.session({ directories: [linked], root: bench.path })).close();
    const session = await bench.session({ root: join(linked, 'holder') });
    expect(
      await failureOf(session.call({ tool: 'runs', arguments: { text: rewrite('index.mjs') } })),
    ).toMatchObject({ code: 'workspace_unusable' });
  });
});

describe('an edit of a package that holds a secret', () => {
  const open = () => bench.session({ directories: [linked], root: bench.path });
  const state = async () => (await (await open()).packages()).packages.find((it) => it.id === 'holder');

  test('needs review, and the changed code does not get the secret before', async () => {
    await open();
    put(holder('"followed"'));
    expect(await resultOf((await open()).call({ tool: 'holder/ask', arguments: {} })), 'control').toBe(
      'followed',
    );
    await bench.host.secrets.set({
      ...{ package: 'holder', slot: 'token', value: 'a-secret-value', by: 'me' },
      audience: { kind: 'any' },
    });
    put(holder('"evil"'));
    expect(await state()).toMatchObject({
      state: 'needs-review',
      reasons: [
        expect.stringContaining(
          'its files changed, and the changed code would get its stored secrets: token',
        ),
        expect.stringContaining('toolwharf review holder'),
      ],
    });
    const session = await open();
    expect(await failureOf(session.call({ tool: 'holder/ask', arguments: {} }))).toMatchObject({
      code: 'needs_review',
    });
    await session.accept('holder', (await session.review('holder')).to);
    expect(await resultOf(session.call({ tool: 'holder/ask', arguments: {} }))).toBe('evil');
  });
});
