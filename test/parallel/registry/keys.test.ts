import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { KeyFolder } from '../../../src/registry/keys/key-folder.js';
import { onlineSignersOf, targetsSignersOf } from '../../../src/registry/keys/role-keys.js';
import type { TargetsDocument } from '../../../src/registry/metadata/metadata-document.js';
import {
  newRegistrySigner,
  parseRegistryKeyText,
  registryKeyText,
  registrySigner,
} from '../../../src/registry/metadata/registry-key.js';
import { readSignedFile, withSignatures } from '../../../src/registry/metadata/signed-file.js';
import { parsePackageName } from '../../../src/registry/names/package-name.js';
import {
  approveNamespace,
  namespaceIn,
  signNamespace,
} from '../../../src/registry/repository/namespace-approval.js';
import { acceptNamespace, renewed, withYank } from '../../../src/registry/repository/release-publication.js';
import {
  quarantineRelease,
  releaseFromQuarantine,
} from '../../../src/registry/repository/release-quarantine.js';
import type { Keychain } from '../../../src/secrets/keychain.js';
import { consumerOf } from '../../support/registry-consumer.js';
import { dayMs, RegistryWorkbench } from '../../support/registry-workbench.js';

const open: RegistryWorkbench[] = [];
function workbench(): RegistryWorkbench {
  const bench = new RegistryWorkbench();
  open.push(bench);
  return bench;
}
afterEach(() => {
  for (const it of open.splice(0)) it.close();
});

function memoryKeychain(): Keychain & { readonly entries: Map<string, string> } {
  const entries = new Map<string, string>();
  return {
    entries,
    name: 'a test',
    read: async (id) => entries.get(id),
    write: async (id, value) => void entries.set(id, value),
    remove: async (id) => void entries.delete(id),
  };
}

test('keys are private files or entries of the keychain, are never replaced, and are read again', async () => {
  const folder = join(workbench().base, 'keys');
  const keychain = memoryKeychain();
  const keys = new KeyFolder({ folder, keychain });
  const file = await keys.create('root-1');
  const entry = await keys.create('root-2', 'keychain');
  expect(statSync(join(folder, 'root-1.key')).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(folder, 'root-2.keychain'), 'utf8')).toMatch(/^[0-9a-f]{32}$/);
  expect(keychain.entries.size).toBe(1);
  expect((await keys.list()).map((it) => [it.name, it.place, it.signer.keyId])).toEqual([
    ['root-1', 'file', file.signer.keyId],
    ['root-2', 'keychain', entry.signer.keyId],
  ]);
  for (const name of ['root-1', 'root-2'])
    await expect(keys.create(name)).rejects.toMatchObject({ code: 'usage' });
  await expect(keys.create('../x')).rejects.toMatchObject({ code: 'usage' });
  const text = registryKeyText(file.signer.key);
  expect(parseRegistryKeyText(text)).toEqual(file.signer.key);
  expect(parseRegistryKeyText(`${text}0`)).toBeUndefined();
  chmodSync(join(folder, 'root-1.key'), 0o644);
  await expect(keys.list()).rejects.toThrow(/can be read by others/);
});

test('the keys at hand are matched to their roles, and missing ones are named', async () => {
  const bench = await workbench().create();
  const view = await bench.view();
  const { online, targets } = bench.keys;
  const log = registrySigner(online.log);
  const all = [
    ...online.snapshot,
    ...online.timestamp,
    ...online.index,
    ...online.quarantine,
    ...targets,
    log,
  ];
  expect(onlineSignersOf(view, all).snapshot).toEqual(online.snapshot);
  expect(targetsSignersOf(view, all)).toEqual(targets);
  expect(() => onlineSignersOf(view, online.snapshot)).toThrow(
    /the keys for timestamp, index, quarantine, log/,
  );
});

test('members of a team sign one after the other, on different machines', async () => {
  const bench = await workbench().create();
  const team = [newRegistrySigner(), newRegistrySigner()];
  await bench.approve('team', team, 2);
  await bench.publish('team/tool', '1.0.0');
  bench.clock.now += 100 * dayMs;
  await bench.repository.change(bench.keys.online, async (change) => {
    const found = await namespaceIn(change, 'team');
    if (found?.document === undefined) throw new Error('nothing was published');
    const { bins, root } = change.view;
    const plan = { role: found.delegation.name, bins, days: root.document.days, now: change.now };
    const first = signNamespace(renewed(found.document, plan), team.slice(0, 1));
    await expect(acceptNamespace(change, 'team', first, new Map())).rejects.toThrow(
      /signed by 1 of the keys/,
    );
    const both = withSignatures(first, team.slice(1));
    expect(readSignedFile(both, 'x').signatures.length).toBe(2);
    await acceptNamespace(change, 'team', both, new Map());
  });
  const expires = (await (await bench.repository.view()).namespace('team'))?.file?.document.expires ?? '';
  expect(Date.parse(expires)).toBe(bench.clock.now + 365 * dayMs);
});

test('a list of releases under quarantine that readers would not read is not published', async () => {
  const bench = new RegistryWorkbench();
  open.push(bench);
  await bench.create();
  await bench.approve('acme');
  await bench.publish('acme/weather', '1.0.0');
  const warned = (count: number) =>
    bench.repository.change(bench.keys.online, async (change) =>
      change.setQuarantine(
        Array.from({ length: count }, (_, it) => ({
          ...{ name: 'acme/weather', version: `1.0.${it}`, reason: 'x'.repeat(500), time: change.time },
        })),
      ),
    );
  const before = (await bench.view()).timestamp.document.version;
  await expect(warned(9000)).rejects.toThrow(/readers would reject it: .* is larger than 4,194,304 bytes/);
  expect((await bench.view()).timestamp.document.version).toBe(before);
  await warned(5000);
  expect((await bench.view()).timestamp.document.version).toBe(before + 1);
});

test('a quarantine is shown to clients until it ends, and both are in the log', async () => {
  const bench = await workbench().create();
  await bench.approve('acme');
  await bench.publish('acme/weather', '1.0.0');
  const client = consumerOf(bench);
  const reasonSeen = async () =>
    (await client.namespace(await client.update(), 'acme'))?.[0]?.quarantined?.reason;
  const release = { name: parsePackageName('acme/weather'), version: '1.0.0' };
  const change = (work: typeof quarantineRelease, reason: string) =>
    bench.repository.change(bench.keys.online, (it) => work(it, { ...release, reason }));
  expect(await reasonSeen()).toBeUndefined();
  await change(quarantineRelease, 'sends files away');
  expect(await reasonSeen()).toBe('sends files away');
  const size = client.head?.size ?? 0;
  await change(releaseFromQuarantine, 'was a false alarm');
  expect(await reasonSeen()).toBeUndefined();
  expect(client.head?.size).toBe(size + 1);
  await expect(change(releaseFromQuarantine, 'again')).rejects.toMatchObject({ code: 'not_found' });
});

test('a new owner signs exactly what was published: a withdrawal is not part of a replacement of keys', async () => {
  const bench = await workbench().create();
  await bench.approve('acme');
  await bench.publish('acme/weather', '1.0.0');
  const owner = newRegistrySigner();
  const view = await bench.view();
  const found = await view.namespace('acme');
  const { bins, root } = view;
  const plan = { role: found?.role ?? '', bins, days: root.document.days, now: bench.clock.now };
  const old = found?.file?.document;
  if (old === undefined) throw new Error('nothing was published');
  const replace = (document: TargetsDocument) =>
    bench.repository.change(bench.keys.online, (change) =>
      approveNamespace(change, {
        ...{ namespace: 'acme', keys: [owner.key], threshold: 1, replace: true },
        ...{ targetsSigners: bench.keys.targets, ownerFile: signNamespace(document, [owner]) },
      }),
    );
  const release = { name: parsePackageName('acme/weather'), version: '1.0.0', reason: 'mine now' };
  await expect(replace(withYank(old, release, plan))).rejects.toThrow(/signed something else/);
  await replace(renewed(old, plan));
  const [kept] = (await (await bench.view()).namespace('acme'))?.releases ?? [];
  expect(kept).toMatchObject({ version: '1.0.0', yanked: undefined });
});
