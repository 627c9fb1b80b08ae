// After close(), every method of a host and of its sessions fails with the code `closed`, wherever the host runs.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createHost, type Host, HostError, type RemoteHost } from '../../../src/index.js';
import { openHttpHost } from '../../../src/serve/remote/http-host.js';
import { openSocketServer } from '../../../src/serve/socket/server.js';
import { openSocketHost } from '../../../src/serve/socket/socket-host.js';
import { socketPath } from '../../../src/serve/socket/socket-path.js';
import { temporaryFolder } from '../../support/toolwharf.js';

/** Every method except `close`, with its path. */
function methodsOf(owner: object, path = ''): [string, (...args: unknown[]) => unknown][] {
  return Object.entries(owner).flatMap(([name, member]) => {
    if (typeof member === 'object' && member !== null) return methodsOf(member, `${path}${name}.`);
    return typeof member === 'function' && name !== 'close' ? [[`${path}${name}`, member]] : [];
  });
}

async function codeOf(method: (...args: unknown[]) => unknown): Promise<unknown> {
  try {
    return await method();
  } catch (error) {
    return error instanceof HostError ? error.code : error;
  }
}

async function expectClosed(owner: object, least: number): Promise<void> {
  const methods = methodsOf(owner);
  expect(methods.length).toBeGreaterThan(least);
  for (const [name, method] of methods) expect([name, await codeOf(method)]).toEqual([name, 'closed']);
}

async function walk(host: Host | RemoteHost): Promise<void> {
  const options = { directories: [], root: process.cwd() };
  const [ended, open] = [await host.session(options), await host.session(options)];
  await ended.close();
  await ended.close();
  await expectClosed(ended, 12);
  // Control: the host and its other session still work.
  expect(await host.kills.list()).toEqual([]);
  expect(await open.tools()).toEqual([]);
  await host.close();
  await host.close();
  await expectClosed(host, 40);
}

test('a host in this process, and sessions that were left open', async () => {
  const folder = temporaryFolder();
  const host = await createHost({ state: join(folder.path, 'state'), warm: false });
  const left = await host.session({ directories: [], root: folder.path });
  await walk(host);
  await expectClosed(left, 12);
  expect(() => left.onChange(() => {})).toThrow('the host is closed');
  folder.remove();
});

test('a host behind the socket', async () => {
  const folder = temporaryFolder();
  const state = join(folder.path, 'state');
  const host = await createHost({ state, warm: false });
  const server = await openSocketServer(host, {
    path: socketPath(state),
    ...{ state, version: '1', now: Date.now, onBug: () => {} },
  });
  const remote = await openSocketHost({ state, version: '1', principal: 'a/cli', cwd: folder.path });
  await walk(remote as RemoteHost);
  await server.close();
  await host.close();
  folder.remove();
});

test('a host behind HTTP sends nothing after it was closed', async () => {
  const remote = openHttpHost({ url: 'http://127.0.0.1:9', token: 'tw_x' });
  const session = await remote.session({ directories: [] });
  await session.close();
  await expectClosed(session, 12);
  await remote.close();
  await expectClosed(remote, 40);
});
