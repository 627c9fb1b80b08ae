// A release that is signed and logged correctly, but whose archive is made to harm the machine that installs it: what a
// registry does that checks nothing, or works together with a publisher.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { parsePackageName } from '../../../src/registry/names/package-name.js';
import { publishReleases } from '../../../src/registry/repository/release-publishing.js';
import { tarOf, zipOf } from '../../support/hostile-archive.js';
import { counterPackage } from '../../support/lifecycle-packages.js';
import { forge, forgeOnline, versionsOf } from '../../support/registry-forgery.js';
import { counterRegistry, registryMachine } from '../../support/registry-machine.js';

const files = Object.entries(counterPackage({ version: '2.0.0', answer: 'two' })).map(([name, content]) => ({
  name: name.replace('counter/', ''),
  content,
}));
const [first] = files;

async function published(archive: Buffer) {
  const bench = await counterRegistry();
  onTestFinished(() => bench.close());
  const release = { name: parsePackageName('acme/counter'), version: '2.0.0', archive };
  const summary = { title: 'counter', description: 'Counts.', format: 'patch', tags: [], tools: [] };
  await publishReleases(bench.repository, [{ ...release, summary }], {
    online: bench.keys.online,
    signers: bench.publishers.get('acme') ?? [],
  });
  const machine = await registryMachine(bench, 'consumer');
  onTestFinished(() => machine.host.close());
  return { bench, machine, session: await machine.session() };
}

const attacks: Record<string, Buffer> = {
  'with ".." in a name': gzipSync(tarOf([...files, { name: '../../out', content: 'x' }])),
  'with an absolute name': gzipSync(tarOf([...files, { name: '/tmp/registry-archives-out', content: 'x' }])),
  'with a link out of it': gzipSync(tarOf([...files, { name: 'l', type: '2', target: '../../..' }])),
  'with a link and a file behind it': gzipSync(
    tarOf([...files, { name: 'l', type: '2', target: '../..' }, { name: 'l/out', content: 'x' }]),
  ),
  'with a hard link': gzipSync(tarOf([...files, { name: 'l', type: '1', target: '/etc/passwd' }])),
  'with a device': gzipSync(tarOf([...files, { name: 'd', type: '3' }])),
  'with one name twice': gzipSync(tarOf([...files, { name: first?.name ?? '', content: '{}' }])),
  'that is a zip with ".."': zipOf([...files, { name: '../../out', content: 'x' }]),
  'that expands without end': gzipSync(
    tarOf([...files, { name: 'zeros', content: Buffer.alloc(20 * 1024 * 1024) }]),
  ),
  'that is cut': gzipSync(tarOf(files)).subarray(0, -20),
};

test.each(Object.entries(attacks))(
  'an archive %s is not installed, and writes nothing',
  async (_, archive) => {
    const { bench, session } = await published(archive);
    const before = readdirSync(bench.base);
    const { installations } = session;
    await expect(installations.plan({ source: 'registry:acme/counter' })).rejects.toThrow();
    expect(await installations.list()).toEqual([]);
    expect(readdirSync(bench.base)).toEqual(before);
    expect(existsSync('/tmp/registry-archives-out')).toBe(false);
    expect(existsSync(join(bench.base, 'out'))).toBe(false);
  },
);

test('control: the same files without a trick are installed', async () => {
  const { session } = await published(gzipSync(tarOf(files)));
  const plan = await session.installations.plan({ source: 'registry:acme/counter' });
  expect(plan).toMatchObject({ package: { id: 'counter', version: '2.0.0' } });
});

test('an archive that its metadata says is enormous is not read at all', async () => {
  const { bench, session } = await published(gzipSync(tarOf(files)));
  const own = await (await bench.view()).namespace('acme');
  const [role, version] = [own?.role ?? '', versionsOf(bench.folder).of(own?.role ?? '')];
  forge(
    bench.folder,
    `${version}.${role}.json`,
    (signed) => {
      signed.version += 1;
      const targets = signed.targets as Record<string, { length: number }>;
      const path = Object.keys(targets).find((it) => it.includes('2.0.0')) ?? '';
      targets[path.replace('2.0.0', '3.0.0')] = { ...targets[path], length: 2 ** 41 } as never;
    },
    bench.publishers.get('acme') ?? [],
    `${version + 1}.${role}.json`,
  );
  forgeOnline(bench.folder, (meta) => (meta[`${role}.json`] = { version: version + 1 }), bench.keys.online);
  await expect(session.installations.plan({ source: 'registry:acme/counter' })).rejects.toMatchObject({
    code: 'output_too_large',
  });
});
