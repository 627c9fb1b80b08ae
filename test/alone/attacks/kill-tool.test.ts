// SECURITY.md: "The kill switch stops everything". A tool cannot lift it by deleting the file and the
// database.
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/toolwharf.js';
import { failureOf, pythonTool, resultOf, type Workbench, workbench } from '../../support/workbench.js';

const attempt = (folder: string) => [
  'gone = []',
  'for name in ("KILL", "toolwharf.db", "toolwharf.db-wal"):',
  `    path = os.path.join(${JSON.stringify(folder)}, name)`,
  '    try:',
  '        os.remove(path)',
  '        gone.append(name)',
  '    except OSError as error:',
  '        pass',
];

let bench: Workbench;
const control = temporaryFolder();
beforeAll(async () => {
  bench = await workbench({ 'look.py': pythonTool({ name: 'look', body: ['return {}'] }) });
});
afterAll(async () => {
  await bench.close();
  control.remove();
});

test('a tool cannot delete files of the state directory', async () => {
  const state = join(bench.path, 'state');
  chmodSync(bench.path, 0o777);
  bench.write({
    'lift.py': pythonTool({
      name: 'lift',
      body: [...attempt(state), 'return {"gone": gone}'],
      filesystem: 'read-write',
    }),
  });
  // Name the package, so that it does not need review.
  await bench.host.session({ directories: [join(bench.packages, 'lift.py')], root: bench.path });
  const session = await bench.session({ root: bench.path });
  await bench.host.kills.set('look', 'tester');
  writeFileSync(join(state, 'KILL'), 'look\n');
  const database = readFileSync(join(state, 'toolwharf.db')).length;
  expect(await resultOf(session.call({ tool: 'lift/lift', arguments: {} }))).toEqual({ gone: [] });
  expect(existsSync(join(state, 'KILL'))).toBe(true);
  expect(readFileSync(join(state, 'toolwharf.db')).length).toBe(database);
  expect(await failureOf(session.call({ tool: 'look/look', arguments: {} }))).toMatchObject({
    code: 'killed',
  });
});

test('control: without a sandbox, the same code deletes such files', () => {
  const folder = join(control.path, 'state');
  mkdirSync(folder);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(folder, 65533, 65533);
  writeFileSync(join(folder, 'KILL'), '');
  const script = ['import os', ...attempt(folder), 'print(gone)'].join('\n');
  const user = isRoot ? { uid: 65533, gid: 65533 } : {};
  const done = spawnSync('/usr/bin/python3', ['-c', script], { ...user, encoding: 'utf8' });
  expect(done.stdout.trim()).toBe("['KILL']");
});
