// The command line: files that were moved aside, and a tool that tries to create the user's configuration.
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { documentIn } from '../../../support/json-documents.js';
import { temporaryFolder, toolwharf } from '../../../support/toolwharf.js';
import { pythonTool } from '../../../support/workbench.js';

let folder: ReturnType<typeof temporaryFolder>;

beforeEach(() => {
  const body = [
    'os.makedirs(os.path.dirname(text), exist_ok=True)',
    'open(text, "w").write("evil")',
    'return {}',
  ];
  folder = temporaryFolder({
    'tools/put.py': pythonTool({ name: 'put', filesystem: 'read-write', body }),
    // Otherwise the second call would be held: its path is protected.
    'observe.toml': '[taint]\nmode = "observe"\n',
  });
  mkdirSync(join(folder.path, 'work'));
  chmodSync(join(folder.path, 'work'), 0o777);
});

afterEach(() => folder.remove());

const at = (path: string) => join(folder.path, 'work', path);
const run = (args: readonly string[], env: Record<string, string> = {}) =>
  toolwharf([...args, '--state', join(folder.path, 'state')], { cwd: folder.path, env });
const put = (path: string, env: Record<string, string> = {}) =>
  run(
    [
      'call',
      'tools/put.py',
      JSON.stringify({ text: at(path) }),
      '--root',
      'work',
      '--config',
      'observe.toml',
    ],
    env,
  );

test('a moved file is listed, restored and deleted', async () => {
  expect(await run(['quarantine'])).toMatchObject({ code: 0, stdout: 'nothing was moved aside\n' });
  expect((await put('.vscode/tasks.json')).stderr).toContain('was moved aside');
  expect((await put('sub/.mcp.json')).stderr).toContain('was moved aside');
  const { files } = JSON.parse((await run(['quarantine', '--json'])).stdout) as {
    files: { id: string; path: string; packages: string[] }[];
  };
  expect(files.map((it) => [it.path, it.packages])).toEqual([
    [at('.vscode'), ['put']],
    [at('sub/.mcp.json'), ['put']],
  ]);
  expect((await run(['quarantine'])).stdout).toContain('it appeared while put could write there');
  const attention = await run(['list', 'tools', '--attention']);
  expect(attention.stdout).toContain(`toolwharf quarantine restore ${files[0]?.id}`);
  expect((await run(['doctor'])).stdout).toContain('were moved aside');
  const [first, second] = files.map((it) => it.id) as [string, string];
  expect((await run(['quarantine', 'restore', first.slice(0, 20), '--dry-run'])).stdout).toContain('.vscode');
  expect(existsSync(at('.vscode'))).toBe(false);
  const restored = await run(['quarantine', 'restore', first, '--json']);
  expect(documentIn(restored.stdout).value).toMatchObject({
    schema: 'toolwharf/quarantined@1',
    done: 'restored',
  });
  expect(readFileSync(at('.vscode/tasks.json'), 'utf8')).toBe('evil');
  expect(await run(['quarantine', 'delete', second])).toMatchObject({ code: 0 });
  expect(await run(['quarantine'])).toMatchObject({ stdout: 'nothing was moved aside\n' });
  expect(await run(['quarantine', 'delete', second])).toMatchObject({ code: 2 });
});

test("a tool cannot create the user's configuration where it does not exist yet", async () => {
  const env = { XDG_CONFIG_HOME: at('config') };
  expect(await put('config/toolwharf/config.toml'), 'control').toMatchObject({ code: 0 });
  expect(existsSync(at('config/toolwharf/config.toml')), 'control').toBe(true);
  const other = { XDG_CONFIG_HOME: at('another') };
  const denied = await put('another/toolwharf/config.toml', other);
  expect(denied.code).not.toBe(0);
  expect(denied.stderr).toContain('where the configuration of Toolwharf would be');
  expect(existsSync(at('another'))).toBe(false);
  // Where it exists, it is read-only.
  expect((await put('config/toolwharf/more.toml', env)).code).not.toBe(0);
  expect(existsSync(at('config/toolwharf/more.toml'))).toBe(false);
});
