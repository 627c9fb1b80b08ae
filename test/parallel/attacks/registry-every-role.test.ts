// The attacks on metadata for every role, not only for one of each kind: expiry, too few signatures, too much data, and one key
// for two roles. Wherever it knows the same rule, another client (tuf-js) must say the same.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/model/json.js';
import { updateSearchIndex } from '../../../src/registry/client/package-search.js';
import { metadataLimits } from '../../../src/registry/metadata/metadata-check.js';
import { newRegistrySigner, type RegistrySigner } from '../../../src/registry/metadata/registry-key.js';
import { writeSignedFile } from '../../../src/registry/metadata/signed-file.js';
import { parsePackageName } from '../../../src/registry/names/package-name.js';
import { quarantineRelease } from '../../../src/registry/repository/release-quarantine.js';
import { consumerOf, versionsSeen } from '../../support/registry-consumer.js';
import {
  forge,
  forgeOnline,
  metadataPath,
  readSigned,
  type Signed,
  versionsOf,
} from '../../support/registry-forgery.js';
import { newRegistryKeys, RegistryWorkbench } from '../../support/registry-workbench.js';
import { TufOracle } from '../../support/tuf-oracle.js';

const open: { close(): void }[] = [];
afterEach(() => {
  for (const it of open.splice(0)) it.close();
});

const roles = [
  'root',
  'timestamp',
  'snapshot',
  'targets',
  'bin',
  'namespace',
  'index',
  'quarantine',
] as const;
type Role = (typeof roles)[number];

class Scene {
  readonly bench = new RegistryWorkbench();
  path = '';

  async open(): Promise<this> {
    open.push(this.bench);
    // The oracle has no other clock.
    this.bench.clock.now = Date.now();
    await this.bench.create();
    await this.bench.approve('acme');
    await this.bench.publish('acme/weather', '1.0.0');
    await this.bench.publish('acme/weather', '1.1.0');
    await this.bench.repository.change(this.bench.keys.online, (change) =>
      quarantineRelease(change, { name: parsePackageName('acme/weather'), version: '1.0.0', reason: 'bad' }),
    );
    const [release] = (await (await this.bench.view()).namespace('acme'))?.releases ?? [];
    this.path = release?.path ?? '';
    return this;
  }

  /** The file of a role, and the keys that sign it. */
  async fileOf(role: Role): Promise<{ file: string; signers: readonly RegistrySigner[]; name: string }> {
    const { root, targets, online } = this.bench.keys;
    const { snapshot, of } = versionsOf(this.bench.folder);
    const own = await (await this.bench.view()).namespace('acme');
    const bin = `bin-${own?.role.split('-')[1]}`;
    const named = {
      bin,
      namespace: own?.role ?? '',
      targets: 'targets',
      index: 'index',
      quarantine: 'quarantine',
    };
    if (role === 'root') return { file: '1.root.json', signers: root, name: role };
    if (role === 'timestamp') return { file: 'timestamp.json', signers: online.timestamp, name: role };
    if (role === 'snapshot')
      return { file: `${snapshot}.snapshot.json`, signers: online.snapshot, name: role };
    const name = named[role];
    const signers = {
      ...{ bin: targets, targets, index: online.index, quarantine: online.quarantine },
      namespace: this.bench.publishers.get('acme') ?? [],
    }[role];
    return { file: `${of(name)}.${name}.json`, signers, name };
  }

  /** Writes the next version of a role's file, and everything above it, as somebody with all those keys. */
  async forge(role: Role, change: (signed: Signed) => void, by?: readonly RegistrySigner[]): Promise<void> {
    const { folder } = this.bench;
    const { file, signers, name } = await this.fileOf(role);
    const next = (signed: Signed) => {
      signed.version += 1;
      change(signed);
    };
    if (role === 'root') forge(folder, file, next, by ?? signers, '2.root.json');
    else if (role === 'timestamp') forge(folder, file, next, by ?? signers);
    else if (role === 'snapshot') this.#forgeSnapshot(change, by ?? signers);
    else {
      const version = readSigned(folder, file).version + 1;
      forge(folder, file, next, by ?? signers, `${version}.${name}.json`);
      forgeOnline(folder, (meta) => (meta[`${name}.json`] = { version }), this.bench.keys.online);
    }
  }

  #forgeSnapshot(change: (signed: Signed) => void, snapshot: readonly RegistrySigner[]): void {
    const { folder, keys } = this.bench;
    const before = versionsOf(folder).snapshot;
    // The same steps as for a changed list, but the change is one of the file itself.
    forge(folder, `${before}.snapshot.json`, change, snapshot);
    forgeOnline(folder, () => {}, { snapshot, timestamp: keys.online.timestamp });
  }

  /** Everything that a client reads: the namespace, the search index and the list of releases under quarantine. */
  async read(): Promise<void> {
    const client = consumerOf(this.bench);
    const state = await client.update();
    await client.namespace(state, 'acme');
    await updateSearchIndex(client, state);
  }

  /** Undefined: the oracle read the release. */
  async oracle(): Promise<Error | undefined> {
    const oracle = new TufOracle(this.bench.firstRoot);
    open.push(oracle);
    return oracle.read(this.bench.folder, this.path).then(
      () => undefined,
      (error: Error) => error,
    );
  }
}

/** The oracle does not read the registry's own roles on the way to a release. */
const oracleReads = (role: Role) => role !== 'index' && role !== 'quarantine';

describe.each(roles)('the role %s', (role) => {
  test('control: signed again by its own keys, it is accepted by both clients', async () => {
    const it = await new Scene().open();
    await it.forge(role, () => {});
    await it.read();
    expect(await it.oracle()).toBeUndefined();
  });

  test('expired is rejected, and the message names it', async () => {
    const it = await new Scene().open();
    await it.forge(role, (signed) => (signed.expires = '2020-01-01T00:00:00Z'));
    await expect(it.read()).rejects.toThrow(/expired at 2020-01-01/);
    if (oracleReads(role)) expect(await it.oracle()).toBeDefined();
  });

  test('signed by a key of nobody is rejected', async () => {
    const it = await new Scene().open();
    await it.forge(role, () => {}, [newRegistrySigner()]);
    await expect(it.read()).rejects.toThrow(/is signed by 0 of the keys/);
    if (oracleReads(role)) expect(await it.oracle()).toBeDefined();
  });

  test('signed by the keys of each other role is rejected', async () => {
    const it = await new Scene().open();
    const own = (await it.fileOf(role)).signers.map((signer) => signer.keyId);
    const { root, targets, online } = it.bench.keys;
    const all = [root, targets, online.snapshot, online.timestamp, online.index, online.quarantine];
    const others = all.flat().filter((signer) => !own.includes(signer.keyId));
    await it.forge(
      role,
      () => {},
      [...others, ...(it.bench.publishers.get('acme') ?? [])].filter((signer) => !own.includes(signer.keyId)),
    );
    await expect(it.read()).rejects.toThrow(/is signed by 0 of the keys/);
    if (oracleReads(role)) expect(await it.oracle()).toBeDefined();
  });

  test('larger than a client reads is rejected before it is parsed', async () => {
    const it = await new Scene().open();
    const limit =
      role === 'root' || role === 'timestamp' || role === 'snapshot'
        ? metadataLimits[role]
        : metadataLimits.targets;
    await it.forge(role, (signed) => (signed['x-filler'] = 'a'.repeat(limit)));
    await expect(it.read()).rejects.toThrow(/is larger than/);
  });

  test('nested very deeply is rejected, and not by a full stack', async () => {
    const it = await new Scene().open();
    const { file } = await it.fileOf(role);
    const target = role === 'root' ? '2.root.json' : file;
    const deep = `{"signatures":[],"signed":${'['.repeat(10_000)}${']'.repeat(10_000)}}`;
    writeFileSync(metadataPath(it.bench.folder, target), deep);
    await expect(it.read()).rejects.toMatchObject({ code: 'integrity' });
  });

  test('with very many signatures is rejected', async () => {
    const it = await new Scene().open();
    const { signers } = await it.fileOf(role);
    const many = Array.from({ length: 65 }, () => newRegistrySigner());
    await it.forge(role, () => {}, [...signers, ...many]);
    await expect(it.read()).rejects.toThrow(/too many signatures/);
  });
});

test.each([0, -1, 2, '1', null])('a threshold of %j for one key is rejected', async (threshold) => {
  const it = await new Scene().open();
  await it.forge('bin', (signed) => {
    const { roles: list } = signed.delegations as { roles: { threshold: unknown }[] };
    for (const delegation of list) delegation.threshold = threshold;
  });
  await expect(it.read()).rejects.toMatchObject({ code: 'integrity' });
});

describe('one key for two roles', () => {
  test.each([
    ['index', 'quarantine'],
    ['index', 'timestamp'],
    ['quarantine', 'snapshot'],
    ['index', 'targets'],
  ] as const)('%s and %s is rejected by a client', async (role, other) => {
    const it = await new Scene().open();
    const { targets, online } = it.bench.keys;
    const [signer] = other === 'targets' ? targets : online[other];
    await it.forge('targets', (signed) => {
      const delegations = signed.delegations as {
        keys: Record<string, unknown>;
        roles: { name: string; keyids: string[] }[];
      };
      delegations.keys[signer?.keyId ?? ''] = signer?.key;
      for (const it of delegations.roles) if (it.name === role) it.keyids = [signer?.keyId ?? ''];
    });
    await expect(it.read()).rejects.toThrow(/one key is for/);
  });

  test('no registry is created with one, and no namespace gets a key of the registry', async () => {
    const bench = new RegistryWorkbench();
    open.push(bench);
    const keys = newRegistryKeys();
    bench.keys = { ...keys, online: { ...keys.online, index: keys.online.timestamp } };
    await expect(bench.create()).rejects.toThrow(/one key is for/);
    const { bench: good } = await new Scene().open();
    for (const signer of [
      ...good.keys.targets,
      ...good.keys.online.timestamp,
      ...good.keys.online.quarantine,
    ])
      await expect(good.approve('other', [signer])).rejects.toThrow(/the registry's own key for/);
    await good.approve('other');
  });
});

test('a snapshot of the right length and version that another one replaced is rejected', async () => {
  const it = await new Scene().open();
  const { snapshot } = versionsOf(it.bench.folder);
  const path = metadataPath(it.bench.folder, `${snapshot}.snapshot.json`);
  const bytes = readFileSync(path);
  const signed = JSON.parse(bytes.toString('utf8')) as { signed: JsonObject };
  const other = writeSignedFile(signed.signed, [newRegistrySigner()]);
  writeFileSync(path, other);
  expect(other.length).toBe(bytes.length);
  await expect(it.read()).rejects.toThrow(/its hash is/);
  expect(await it.oracle()).toBeDefined();
  rmSync(path);
  await expect(it.read()).rejects.toThrow(/has no metadata/);
  writeFileSync(path, bytes);
  expect(await versionsSeen(consumerOf(it.bench), 'acme')).toHaveLength(2);
});
