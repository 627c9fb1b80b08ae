// The attacks of the TUF specification (section 1.5), and what stolen keys can do. Wherever it knows the same rule, another
// client (tuf-js) must say the same.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/files/sha256.js';
import type { RegistryClient } from '../../../src/registry/client/registry-client.js';
import { newRegistrySigner } from '../../../src/registry/metadata/registry-key.js';
import { approveNamespace } from '../../../src/registry/repository/namespace-approval.js';
import { rotateRoles } from '../../../src/registry/repository/role-rotation.js';
import { consumerOf, versionsSeen } from '../../support/registry-consumer.js';
import { forge, forgeOnline, metadataPath, readSigned, versionsOf } from '../../support/registry-forgery.js';
import { dayMs, RegistryWorkbench } from '../../support/registry-workbench.js';
import { TufOracle } from '../../support/tuf-oracle.js';

const open: { close(): void }[] = [];
afterEach(() => {
  for (const it of open.splice(0)) it.close();
});

interface Scene {
  readonly bench: RegistryWorkbench;
  readonly client: RegistryClient;
  readonly oracle: TufOracle;
  readonly path: string;
}

/** A registry that a client and the oracle have read once. Its time is now, because the oracle has no other clock. */
async function scene(): Promise<Scene> {
  const bench = new RegistryWorkbench();
  open.push(bench);
  bench.clock.now = Date.now();
  await bench.create();
  await bench.approve('acme');
  await bench.publish('acme/weather', '1.0.0');
  const client = consumerOf(bench);
  const oracle = new TufOracle(bench.firstRoot);
  open.push(oracle);
  const [found] = (await client.namespace(await client.update(), 'acme')) ?? [];
  const path = found?.release.path ?? '';
  expect(await oracle.read(bench.folder, path)).toBeDefined();
  return { bench, client, oracle, path };
}

/** Both clients reject the registry, ours with this message; and what ours trusts stays as it was. */
async function expectRejected(
  { bench, client, oracle, path }: Scene,
  message: RegExp,
  oracleToo = true,
): Promise<void> {
  const before = client.head?.note;
  const kept = () => {
    const trusted = client.store.trusted();
    return sha256(
      Buffer.concat([
        trusted.root,
        trusted.timestamp ?? Buffer.alloc(0),
        trusted.snapshot ?? Buffer.alloc(0),
      ]),
    );
  };
  const trusted = kept();
  await expect(versionsSeen(client, 'acme')).rejects.toThrow(message);
  expect(client.head?.note).toBe(before);
  expect(kept()).toBe(trusted);
  if (oracleToo) await expect(oracle.read(bench.folder, path)).rejects.toThrow();
}

/** The control: both clients accept the registry. */
async function expectAccepted({ bench, client, oracle, path }: Scene): Promise<void> {
  expect(await versionsSeen(client, 'acme')).toContain('acme/weather@1.0.0');
  expect(await oracle.read(bench.folder, path)).toBeDefined();
}

test('rollback: an older copy of the registry is rejected, and a new client cannot notice', async () => {
  const it = await scene();
  const older = join(it.bench.base, 'older');
  cpSync(it.bench.folder, older, { recursive: true });
  await it.bench.publish('acme/weather', '1.1.0');
  await expectAccepted(it);
  rmSync(it.bench.folder, { recursive: true });
  cpSync(older, it.bench.folder, { recursive: true });
  await expectRejected(it, /went back: the timestamp has the version/);
  expect(await versionsSeen(consumerOf(it.bench), 'acme')).toEqual(['acme/weather@1.0.0']);
});

test('rollback: one role of an older version in a new snapshot is rejected', async () => {
  const it = await scene();
  await it.bench.publish('acme/weather', '1.1.0');
  await expectAccepted(it);
  const role = (await (await it.bench.view()).namespace('acme'))?.role ?? '';
  forgeOnline(it.bench.folder, (meta) => (meta[`${role}.json`] = { version: 1 }), it.bench.keys.online);
  await expectRejected(it, new RegExp(`went back: the role ${role}`));
});

test('rollback: a role that a new snapshot does not name any more is rejected', async () => {
  const it = await scene();
  const role = (await (await it.bench.view()).namespace('acme'))?.role ?? '';
  forgeOnline(it.bench.folder, (meta) => delete meta[`${role}.json`], it.bench.keys.online);
  await expectRejected(it, /is missing in the snapshot/);
});

test('freeze: an old timestamp is rejected once it has expired', async () => {
  const it = await scene();
  it.bench.clock.now += 29 * dayMs;
  expect(await versionsSeen(it.client, 'acme')).toHaveLength(1);
  it.bench.clock.now += 2 * dayMs;
  await expectRejected(it, /too old/, false);
});

test.each([
  ['timestamp.json', /timestamp file expired/],
  ['root', /root file expired/],
])('expired metadata: %s is rejected by both clients', async (file, message) => {
  const it = await scene();
  const past = '2020-01-01T00:00:00Z';
  if (file === 'root') {
    const { root } = it.bench.keys;
    forge(
      it.bench.folder,
      '1.root.json',
      (signed) => Object.assign(signed, { version: 2, expires: past }),
      root,
      '2.root.json',
    );
  } else forge(it.bench.folder, file, (signed) => (signed.expires = past), it.bench.keys.online.timestamp);
  // The oracle keeps a timestamp of the same version without looking at it.
  const fresh = new TufOracle(it.bench.firstRoot);
  open.push(fresh);
  await expect(consumerOf(it.bench).update()).rejects.toThrow(message);
  await expect(fresh.read(it.bench.folder, it.path)).rejects.toThrow();
});

test('mix and match: a snapshot of another time is rejected', async () => {
  const it = await scene();
  const old = versionsOf(it.bench.folder).snapshot;
  await it.bench.publish('acme/weather', '1.1.0');
  const now = versionsOf(it.bench.folder).snapshot;
  cpSync(
    metadataPath(it.bench.folder, `${old}.snapshot.json`),
    metadataPath(it.bench.folder, `${now}.snapshot.json`),
  );
  await expectRejected(it, /damaged|do not belong together/);
});

test('mix and match: the file of another namespace of the same publisher is rejected', async () => {
  const it = await scene();
  const [signer] = it.bench.publishers.get('acme') ?? [];
  await it.bench.approve('second', [signer as never]);
  await it.bench.publish('second/tool', '1.0.0');
  const view = await it.bench.view();
  const [own, other] = [await view.namespace('acme'), await view.namespace('second')];
  const target = metadataPath(it.bench.folder, `${own?.file?.document.version}.${own?.role}.json`);
  writeFileSync(target, other?.file?.bytes ?? '');
  await expect(versionsSeen(consumerOf(it.bench), 'acme')).rejects.toThrow(/is for the role/);
});

describe('fast-forward', () => {
  test('a version that is far too high is followed, and forgotten once the keys are rotated', async () => {
    const it = await scene();
    const stolen = it.bench.keys.online;
    const honest = join(it.bench.base, 'honest');
    cpSync(it.bench.folder, honest, { recursive: true });
    forgeOnline(it.bench.folder, () => {}, stolen, 1_000_000);
    await expectAccepted(it);
    rmSync(it.bench.folder, { recursive: true });
    cpSync(honest, it.bench.folder, { recursive: true });
    // The control: without a rotation the honest registry looks like a rollback.
    await expectRejected(it, /went back/);
    for (const role of ['snapshot', 'timestamp'] as const) {
      const signers = [newRegistrySigner()];
      const { root, targets, online } = it.bench.keys;
      await rotateRoles(it.bench.repository, {
        ...{ next: { [role]: { signers, threshold: 1 } }, rootSigners: root, targetsSigners: targets },
        ...{ online, now: it.bench.clock.now },
      });
      it.bench.keys = { root, targets, online: { ...online, [role]: signers } };
    }
    await it.bench.publish('acme/weather', '1.1.0');
    await expectAccepted(it);
  });
});

describe('threshold', () => {
  test('a root file that one of three keys signed is rejected, and one of two is accepted', async () => {
    const it = await scene();
    const { root } = it.bench.keys;
    const next = (signed: { version: number }) => {
      signed.version = 2;
    };
    forge(it.bench.folder, '1.root.json', next, root.slice(0, 1), '2.root.json');
    await expectRejected(it, /is signed by 1 of the keys that may sign it, and needs 2/);
    forge(it.bench.folder, '1.root.json', next, root.slice(1), '2.root.json');
    await expectAccepted(it);
  });

  test('one key that signs twice counts once', async () => {
    const it = await scene();
    const { root } = it.bench.keys;
    const bytes = forge(
      it.bench.folder,
      '1.root.json',
      (signed) => (signed.version = 2),
      root.slice(0, 1),
      '2.root.json',
    );
    const file = JSON.parse(bytes.toString('utf8')) as { signatures: { keyid: string; sig: string }[] };
    const path = metadataPath(it.bench.folder, '2.root.json');
    const [only] = file.signatures as [{ keyid: string; sig: string }];
    writeFileSync(path, JSON.stringify({ ...file, signatures: [only, only] }));
    await expectRejected(it, /signed it twice/);
    writeFileSync(
      path,
      JSON.stringify({ ...file, signatures: [only, { ...only, keyid: root[1]?.keyId ?? '' }] }),
    );
    await expectRejected(it, /is signed by 1 of the keys/);
  });

  test('one key under a second id is rejected', async () => {
    const it = await scene();
    const { root } = it.bench.keys;
    forge(
      it.bench.folder,
      '1.root.json',
      (signed) => {
        signed.version = 2;
        const keys = signed.keys as Record<string, unknown>;
        keys[root[1]?.keyId ?? ''] = root[0]?.key;
      },
      root,
      '2.root.json',
    );
    await expectRejected(it, /a key has the id of another one/, false);
  });

  test('a release that one member of a team signed is rejected if two must sign', async () => {
    const it = await scene();
    const team = [newRegistrySigner(), newRegistrySigner(), newRegistrySigner()];
    await it.bench.approve('team', team.slice(0, 2), 2);
    it.bench.publishers.set('team', team.slice(0, 1));
    await expect(it.bench.publish('team/tool', '1.0.0')).rejects.toMatchObject({ code: 'denied' });
    it.bench.publishers.set('team', team.slice(0, 2));
    expect(await it.bench.publish('team/tool', '1.0.0')).toBe('published');
  });
});

describe('key reuse', () => {
  test('a root file that gives one key to two roles is rejected', async () => {
    const it = await scene();
    forge(
      it.bench.folder,
      '1.root.json',
      (signed) => {
        signed.version = 2;
        const roles = signed.roles as Record<string, unknown>;
        roles.timestamp = roles.snapshot;
      },
      it.bench.keys.root,
      '2.root.json',
    );
    await expectRejected(it, /a key belongs to two roles/, false);
  });

  test('a file of one role is rejected as that of another, with the same key', async () => {
    const it = await scene();
    // The bins have the targets key: their files have a valid signature for it.
    const { of } = versionsOf(it.bench.folder);
    const view = await it.bench.view();
    const bin = view.targets.document.delegations.find(({ name }) => of(name) === 1)?.name ?? '';
    cpSync(metadataPath(it.bench.folder, `1.${bin}.json`), metadataPath(it.bench.folder, '1.targets.json'));
    await expect(consumerOf(it.bench).update()).rejects.toThrow(/it is for the role/);
  });
});

describe('a stolen timestamp key', () => {
  test('cannot name another snapshot than the snapshot key signed', async () => {
    const it = await scene();
    const mallory = newRegistrySigner();
    const { online } = it.bench.keys;
    forgeOnline(it.bench.folder, () => {}, { snapshot: [mallory], timestamp: online.timestamp });
    await expectRejected(it, /the snapshot file is signed by 0/);
  });

  test('cannot show another log, because the log has its own key', async () => {
    const it = await scene();
    forge(
      it.bench.folder,
      'timestamp.json',
      (signed) => {
        signed.version += 1;
        const lines = signed['x-checkpoint'] as string[];
        lines[2] = Buffer.alloc(32, 7).toString('base64');
      },
      it.bench.keys.online.timestamp,
    );
    await expectRejected(it, /is not signed by the key of the log/, false);
  });
});

describe('a stolen publisher key', () => {
  /** The file of the namespace is rejected; everything above it is valid. */
  async function expectFileRejected(it: Scene, message: RegExp): Promise<void> {
    const role = (await (await it.bench.view()).namespace('acme'))?.role ?? '';
    const before = it.client.store.trusted().role(role);
    await expect(versionsSeen(it.client, 'acme')).rejects.toThrow(message);
    expect(it.client.store.trusted().role(role)).toEqual(before);
    // A client that never saw the release has nothing to compare with; the log shows it to everybody.
    expect(before).toBeDefined();
  }

  /** What the thief signs, placed by somebody who also has the online keys. */
  async function forgeNamespace(
    it: Scene,
    namespace: string,
    change: (targets: Record<string, Record<string, unknown>>) => void,
  ) {
    const view = await it.bench.view();
    const found = await view.namespace(namespace);
    const version = found?.file?.document.version ?? 0;
    const signers = it.bench.publishers.get('acme') ?? [];
    forge(
      it.bench.folder,
      `${version}.${found?.role}.json`,
      (signed) => {
        signed.version += 1;
        change(signed.targets as Record<string, Record<string, unknown>>);
      },
      signers,
      `${version + 1}.${found?.role}.json`,
    );
    forgeOnline(
      it.bench.folder,
      (meta) => (meta[`${found?.role}.json`] = { version: version + 1 }),
      it.bench.keys.online,
    );
  }

  test('cannot change what it published, not even together with the server', async () => {
    const it = await scene();
    await forgeNamespace(it, 'acme', (targets) => {
      (targets[it.path] as { hashes: object }).hashes = { sha256: 'a'.repeat(64) };
    });
    await expectFileRejected(it, /has other content; a release never changes/);
  });

  test('cannot let a release disappear', async () => {
    const it = await scene();
    await forgeNamespace(it, 'acme', (targets) => delete targets[it.path]);
    await expectFileRejected(it, /is gone; a release never changes/);
  });

  test('cannot publish in another namespace', async () => {
    const it = await scene();
    await it.bench.approve('other');
    await it.bench.publish('other/tool', '1.0.0');
    await forgeNamespace(it, 'other', () => {});
    await expect(versionsSeen(it.client, 'other')).rejects.toThrow(/is signed by 0 of the keys/);
  });

  test('cannot name a release of others in its own file', async () => {
    const it = await scene();
    await forgeNamespace(it, 'acme', (targets) => {
      const entry = targets[it.path] as Record<string, unknown>;
      targets[it.path.replace('weather/', '../x/')] = entry;
    });
    await expect(versionsSeen(it.client, 'acme')).rejects.toThrow(/which is not a release/);
  });

  test('cannot publish without an entry in the log', async () => {
    const it = await scene();
    const added = it.path.replace('1.0.0', '6.6.6');
    await forgeNamespace(it, 'acme', (targets) => {
      targets[added] = targets[it.path] as Record<string, unknown>;
    });
    const state = await it.client.update();
    const found = (await it.client.namespace(state, 'acme'))?.find(
      ({ release }) => release.version === '6.6.6',
    );
    if (found === undefined) throw new Error('the release is not in the metadata');
    await expect(it.client.fetch(state, found.release, join(it.bench.base, 'x'))).rejects.toThrow(/no proof/);
    const [own, forged] = [it.path, added].map((path) =>
      join(it.bench.folder, `proofs/${path.replace('.tgz', '.tlog-proof')}`),
    );
    cpSync(own as string, forged as string);
    await expect(it.client.fetch(state, found.release, join(it.bench.base, 'x'))).rejects.toThrow(
      /says something else/,
    );
  });

  test('is useless once the namespace has another key, and its releases stay', async () => {
    const it = await scene();
    const owner = newRegistrySigner();
    const replace = (ownerSigners: readonly (typeof owner)[]) =>
      it.bench.repository.change(it.bench.keys.online, (change) =>
        approveNamespace(change, {
          ...{ namespace: 'acme', keys: [owner.key], threshold: 1, replace: true, ownerSigners },
          targetsSigners: it.bench.keys.targets,
        }),
      );
    // The new owner must sign what is there; otherwise the registry would become invalid.
    await expect(replace([])).rejects.toMatchObject({ code: 'denied' });
    await replace([owner]);
    await expectAccepted(it);
    await expect(it.bench.publish('acme/weather', '6.6.6')).rejects.toMatchObject({ code: 'denied' });
    it.bench.publishers.set('acme', [owner]);
    expect(await it.bench.publish('acme/weather', '1.0.1')).toBe('published');
    await expectAccepted(it);
  });
});

describe('names', () => {
  test.each(['ACME', 'a-c-m-e', 'Acme', 'a.cme'])(
    'the namespace %s is rejected beside acme',
    async (name) => {
      const it = await scene();
      await expect(it.bench.approve(name)).rejects.toThrow(/can be mistaken for acme/);
      await it.bench.approve('other');
    },
  );

  test.each(['acme/Weather', 'acme/wea-ther', 'acme/vveather'])(
    'the package %s is rejected beside weather',
    async (name) => {
      const it = await scene();
      await expect(it.bench.publish(name, '1.0.0')).rejects.toThrow(/can be mistaken for acme\/weather/);
      expect(await it.bench.publish('acme/climate', '1.0.0')).toBe('published');
    },
  );

  test.each([
    '../x',
    'acme/..',
    'acme/a/b',
    'acme//x',
    'acme/%2e',
    '.hidden',
    'acme/x.',
    'a\u0441me',
    'acme/\u202ex',
    '',
    '_',
  ])('the name %j is rejected', async (name) => {
    const it = await scene();
    await expect(it.bench.publish(name, '1.0.0')).rejects.toMatchObject({ code: 'usage' });
    await expect(it.bench.publish('acme/weather', `1.0.0/${name}`)).rejects.toMatchObject({ code: 'usage' });
  });
});

describe('a file that means two things', () => {
  test('because a member is there twice is read as it was signed, or rejected', async () => {
    const it = await scene();
    const path = metadataPath(it.bench.folder, 'timestamp.json');
    const good = readFileSync(path, 'utf8').trim();
    const evil = JSON.stringify({ ...readSigned(it.bench.folder, 'timestamp.json'), version: 99 });
    const inner = good.slice(1, -1);
    writeFileSync(path, `{"signed":${evil},${inner}}`);
    await expectAccepted(it);
    expect((await it.client.update()).view.timestamp.document.version).toBeLessThan(99);
    writeFileSync(path, `{${inner},"signed":${evil}}`);
    await expectRejected(it, /timestamp file is signed by 0/);
  });

  test.each([
    ['a hash of another kind, which other clients check', { sha512: '0'.repeat(128) }, /that is not SHA-256/],
    ['only a hash of another kind', { sha256: undefined, md5: '0'.repeat(32) }, /a hash is missing/],
  ])('because it has %s is rejected', async (_, hashes, message) => {
    const it = await scene();
    forge(
      it.bench.folder,
      'timestamp.json',
      (signed) => {
        signed.version += 1;
        const entry = (signed.meta as Record<string, { hashes: object }>)['snapshot.json'];
        if (entry !== undefined) entry.hashes = JSON.parse(JSON.stringify({ ...entry.hashes, ...hashes }));
      },
      it.bench.keys.online.timestamp,
    );
    await expect(it.client.update()).rejects.toThrow(message);
    // The oracle does not look at a snapshot again that it has.
    const fresh = new TufOracle(it.bench.firstRoot);
    open.push(fresh);
    await expect(fresh.read(it.bench.folder, it.path)).rejects.toThrow();
  });
});

test('no version is called latest, and no namespace has more keys than may sign', async () => {
  const { bench } = await scene();
  for (const version of ['latest', 'Latest'])
    await expect(bench.publish('acme/weather', version)).rejects.toMatchObject({ code: 'usage' });
  const keys = Array.from({ length: 33 }, () => newRegistrySigner());
  await expect(bench.approve('crowd', keys, 33)).rejects.toThrow(/at most 32/);
  await bench.approve('crowd', keys.slice(1), 32);
  expect(await bench.publish('crowd/tool', '1.0.0')).toBe('published');
});

test('random changes of the metadata are accepted by neither client, or by both', async () => {
  const it = await scene();
  const names = ['timestamp.json', `${versionsOf(it.bench.folder).snapshot}.snapshot.json`, '1.targets.json'];
  let rejected = 0;
  for (let round = 0; round < 90; round++) {
    const path = metadataPath(it.bench.folder, names[round % names.length] as string);
    const bytes = readFileSync(path);
    const changed = Buffer.from(bytes);
    const at = (round * 7919 + 13) % bytes.length;
    changed[at] = (changed[at] as number) ^ (1 << (round % 7));
    writeFileSync(path, changed);
    const oracle = new TufOracle(it.bench.firstRoot);
    const [ours, theirs] = await Promise.all([
      versionsSeen(consumerOf(it.bench), 'acme').then(
        () => true,
        () => false,
      ),
      oracle.read(it.bench.folder, it.path).then(
        () => true,
        () => false,
      ),
    ]);
    oracle.close();
    writeFileSync(path, bytes);
    // We may be stricter, never laxer.
    if (ours) expect(theirs, `${path} at ${at}`).toBe(true);
    else rejected += 1;
  }
  expect(rejected).toBeGreaterThan(80);
  expect(readSigned(it.bench.folder, 'timestamp.json').version).toBeGreaterThan(0);
  await expectAccepted(it);
});
