// SECURITY.md: "Changes need review". The intent of a session must also hold through a running host.
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHost, type Host, type SessionOptions } from '../../../src/index.js';
import { openSocketServer, type SocketServer } from '../../../src/serve/socket/server.js';
import { openSocketHost } from '../../../src/serve/socket/socket-host.js';
import { socketPath } from '../../../src/serve/socket/socket-path.js';
import { patchTool, temporaryFolder } from '../../support/toolwharf.js';

let folder: ReturnType<typeof temporaryFolder>;
let host: Host;
let server: SocketServer;
let client: Host;
const version = '9.9.9';
const state = () => join(folder.path, 'state');

beforeEach(async () => {
  folder = temporaryFolder({ 'downloads/evil.py': patchTool({ name: 'evil' }) });
  host = await createHost({ state: state(), watch: false, warm: false });
  server = await openSocketServer(host, {
    path: socketPath(state()),
    version,
    state: state(),
    now: Date.now,
    onBug: () => {},
  });
  client = (await openSocketHost({ state: state(), version, principal: 'p/cli', cwd: folder.path })) as Host;
});
afterEach(async () => {
  await client.close();
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

test('looking at a package through a running host does not accept it', async () => {
  for (const intent of ['look', 'review', 'look'] as const) {
    expect(await stateIn(client, { intent })).toBe('needs-review');
    expect(await stateIn(host, { intent })).toBe('needs-review');
  }
  // Control: naming it in order to use it accepts it.
  expect(await stateIn(client)).toBe('ready');
});

test('the places to accept reach the host separately from the searched folders', async () => {
  const elsewhere = { accept: { in: [join(folder.path, 'elsewhere')], by: 'p/cli' } };
  expect(await stateIn(client, { accept: null })).toBe('needs-review');
  expect(await stateIn(client, elsewhere)).toBe('needs-review');
  expect(await stateIn(client, { accept: { in: [folder.path], by: 'p/cli' } })).toBe('ready');
});
