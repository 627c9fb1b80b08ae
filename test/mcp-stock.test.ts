// Servers as the npm registry has them, unchanged: their own command, in the sandbox.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { textTemplate } from '../src/model/template.js';
import type { Progress } from '../src/run/upstream/upstream.js';
import { asked, closeUpstreams, progressOf, upstream } from './mcp-upstream.js';
import { temporaryFolder } from './toolwharf.js';

const version = '2026.8.31';
const names = ['everything', 'memory'].map((it) => `@modelcontextprotocol/server-${it}@${version}`);
const folder = temporaryFolder({ 'package.json': '{}' });
const isInstalled = await install();

afterAll(async () => {
  await closeUpstreams();
  folder.remove();
});

/** False where no registry can be reached. Install scripts do not run, as everywhere here. */
async function install(): Promise<boolean> {
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', ...names];
  try {
    await promisify(execFile)('npm', words, { cwd: folder.path, timeout: 60_000 });
    return true;
  } catch {
    return false;
  }
}

const stock = (command: string, environment: Record<string, string> = {}) =>
  upstream({
    packages: folder.path,
    target: {
      kind: 'process',
      command: [textTemplate(command)],
      directory: '',
      environment: Object.entries(environment).map(([name, value]) => ({ name, value: textTemplate(value) })),
    },
  });

describe.skipIf(!isInstalled)('from the npm registry (skipped where none can be reached)', () => {
  test('the server with everything is understood, and its answers and steps come through', async () => {
    const { remote } = await stock('mcp-server-everything');
    const { tools, prompts, resources } = remote.announced;
    expect(tools.map((it) => it.name)).toContain('echo');
    expect(prompts?.length).toBeGreaterThan(0);
    expect(resources?.length).toBeGreaterThan(0);
    expect((await remote.call(asked('echo', { message: 'hello' }))).value).toBe('Echo: hello');
    const long = tools.find((it) => /long/i.test(it.name));
    const steps: Progress[] = [];
    const given = { duration: 0.3, steps: 3 };
    await remote.call(asked(String(long?.name), given, { onProgress: progressOf(steps) }));
    expect(steps.map((it) => it.progress)).toEqual([1, 2, 3]);
  });

  test('the one with a memory keeps it', async () => {
    const { remote } = await stock('mcp-server-memory', { MEMORY_FILE_PATH: '/tmp/memory.jsonl' });
    const entity = { name: 'Ada', entityType: 'person', observations: ['counts'] };
    await remote.call(asked('create_entities', { entities: [entity] }));
    const { value } = await remote.call(asked('read_graph'));
    expect(value).toMatchObject({ entities: [{ name: 'Ada' }] });
  });
});
