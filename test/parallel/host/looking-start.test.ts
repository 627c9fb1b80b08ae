// A host that only looks leaves no trace in the audit log, if nothing else is recorded and nothing is behind.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHost, type HostOptions } from '../../../src/index.js';
import { temporaryFolder } from '../../support/toolwharf.js';

const folder = temporaryFolder();
let state: string;
const open = (options: Partial<HostOptions> = {}) =>
  createHost({ state, keychain: null, audit: { anchorFolder: join(folder.path, 'anchors') }, ...options });

/** The kinds of the entries that a host adds. */
async function added(options: Partial<HostOptions>, use = async (_: Awaited<ReturnType<typeof open>>) => {}) {
  const host = await open(options);
  const before = (await host.auditTail(1))[0]?.seq ?? 0;
  await use(host);
  await host.close();
  const after = await open({ onlyLooks: true });
  const tail = await after.auditTail(50);
  await after.close();
  return tail.filter((it) => it.seq > before).map((it) => it.kind);
}

beforeEach(async () => {
  state = join(folder.path, 'state');
  await (await open()).close();
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

test('it adds nothing; any other host adds its start', async () => {
  expect(await added({ onlyLooks: true })).toEqual([]);
  const host = await open();
  expect((await host.auditTail(1))[0]).toMatchObject({ kind: 'start' });
  await host.close();
});

test('its start is recorded before the first other entry', async () => {
  const kinds = await added({ onlyLooks: true }, async (it) => void (await it.kills.set('all', 'tester')));
  expect(kinds.filter((it) => it !== 'checkpoint')).toEqual(['start', 'operator']);
});

test('if the anchor is missing, the start brings it up to date', async () => {
  rmSync(join(folder.path, 'anchors'), { recursive: true });
  const host = await open({ onlyLooks: true });
  expect((await host.auditTail(1))[0]).toMatchObject({ kind: 'start' });
  await host.close();
});
