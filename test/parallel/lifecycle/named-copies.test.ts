// A package that was installed from the folder where commands search for packages: which of the two is used.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { counterPackage } from '../../support/lifecycle-packages.js';
import { temporaryFolder, toolwharf } from '../../support/toolwharf.js';

let folder: ReturnType<typeof temporaryFolder>;
beforeAll(() => {
  const files = Object.entries(counterPackage()).map(([path, text]) => [`work/${path}`, String(text)]);
  const other = String(counterPackage()['counter/toolspace.json']).replace(
    '"id": "counter"',
    '"id": "other"',
  );
  folder = temporaryFolder({ ...Object.fromEntries(files), 'work/other/toolspace.json': other });
});
afterAll(() => folder.remove());

const run = (...args: readonly string[]) =>
  toolwharf(args, {
    cwd: join(folder.path, 'work'),
    env: { HOME: folder.path, XDG_CONFIG_HOME: '', TOOLWHARF_HOME: join(folder.path, 'state') },
  });

test('a search that comes across the source of an installed package serves what was installed', async () => {
  expect((await run('list')).stdout).toMatch(/^counter .* needs-review/m);
  expect(await run('install', './counter', '--yes')).toMatchObject({ code: 0 });
  appendFileSync(join(folder.path, 'work/counter/counter.py'), '\nraise SystemExit("edited")\n');
  expect((await run('list')).stdout).toMatch(/^counter .* ready/m);
  expect(await run('call', 'counter/count', '{"text":"a b"}')).toMatchObject({ code: 0 });
  // The control: other packages in the folder still need review.
  expect((await run('list')).stdout).toMatch(/^other .* needs-review/m);
}, 60_000);

test('a person who names the folder means it, with its edits', async () => {
  expect((await run('list', './counter')).stdout).toMatch(/^counter .* needs-review/m);
  expect(await run('review', 'counter', '--yes')).toMatchObject({ code: 0 });
  expect(await run('call', 'counter/count', '{"text":"a b"}')).toMatchObject({
    stderr: expect.stringContaining('edited'),
  });
}, 60_000);
