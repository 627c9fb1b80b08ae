// The real limit of files and folders, and how long the search of a large workspace takes.
import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { failureOf, pythonTool, resultOf, type Workbench, workbench } from '../../support/workbench.js';

let bench: Workbench;

beforeEach(async () => {
  const body = ['return {"sees": os.path.exists(text)}'];
  bench = await workbench({ 'see.py': pythonTool({ name: 'see', filesystem: 'read-only', body }) });
});

afterEach(async () => {
  await bench.close();
  expect(bench.bugs).toEqual([]);
});

/** Hard links are made faster than files. */
function fill(folders: number, each: number): void {
  for (let folder = 0; folder < folders; folder++) {
    const path = join(bench.root, `folder-${folder}`);
    mkdirSync(path);
    writeFileSync(join(path, '0'), '');
    for (let index = 1; index < each; index++) linkSync(join(path, '0'), join(path, String(index)));
  }
}

test('a workspace with 200,000 entries is mounted, one more is too many, and the host still answers', async () => {
  fill(200, 999);
  const session = await bench.session();
  const see = () => session.call({ tool: 'see', arguments: { text: 'folder-0/1' } });
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 5);
  const started = performance.now();
  expect(await resultOf(see())).toEqual({ sees: true });
  const first = performance.now() - started;
  expect(await resultOf(see())).toEqual({ sees: true });
  const second = performance.now() - started - first;
  clearInterval(timer);
  writeFileSync(join(bench.root, 'more'), '');
  expect(await failureOf(see())).toMatchObject({
    code: 'workspace_unusable',
    message: expect.stringContaining('more than 200,000 files and folders'),
  });
  rmSync(join(bench.root, 'more'));
  expect(await resultOf(see())).toEqual({ sees: true });
  // Other work of the host gets its turn during the search. Starting a process takes some of this time.
  expect(longest).toBeLessThan(500);
  expect(first + second).toBeLessThan(30_000);
}, 120_000);
