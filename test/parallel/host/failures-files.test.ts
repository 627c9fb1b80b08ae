// Files that a tool may not use, or that cannot be mounted: what the error says, and what to do.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Session } from '../../../src/index.js';
import { failureOf, pythonTool, resultOf, type Workbench, workbench } from '../../support/workbench.js';

const scripts = [
  { name: 'needs_none', body: ['return {}'] },
  { name: 'reads_none', body: ['return {"read": open(text).read()}'] },
  { name: 'reads', filesystem: 'read-only', body: ['return {"read": open(text).read()}'] },
  { name: 'writes', filesystem: 'read-only', body: ['open(text, "w").write("x")', 'return {}'] },
  { name: 'changes', filesystem: 'read-write', body: ['open(text, "w").write("x")', 'return {}'] },
] as const;

let bench: Workbench;
let session: Session;

beforeAll(async () => {
  bench = await workbench(Object.fromEntries(scripts.map((it) => [`${it.name}.py`, pythonTool(it)])));
  writeFileSync(join(bench.root, 'note.txt'), 'a note');
  session = await bench.session();
});

afterAll(async () => {
  await bench.close();
  expect(bench.bugs).toEqual([]);
});

const failure = (tool: string, text: string) => failureOf(session.call({ tool, arguments: { text } }));

test('a tool without file access does not see the workspace', async () => {
  const failed = await failure('reads_none', join(bench.root, 'note.txt'));
  expect(failed.code).toBe('tool_failed');
  expect(failed.message).toContain('No such file');
  expect(failed.hint).toContain('requests no file access');
  expect(await resultOf(session.call({ tool: 'reads', arguments: { text: 'note.txt' } }))).toEqual({
    read: 'a note',
  });
});

test('a read-only tool cannot write, and a read-write tool can', async () => {
  const failed = await failure('writes', 'new.txt');
  expect(failed.message).toContain('Read-only file system');
  expect(failed.hint).toContain('read');
  await resultOf(session.call({ tool: 'changes', arguments: { text: 'new.txt' } }));
});

test('a path outside of the workspace is reported with what the tool can see', async () => {
  const failed = await failure('reads', '/srv/other/secret.txt');
  expect(failed.hint).toContain(bench.root);
  expect(failed.hint).toContain('--root');
});

test('a system folder cannot be mounted', async () => {
  const opened = await bench.session({ root: '/' });
  const failed = await failureOf(opened.call({ tool: 'reads', arguments: { text: 'etc/hostname' } }));
  expect(failed).toMatchObject({ code: 'workspace_unusable' });
  expect(failed.message).toContain('belongs to the system');
  expect(failed.hint).toContain('--root');
});

test('a workspace that is a file or does not exist is rejected', async () => {
  for (const [root, reason] of [
    [join(bench.root, 'note.txt'), 'not a folder'],
    [join(bench.root, 'gone'), 'does not exist'],
  ] as const) {
    const opened = await bench.session({ root });
    const failed = await failureOf(opened.call({ tool: 'reads', arguments: { text: 'a' } }));
    expect(failed).toMatchObject({ code: 'workspace_unusable' });
    expect(failed.message).toContain(reason);
    // Tools without file access still run.
    expect(await opened.call({ tool: 'needs_none', arguments: {} })).toMatchObject({ status: 'ok' });
  }
});
