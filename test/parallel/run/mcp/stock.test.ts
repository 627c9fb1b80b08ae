// Unmodified servers from the npm registry, started by their own command in the sandbox.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { textTemplate } from '../../../../src/model/template.js';
import type { Progress } from '../../../../src/run/run.js';
import { asked, closeUpstreams, connectUpstream, progressOf } from '../../../support/mcp-upstream.js';
import { temporaryFolder } from '../../../support/toolwharf.js';

const version = '2026.8.31';
const names = ['everything', 'memory'].map((it) => `@modelcontextprotocol/server-${it}@${version}`);
const folder = temporaryFolder({ 'package.json': '{}' });
const isInstalled = await install();

afterAll(async () => {
  await closeUpstreams();
  folder.remove();
});

/** Returns false if no registry can be reached. Install scripts never run. */
async function install(): Promise<boolean> {
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', ...names];
  try {
    await promisify(execFile)('npm', args, { cwd: folder.path, timeout: 60_000 });
    return true;
  } catch {
    return false;
  }
}

const stock = (command: string, environment: Record<string, string> = {}) =>
  connectUpstream({
    packages: folder.path,
    target: {
      kind: 'process',
      command: [textTemplate(command)],
      directory: '',
      environment: Object.entries(environment).map(([name, value]) => ({ name, value: textTemplate(value) })),
    },
  });

describe.skipIf(!isInstalled)('servers from the npm registry (needs an npm registry)', () => {
  test('server-everything announces its lists and returns results and progress', async () => {
    const { upstream } = await stock('mcp-server-everything');
    const { tools, prompts, resources } = upstream.announced;
    expect(tools.map((it) => it.name)).toContain('echo');
    expect(prompts?.length).toBeGreaterThan(0);
    expect(resources?.length).toBeGreaterThan(0);
    expect((await upstream.call(asked('echo', { message: 'hello' }))).value).toBe('Echo: hello');
    const long = tools.find((it) => /long/i.test(it.name));
    const steps: Progress[] = [];
    const given = { duration: 0.3, steps: 3 };
    await upstream.call(asked(String(long?.name), given, { onProgress: progressOf(steps) }));
    expect(steps.map((it) => it.progress)).toEqual([1, 2, 3]);
  });

  test('server-memory stores and returns an entity', async () => {
    const { upstream } = await stock('mcp-server-memory', { MEMORY_FILE_PATH: '/tmp/memory.jsonl' });
    const entity = { name: 'Ada', entityType: 'person', observations: ['counts'] };
    await upstream.call(asked('create_entities', { entities: [entity] }));
    const { value } = await upstream.call(asked('read_graph'));
    expect(value).toMatchObject({ entities: [{ name: 'Ada' }] });
  });
});
