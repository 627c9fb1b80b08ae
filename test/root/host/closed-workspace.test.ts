// A host that runs as root starts tools as another user, who cannot enter every folder of root.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { failureOf, pythonTool, type Workbench, workbench } from '../../support/workbench.js';

const scripts = [
  { name: 'reads', filesystem: 'read-only', body: ['return {"read": open(text).read()}'] },
  { name: 'changes', filesystem: 'read-write', body: ['open(text, "w").write("x")', 'return {}'] },
] as const;

let bench: Workbench;

beforeAll(async () => {
  bench = await workbench(Object.fromEntries(scripts.map((it) => [`${it.name}.py`, pythonTool(it)])));
});

afterAll(async () => {
  await bench.close();
  expect(bench.bugs).toEqual([]);
});

test('a workspace that sandboxed processes cannot enter, read or write is rejected with the command that helps', async () => {
  const closed = mkdtempSync(join(bench.path, 'closed-'));
  mkdirSync(join(closed, 'inner'), { mode: 0o755 });
  const at = async (root: string, tool: string) =>
    failureOf((await bench.session({ root })).call({ tool, arguments: { text: 'a' } }));
  const unread = await at(closed, 'reads');
  expect(unread).toMatchObject({ code: 'workspace_unusable' });
  expect(unread.hint).toContain(`chmod o+rx ${closed}`);
  const blocked = await at(join(closed, 'inner'), 'reads');
  expect(blocked.message).toContain(`cannot enter ${closed}`);
  expect(blocked.hint).toContain(`chmod o+x ${closed}`);
  chmodSync(closed, 0o755);
  expect((await at(closed, 'changes')).hint).toContain('o+rwx');
  rmSync(closed, { recursive: true });
});
