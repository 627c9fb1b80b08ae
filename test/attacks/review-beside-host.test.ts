// Looking at a package before agreeing to it, while a host runs: the wish to look only must reach the host.
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHost, type Host, type SessionOptions } from '../../src/index.js';
import { socketPath } from '../../src/serve/socket/path.js';
import { remoteHost } from '../../src/serve/socket/remote-host.js';
import { listen, type SocketServer } from '../../src/serve/socket/server.js';
import { patchTool, temporaryFolder } from '../toolwharf.js';

let folder: ReturnType<typeof temporaryFolder>;
let host: Host;
let server: SocketServer;
let remote: Host;
const version = '9.9.9';
const state = () => join(folder.path, 'state');

beforeEach(async () => {
  folder = temporaryFolder({ 'downloads/evil.py': patchTool({ name: 'evil' }) });
  host = await createHost({ state: state(), watch: false, warm: false });
  server = await listen(host, { path: socketPath(state()), version, now: Date.now, onBug: () => {} });
  remote = (await remoteHost({ state: state(), version, principal: 'p/cli', cwd: folder.path })) as Host;
});
afterEach(async () => {
  await remote.close();
  await server.close();
  await host.close();
  folder.remove();
});

async function stateIn(of: Host, options: Partial<SessionOptions> = {}): Promise<string | undefined> {
  const directories = [join(folder.path, 'downloads')];
  const session = await of.session({ principal: 'p/cli', root: folder.path, directories, ...options });
  const { packages } = await session.packages();
  await session.close();
  return packages.find((it) => it.id === 'evil')?.state;
}

test('whoever looks through a host that runs agrees to nothing', async () => {
  expect(await stateIn(remote, { looking: true })).toBe('needs-review');
  expect(await stateIn(remote, { looking: true })).toBe('needs-review');
  expect(await stateIn(host, { looking: true })).toBe('needs-review');
  // Naming it without looking only is what agrees.
  expect(await stateIn(remote)).toBe('ready');
});

test('what was named reaches the host beside what is searched', async () => {
  const elsewhere = { named: [join(folder.path, 'elsewhere')] };
  expect(await stateIn(remote, elsewhere)).toBe('needs-review');
  expect(await stateIn(remote, { named: [folder.path] })).toBe('ready');
});
