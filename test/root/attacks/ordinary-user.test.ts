// SECURITY.md: "No root, no fallback". The sandbox needs no root: it is the same for a host of an ordinary user.

import { spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { main, patchTool, temporaryFolder } from '../../support/toolwharf.js';

const user = { uid: 65532, gid: 65532 };

test('a host of an ordinary user isolates tools too', async () => {
  const body = '    import os\n    return {"uid": os.getuid(), "seen": os.path.exists(text)}';
  const folder = temporaryFolder({ 'secret.txt': 'REACHED\n', 'who.py': patchTool({ name: 'who', body }) });
  const home = join(folder.path, 'ordinary');
  mkdirSync(home);
  chownSync(home, user.uid, user.gid);
  const secret = join(folder.path, 'secret.txt');
  chmodSync(secret, 0o644);
  const run = async (...argv: string[]) => {
    const child = spawn(argv[0] as string, argv.slice(1), {
      ...user,
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', HOME: home },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    for await (const chunk of child.stdout) printed += chunk;
    return printed;
  };
  // Control: this user can read the file.
  expect(await run('/bin/cat', secret)).toBe('REACHED\n');
  const given = JSON.stringify({ text: secret });
  const state = join(home, 'state');
  const tool = join(folder.path, 'who.py');
  const printed = await run(process.execPath, main, 'call', '--json', tool, given, '--state', state);
  expect(JSON.parse(printed)).toMatchObject({ status: 'ok', result: { uid: 65534, seen: false } });
  folder.remove();
});
