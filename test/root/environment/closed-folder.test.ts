// A host that runs as root installs packages as another user, who cannot enter every folder of root.
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { environmentStore } from '../../../src/environment/environment-store.js';
import { removeTree } from '../../../src/environment/file-tree.js';
import { openEgress } from '../../../src/net/egress.js';
import { bubblewrap } from '../../../src/sandbox/bubblewrap/bubblewrap.js';
import { findPython } from '../../../src/sandbox/interpreter.js';
import { defaultSandboxLimits } from '../../../src/sandbox/sandbox.js';
import { wheel } from '../../support/archive.js';
import { temporaryFolder } from '../../support/toolwharf.js';

const sandbox = bubblewrap();
const python = findPython('3.11', sandbox.user, '/nonexistent');

test('an environment folder that the sandbox user cannot enter is rejected with the reason', async () => {
  const { path } = temporaryFolder();
  const made = wheel('shout', '1.0', '', []);
  writeFileSync(join(path, made.file), made.bytes);
  const closed = join(path, 'closed');
  const folder = join(closed, 'environments');
  mkdirSync(closed, { mode: 0o700 });
  const prepare = () =>
    environmentStore({
      folder,
      sandbox,
      sources: { findLinks: [path] },
      openEgress,
      newName: () => randomUUID().slice(0, 8),
    }).prepare(
      { language: 'python', requirements: ['shout==1.0'], interpreter: python },
      { signal: new AbortController().signal },
    );
  await expect(prepare()).rejects.toMatchObject({ code: 'state_unusable' });
  // Control: a folder that can be entered but not listed is enough.
  chmodSync(closed, 0o711);
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o711);
  const installed = await prepare();
  const child = sandbox.spawn({
    argv: [python.path, '-c', 'import shout'],
    directory: '/tmp',
    environment: { PATH: '/usr/bin:/bin', PYTHONPATH: '/packages' },
    mounts: [...python.mounts, { source: installed.folder, target: '/packages', writable: false }],
    hidden: [],
    limits: defaultSandboxLimits,
    limitAddressSpace: true,
    egress: null,
  });
  child.stdin.end();
  expect(await child.exited).toMatchObject({ code: 0 });
  await removeTree(path);
});
