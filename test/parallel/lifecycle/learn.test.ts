// What a package really used becomes the smallest grant, and is enforced once somebody agreed.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Session } from '../../../src/index.js';
import { type LoopbackServer, loopbackServer, until } from '../../support/toolwharf.js';
import { pythonTool, type Workbench, workbench } from '../../support/workbench.js';

const by = 'operator';
const tool = pythonTool({
  name: 'reader',
  network: true,
  filesystem: 'read-write',
  head: ['import urllib.request'],
  body: [
    'if text.startswith("http"):',
    '    try:',
    '        return {"got": urllib.request.urlopen(text).read().decode()}',
    '    except Exception as error:',
    '        return {"failed": str(error)}',
    'if text == "write":',
    '    try:',
    '        open("made.txt", "w").write("x")',
    '        return {"wrote": True}',
    '    except Exception as error:',
    '        return {"failed": str(error)}',
    'return {"read": os.listdir(".")}',
  ],
});

let bench: Workbench;
let used: LoopbackServer;
let other: LoopbackServer;
let session: Session;
beforeEach(async () => {
  used = await loopbackServer((_, response) => response.end('used'));
  other = await loopbackServer((_, response) => response.end('other'));
  bench = await workbench({ 'reader.py': tool });
  session = await open();
});
afterEach(async () => {
  await bench.close();
  await used.close();
  await other.close();
});

const laterThan = async (time: number) => {
  await until(() => Date.now() > time);
  return Date.now();
};
const place = ({ port }: LoopbackServer) => `127.0.0.1:${port}`;
const open = (directories = [bench.packages]) =>
  bench.session({
    directories,
    allow: [used, other].map((it) => `reader=net:${place(it)}`),
  });
const call = async (text: string) => {
  const answer = await session.call({ tool: 'reader/reader', arguments: { text } });
  expect(answer.status).toBe('ok');
  return (answer as { result: Record<string, unknown> }).result;
};
const get = (server: LoopbackServer) => call(`http://${place(server)}/`);
const propose = (since?: number) => session.learning.propose({ package: 'reader', since });

test('a host that was never used is denied after learning, and allowed again after undo', async () => {
  // Control: without learning both are allowed.
  expect(await get(other)).toEqual({ got: 'other' });
  const since = await laterThan(Date.now());
  expect(await get(used)).toEqual({ got: 'used' });
  const proposal = await propose(since);
  expect(proposal).toMatchObject({
    observed: { calls: 1 },
    tools: { called: { reader: 1 }, never: [] },
    current: { network: ['public', ...[used, other].map(place).sort()], filesystem: 'read-write' },
    used: { hosts: [place(used)], changed: null },
    proposed: { network: [place(used)], filesystem: 'read-write' },
    removes: ['net:public', `net:${place(other)}`],
    narrowing: { network: [place(used)], noWriting: false },
    warnings: ['only one call was observed'],
  });
  // Nobody watched the files, so nothing is said about them.
  expect(proposal.unobserved.join()).toContain('writing stays allowed');
  await session.learning.apply({ package: 'reader', ...proposal.narrowing, by });
  expect(await get(used)).toEqual({ got: 'used' });
  const count = other.requests.length;
  expect(await get(other)).toEqual({ failed: expect.stringContaining('403') });
  expect(other.requests).toHaveLength(count);
  expect((await session.packages()).packages[0]?.narrowed).toEqual([`network only to ${place(used)}`]);
  // Also in a session that opens later, and with what was denied in the next proposal.
  session = await open();
  expect(await get(other)).toEqual({ failed: expect.stringContaining('403') });
  expect((await propose(since)).missing).toContain(`net:${place(other)}`);
  expect(await session.learning.undo('reader', by)).toBe(true);
  expect(await get(other)).toEqual({ got: 'other' });
  expect(await session.learning.undo('reader', by)).toBe(false);
  const log = (await bench.host.auditTail(200)).map((it) => (it.body as { operation?: string }).operation);
  expect(log).toEqual(expect.arrayContaining(['narrow', 'undo narrowing']));
});

test('a package that changes no files while it is watched loses writing', async () => {
  // Control: without learning it can write.
  const made = join(bench.root, 'made.txt');
  expect(await call('write')).toEqual({ wrote: true });
  expect(existsSync(made)).toBe(true);
  rmSync(made);
  const { since } = await session.learning.watch({ package: 'reader', seconds: 60 });
  // The time of files is less exact than the clock.
  await laterThan(since + 50);
  expect(await call('look')).toEqual({ read: [] });
  const proposal = await propose();
  expect(proposal).toMatchObject({
    observed: { since },
    used: { changed: [] },
    proposed: { filesystem: 'read-only' },
    narrowing: { network: [], noWriting: true },
  });
  await session.learning.apply({ package: 'reader', ...proposal.narrowing, by });
  expect(await call('write')).toEqual({ failed: expect.stringContaining('ead-only') });
  expect(existsSync(made)).toBe(false);
});

test('a package that changes files while it is watched keeps writing', async () => {
  await session.learning.watch({ package: 'reader', seconds: 60 });
  expect(await call('write')).toEqual({ wrote: true });
  const proposal = await propose();
  expect(proposal.used.changed).toEqual(expect.arrayContaining(['made.txt']));
  expect(proposal).toMatchObject({ proposed: { filesystem: 'read-write' }, narrowing: { noWriting: false } });
});

test('without calls nothing is proposed', async () => {
  expect(await propose()).toMatchObject({
    removes: [],
    warnings: ['no call was observed, so nothing is proposed'],
    narrowing: { network: null, noWriting: false },
  });
});

test('the narrowing of an installed package stays over an update, and its plan says so', async () => {
  const source = join(bench.packages, 'reader.py');
  session = await open([]);
  const allow = ['net:public', 'files:read-write'];
  const install = async () => {
    const { digest } = await session.installations.plan({ source, allow });
    await session.installations.install({ source, allow, agree: digest, skipSmoke: true, by });
  };
  await install();
  await session.learning.apply({ package: 'reader', network: [place(used)], noWriting: false, by });
  bench.write({ 'reader.py': tool.replace('"1.0.0"', '"1.1.0"') });
  const { warnings } = await session.installations.plan({ source, allow });
  expect(warnings.join('\n')).toContain(`you narrowed it: network only to ${place(used)}`);
  expect(warnings.join('\n')).toContain('it asks for more than that: any public host');
  await install();
  expect(await get(used)).toEqual({ got: 'used' });
  expect(await get(other)).toEqual({ failed: expect.stringContaining('403') });
  // A removed package leaves no narrowing behind.
  await session.installations.remove({ package: 'reader', by });
  await install();
  expect(await get(other)).toEqual({ got: 'other' });
});

test('a host is added only by name', async () => {
  const far = await loopbackServer((_, response) => response.end('far'));
  try {
    expect(await get(far)).toEqual({ failed: expect.stringContaining('403') });
    const grants = [`net:${place(far)}`];
    await session.learning.apply({ package: 'reader', network: null, noWriting: false, grants, by });
    expect(await get(far)).toEqual({ got: 'far' });
    for (const wrong of [['read:/etc'], ['net:a b'], ['other=net:x:1']])
      await expect(
        session.learning.apply({ package: 'reader', network: null, noWriting: false, grants: wrong, by }),
      ).rejects.toMatchObject({ code: 'usage' });
  } finally {
    await far.close();
  }
});
