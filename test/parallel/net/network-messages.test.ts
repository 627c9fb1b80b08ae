// What people read when a tool cannot use the network: a grant without effect, no network, a hint that helps.
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { temporaryFolder, toolwharf } from '../../support/toolwharf.js';
import { failureOf, pythonTool, talos, workbench } from '../../support/workbench.js';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const it of closing.splice(0).reverse()) await it();
});

test('--allow without effect is named on standard error and in the JSON document', async () => {
  const folder = temporaryFolder({
    'quiet.py': pythonTool({ name: 'quiet', body: ['return {"ok": True}'] }),
  });
  closing.push(folder.remove);
  const state = ['--state', join(folder.path, 'state'), '--json'];
  const path = join(folder.path, 'quiet.py');
  const expected =
    '--allow net:127.0.0.1:9 has no effect: no package here requests network access in its manifest';
  const called = await toolwharf(['call', path, '{}', '--allow', 'net:127.0.0.1:9', ...state]);
  expect(JSON.parse(called.stdout)).toMatchObject({ status: 'ok', unusedGrants: [expected] });
  expect(called.stderr).toContain(`warning: ${expected}`);
  const listed = await toolwharf(['list', path, '--allow', 'net:127.0.0.1:9', ...state]);
  expect(JSON.parse(listed.stdout)).toMatchObject({ unusedGrants: [expected] });
  const plain = await toolwharf(['call', path, '{}', ...state]);
  expect(JSON.parse(plain.stdout).unusedGrants).toBeUndefined();
});

test('a failed program without network says so, without a guess from its output', async () => {
  const made = await workbench({
    'quiet.py': pythonTool({ name: 'quiet', body: ['sys.exit("the planets are not aligned")'] }),
    ...talos({
      id: 'orbit',
      code: 'export async function look() { throw new Error("nothing to see"); }',
      functions: ['look'],
    }),
  });
  closing.push(() => made.close());
  const session = await made.session({ policy: { deny: ['orbit=net:*'] } });
  const exited = await failureOf(session.call({ tool: 'quiet', arguments: {} }));
  expect(exited).toMatchObject({ code: 'tool_failed', hint: 'this package was granted no network' });
  const thrown = await failureOf(session.call({ tool: 'orbit/look', arguments: {} }));
  expect(thrown.hint).toMatch(/^this package was granted no network: the configuration denies it/);
});

test('a program with network gets no such note', async () => {
  const made = await workbench({
    'loud.py': pythonTool({ name: 'loud', network: true, body: ['sys.exit("the planets are not aligned")'] }),
  });
  closing.push(() => made.close());
  const session = await made.session();
  const { hint } = await failureOf(session.call({ tool: 'loud', arguments: {} }));
  expect(hint ?? '').not.toContain('network');
});
