// The same failures on the command line: the built command, its exit codes and its messages.
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  knownEffectsOptions,
  loopbackServer,
  temporaryFolder,
  toolwharf,
} from '../../../support/toolwharf.js';
import { pythonTool } from '../../../support/workbench.js';

let folder: ReturnType<typeof temporaryFolder>;

beforeAll(() => {
  folder = temporaryFolder({
    'echo.py': pythonTool({ name: 'echo', body: ['return {"echo": text}'] }),
    'fails.py': pythonTool({ name: 'fails', body: ['raise ValueError("no such drawer")'] }),
    'sleeps.py': pythonTool({ name: 'sleeps', body: ['import time; time.sleep(60)'] }),
    'shape.py': pythonTool({ name: 'shape', body: ['return [1]'] }),
    'fetch.py': pythonTool({
      name: 'fetch',
      network: true,
      head: ['import urllib.request'],
      body: ['return {"read": urllib.request.urlopen(text, timeout=5).read().decode()}'],
    }),
    'note.py': pythonTool({
      name: 'note',
      filesystem: 'read-write',
      body: ['open("note.txt", "w").write(text)', 'return {"kept": open("note.txt").read()}'],
    }),
  });
  mkdirSync(join(folder.path, 'workspace'));
  chmodSync(join(folder.path, 'workspace'), 0o777);
});

afterAll(() => folder.remove());

const call = (tool: string, text: string, ...more: string[]) =>
  toolwharf(
    [
      'call',
      join(folder.path, `${tool}.py`),
      JSON.stringify({ text }),
      '--state',
      join(folder.path, 'state'),
      ...(more.includes('--root') ? [] : ['--root', join(folder.path, 'workspace')]),
      ...more,
    ],
    { cwd: folder.path },
  );

test('standard output contains the answer and nothing else', async () => {
  const { code, stdout } = await call('echo', 'hello');
  expect(JSON.parse(stdout)).toEqual({ echo: 'hello' });
  expect(code).toBe(0);
});

test('an answer that differs from the described output is kept, with a warning', async () => {
  const { code, stdout, stderr } = await call('shape', '');
  expect([code, JSON.parse(stdout)]).toEqual([0, [1]]);
  expect(stderr).toContain('warning: the answer of shape/shape differs from the output');
});

test.each([
  ['fails', '', [], 1, 'no such drawer'],
  ['sleeps', '', ['--timeout', '500ms'], 8, '--timeout'],
  ['fetch', 'http://127.0.0.1:9/', [], 5, '--allow net:127.0.0.1:9'],
  ['note', 'x', ['--root', '/'], 7, 'belongs to the system'],
] as const)('the failure of %s is explained on standard error', async (tool, text, more, exit, message) => {
  const { code, stdout, stderr } = await call(tool, text, ...more);
  expect(stderr).toContain(message);
  expect(stderr).not.toMatch(/\n\s+at |undefined|\[object/);
  expect(stdout).toBe('');
  expect(code).toBe(exit);
});

test('with --json, the failure is part of the answer', async () => {
  const { code, stdout } = await call('fails', '', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ status: 'error', error: { code: 'tool_failed' } });
  expect(code).toBe(1);
});

test('a call works with the grant from the hint', async () => {
  const server = await loopbackServer((_request, response) => response.end('here'));
  const url = `http://127.0.0.1:${server.port}/`;
  try {
    const known = knownEffectsOptions(folder.path);
    const refused = await call('fetch', url, ...known);
    const grant = /--allow (net:\S+)/.exec(refused.stderr)?.[1] ?? '';
    const { code, stdout } = await call('fetch', url, '--allow', grant, ...known);
    expect(JSON.parse(stdout)).toEqual({ read: 'here' });
    expect(code).toBe(0);
    expect(server.requests).toHaveLength(1);
  } finally {
    await server.close();
  }
});

test('a tool can write to a mounted workspace', async () => {
  const { stdout } = await call('note', 'buy ink');
  expect(JSON.parse(stdout)).toEqual({ kept: 'buy ink' });
});
