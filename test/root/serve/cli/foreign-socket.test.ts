// Another user of the machine pretends to be the host of this user.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { socketPath } from '../../../../src/serve/socket/socket-path.js';
import { patchTool, temporaryFolder, toolwharf } from '../../../support/toolwharf.js';

test('a command does not connect to a socket of another user', async () => {
  const folder = temporaryFolder({ 'word_count.py': patchTool({ name: 'word_count' }) });
  const state = join(folder.path, 'long', 'x'.repeat(100));
  const place = socketPath(state);
  const impostor = `const fs=require('fs');fs.mkdirSync(${JSON.stringify(dirname(place))},{mode:0o777});require('net').createServer((s)=>s.end('{"toolwharf":"welcome"}\\n')).listen(${JSON.stringify(place)},()=>{fs.chmodSync(${JSON.stringify(place)},0o777);console.log('up')})`;
  const child = spawn(process.execPath, ['-e', impostor], {
    uid: 65532,
    gid: 65532,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const done = await toolwharf(['list', folder.path, '--state', state]);
  child.kill();
  rmSync(dirname(place), { recursive: true, force: true });
  folder.remove();
  expect(done).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not a folder that only you can write to'),
  });
});
