// A tool that can write to the workspace tries to change what other programs do there: this host, its clients, editors,
// shells and git. Each attack works without the sandbox (the control).
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Session } from '../../../src/index.js';
import { until } from '../../support/toolwharf.js';
import { unconfinedPython } from '../../support/unconfined.js';
import {
  failureOf,
  pythonTool,
  resultOf,
  talos,
  type Workbench,
  workbench,
} from '../../support/workbench.js';

/** Runs code that the call gives it. */
const runs = pythonTool({
  name: 'runs',
  filesystem: 'read-write',
  body: ['exec(text, {"os": os})', 'return {"done": True}'],
});
/** A kept process that writes a file some time after its call. */
const later = talos({
  id: 'later',
  functions: ['plan'],
  code: `import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
export const plan = ({ path, ms }) => {
  setTimeout(() => { mkdirSync(dirname(path), { recursive: true }); writeFileSync(path, 'evil'); }, ms);
  return 'planned';
};`,
});

let bench: Workbench;
let session: Session;

beforeEach(async () => {
  bench = await workbench({ 'runs.py': runs, ...later });
  session = await bench.session();
});

afterEach(async () => {
  await bench.close();
  expect(bench.bugs).toEqual([]);
});

const at = (path: string) => join(bench.root, path);
const run = (code: string) => session.call({ tool: 'runs', arguments: { text: code } });
const writing = (path: string, text = 'evil') =>
  `import os\nos.makedirs(${JSON.stringify(dirname(path))}, exist_ok=True)\nopen(${JSON.stringify(path)}, "w").write(${JSON.stringify(text)})`;

/** Creates a file of the user. */
function put(path: string, text = 'mine', mode = 0o666): void {
  let folder = bench.root;
  for (const name of path.split('/').slice(0, -1)) {
    folder = join(folder, name);
    if (existsSync(folder)) continue;
    mkdirSync(folder);
    chmodSync(folder, 0o777);
  }
  writeFileSync(at(path), text);
  chmodSync(at(path), mode);
}

const places = [
  '.mcp.json',
  '.vscode/tasks.json',
  '.claude/settings.json',
  '.cursor/mcp.json',
  '.git/hooks/pre-commit',
  '.git/config',
  '.bashrc',
  '.envrc',
  '.idea/workspace.xml',
  '.husky/pre-commit',
  'toolwharf.toml',
  'packages/app/src/.vscode/tasks.json',
  'packages/app/deep/er/still/.mcp.json',
  'vendor/lib/.git/hooks/post-checkout',
  'sub/.profile',
];

describe('a place that does not exist yet', () => {
  test.each(places)('%s is moved aside after the call, and nothing else is', async (path) => {
    const evil = '[alias]\n\tst = !sh evil';
    await unconfinedPython(writing(path, evil), bench.root);
    expect(readFileSync(at(path), 'utf8'), 'control').toBe(evil);
    await bench.close();
    bench = await workbench({ 'runs.py': runs, ...later });
    session = await bench.session();
    put('kept/file.txt');
    const answer = await run(`${writing(path, evil)}\n${writing('kept/made.txt')}`);
    expect(answer).toMatchObject({
      status: 'ok',
      warnings: [expect.stringContaining('was moved aside, because it steers other programs')],
    });
    expect(existsSync(at(path))).toBe(false);
    expect(readFileSync(at('kept/made.txt'), 'utf8')).toBe('evil');
    const [moved, ...more] = await bench.host.quarantine.list();
    expect(more).toEqual([]);
    expect(moved).toMatchObject({ packages: ['runs'] });
    expect(at(path).startsWith(moved?.path as string)).toBe(true);
    const entries = (await bench.host.auditTail(20)).filter((it) => it.body.operation === 'move aside');
    expect(entries).toMatchObject([{ body: { path: moved?.path, packages: ['runs'] } }]);
  });

  test('nothing is created in the folder of the user to cover places', async () => {
    put('a/b/file.txt');
    await resultOf(run('pass'));
    expect(readdirSync(bench.root)).toEqual(['a']);
    expect(readdirSync(at('a/b'))).toEqual(['file.txt']);
  });

  test('a link in such a place is moved, and its target is not touched', async () => {
    put('target/tasks.json', 'mine');
    await run(`import os\nos.symlink(${JSON.stringify(at('target'))}, ".vscode")`);
    expect(lstatSync(at('.vscode'), { throwIfNoEntry: false })).toBeUndefined();
    expect(readFileSync(at('target/tasks.json'), 'utf8')).toBe('mine');
    expect(await bench.host.quarantine.list()).toMatchObject([{ kind: 'link' }]);
  });

  test('a kept process that writes between calls is found without another call', async () => {
    await resultOf(session.call({ tool: 'later/plan', arguments: { path: at('x/.mcp.json'), ms: 300 } }));
    expect(existsSync(at('x'))).toBe(false);
    await until(async () => (await bench.host.quarantine.list()).length > 0, 20_000);
    expect(existsSync(at('x/.mcp.json'))).toBe(false);
  });

  test('a tool that fails is checked too', async () => {
    await failureOf(run(`${writing('.mcp.json')}\nraise Exception("no")`));
    expect(existsSync(at('.mcp.json'))).toBe(false);
    expect(await bench.host.quarantine.list()).toHaveLength(1);
  });

  test('the settings of a bare repository with another name are found by its content', async () => {
    const make =
      'import os\nfor it in ("objects", "refs"): os.makedirs("lib/" + it)\nopen("lib/HEAD", "w").write("ref: refs/heads/main")';
    await run(`${make}\n${writing('lib/config', '[core]\n\tbare = true\n\tfsmonitor = evil')}`);
    expect(existsSync(at('lib/HEAD'))).toBe(true);
    expect(existsSync(at('lib/config'))).toBe(false);
  });

  test('a repository that git itself made stays as it is, until a tool adds a setting with a program', async () => {
    const config = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n';
    const made = `${writing('new/.git/config', config)}\n${writing('new/.git/hooks/pre-commit.sample')}`;
    expect(await run(made)).toMatchObject({ status: 'ok', warnings: [] });
    expect(existsSync(at('new/.git/config'))).toBe(true);
    expect(existsSync(at('new/.git/hooks/pre-commit.sample'))).toBe(true);
    // The next call finds them read-only.
    await failureOf(run(writing('new/.git/config', evilSetting)));
    await failureOf(run(writing('new/.git/hooks/pre-commit')));
    expect(readFileSync(at('new/.git/config'), 'utf8')).toBe(config);
  });

  const evilSetting = '[core]\n\tsshCommand = evil\n';
});

describe('a place that exists', () => {
  test.each([
    '.mcp.json',
    '.vscode/tasks.json',
    '.git/hooks/pre-commit',
    '.git/config',
    'packages/app/.claude/settings.json',
    'a/b/c/.bashrc',
  ])('%s cannot be changed, replaced or renamed, nor a folder above it', async (path) => {
    put(path);
    const parent = dirname(path) === '.' ? path : dirname(path);
    await unconfinedPython(`open(${JSON.stringify(at(path))}, "w").write("evil")`, bench.root);
    expect(readFileSync(at(path), 'utf8'), 'control').toBe('evil');
    put(path);
    const top = path.split('/')[0] as string;
    for (const attack of [
      writing(path),
      `import os\nos.rename(${JSON.stringify(path)}, "away")`,
      `import os\nos.remove(${JSON.stringify(path)})`,
      `import os\nos.rename(${JSON.stringify(parent)}, "away")`,
      `import os\nos.rename(${JSON.stringify(top)}, "away")`,
      `import shutil\nshutil.rmtree(${JSON.stringify(top)}) if __import__("os").path.isdir(${JSON.stringify(top)}) else __import__("os").remove(${JSON.stringify(top)})`,
    ])
      await failureOf(run(attack));
    expect(readFileSync(at(path), 'utf8')).toBe('mine');
    expect(await bench.host.quarantine.list()).toEqual([]);
  });

  test('it can be read, and what is beside it can be changed', async () => {
    put('app/.vscode/settings.json', '{}');
    put('app/main.txt');
    await resultOf(run('assert open("app/.vscode/settings.json").read() == "{}"'));
    await resultOf(run(writing('app/main.txt', 'changed')));
    expect(readFileSync(at('app/main.txt'), 'utf8')).toBe('changed');
  });

  test('a link there is not followed, and a tool that replaces it has no effect', async () => {
    put('shared/tasks.json');
    symlinkSync('shared', at('.vscode'));
    await failureOf(run(writing('shared/tasks.json')));
    await run(
      'import os\nos.remove(".vscode")\nos.mkdir(".vscode")\nopen(".vscode/tasks.json", "w").write("evil")',
    );
    expect(existsSync(at('.vscode/tasks.json'))).toBe(false);
    expect(await bench.host.quarantine.list()).toHaveLength(1);
  });

  test('a grant of the place by name opens it', async () => {
    put('.vscode/tasks.json');
    chmodSync(at('.vscode'), 0o777);
    const granted = await bench.session({ allow: [`write:${at('.vscode')}`] });
    await resultOf(
      granted.call({ tool: 'runs', arguments: { text: writing('.vscode/tasks.json', 'wanted') } }),
    );
    expect(readFileSync(at('.vscode/tasks.json'), 'utf8')).toBe('wanted');
  });
});

describe('what was moved aside', () => {
  test('can be restored by the operator, and then stays', async () => {
    await run(writing('.vscode/tasks.json'));
    const [moved] = await bench.host.quarantine.list();
    expect(readFileSync(join(moved?.stored as string, 'tasks.json'), 'utf8')).toBe('evil');
    await bench.host.quarantine.restore(moved?.id as string, 'me');
    expect(readFileSync(at('.vscode/tasks.json'), 'utf8')).toBe('evil');
    expect(await bench.host.quarantine.list()).toEqual([]);
    await resultOf(run('pass'));
    expect(readFileSync(at('.vscode/tasks.json'), 'utf8')).toBe('evil');
    await failureOf(run(writing('.vscode/tasks.json', 'again')));
  });

  test('can be deleted, and a second restore finds nothing', async () => {
    await run(writing('.vscode/tasks.json'));
    const [moved] = await bench.host.quarantine.list();
    await bench.host.quarantine.delete(moved?.id as string, 'me');
    expect(existsSync(moved?.stored as string)).toBe(false);
    await expect(bench.host.quarantine.restore(moved?.id as string, 'me')).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('is not restored over something else, and not through a link that a tool made meanwhile', async () => {
    await run(writing('sub/.mcp.json'));
    const [moved] = await bench.host.quarantine.list();
    put('sub/.mcp.json', 'mine');
    await expect(bench.host.quarantine.restore(moved?.id as string, 'me')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('something else is there'),
    });
    mkdirSync(join(bench.path, 'elsewhere'), { mode: 0o777 });
    await run(writing('gone/.mcp.json'));
    const second = (await bench.host.quarantine.list()).find((it) => it.path === at('gone/.mcp.json'));
    await run(
      `import os\nos.rmdir("gone")\nos.symlink(${JSON.stringify(join(bench.path, 'elsewhere'))}, "gone")`,
    );
    await expect(bench.host.quarantine.restore(second?.id as string, 'me')).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(readdirSync(join(bench.path, 'elsewhere'))).toEqual([]);
  });

  test('needs the PIN to be restored or deleted', async () => {
    await run(writing('.mcp.json'));
    const [moved] = await bench.host.quarantine.list();
    await bench.host.operator.setPin('493817', 'me');
    for (const operation of ['restore', 'delete'] as const)
      await expect(bench.host.quarantine[operation](moved?.id as string, 'me')).rejects.toMatchObject({
        code: 'pin_required',
      });
    expect(existsSync(at('.mcp.json'))).toBe(false);
  });
});

describe('the configuration of the host', () => {
  const configuration = () => at('config/toolwharf');

  test('a folder in which it would be created is not mounted for writing', async () => {
    await resultOf(run(writing('config/toolwharf/config.toml')));
    expect(existsSync(at('config/toolwharf/config.toml')), 'control').toBe(true);
    await bench.close();
    bench = await workbench({ 'runs.py': runs });
    session = await bench.session({ policy: { protect: [configuration()] } });
    expect(await failureOf(run(writing('config/toolwharf/config.toml')))).toMatchObject({
      code: 'workspace_unusable',
      message: expect.stringContaining('where the configuration of Toolwharf would be'),
    });
    expect(existsSync(at('config'))).toBe(false);
  });

  test('where it exists, it is read-only', async () => {
    put('config/toolwharf/config.toml');
    session = await bench.session({ policy: { protect: [configuration()] } });
    await failureOf(run(writing('config/toolwharf/config.toml')));
    await failureOf(run(writing('config/toolwharf/other.toml')));
    await failureOf(run('import os\nos.rename("config", "away")'));
    await resultOf(run(writing('config/free.txt')));
    expect(readFileSync(at('config/toolwharf/config.toml'), 'utf8')).toBe('mine');
  });

  test('a workspace inside a steering place is not mounted for writing', async () => {
    put('.vscode/tasks.json');
    chmodSync(at('.vscode'), 0o777);
    session = await bench.session({ root: at('.vscode') });
    expect(await failureOf(run(writing('tasks.json')))).toMatchObject({ code: 'workspace_unusable' });
    put('.claude/worktrees/one/file.txt');
    session = await bench.session({ root: at('.claude/worktrees/one') });
    await resultOf(run(writing('file.txt')));
  });
});
