import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { KeyFolder } from '../../../src/registry/keys/key-folder.js';
import { newRegistrySigner } from '../../../src/registry/metadata/registry-key.js';
import { RegistryRepository } from '../../../src/registry/repository/registry-repository.js';
import { RegistryWorkbench } from '../../support/registry-workbench.js';

const benches: RegistryWorkbench[] = [];
async function workbench(): Promise<RegistryWorkbench> {
  const bench = new RegistryWorkbench();
  benches.push(bench);
  return bench.create();
}
afterEach(() => {
  for (const it of benches.splice(0)) it.close();
});

test('a release that was published is found by a client that knows the first root', async () => {
  const bench = await workbench();
  await bench.approve('acme');
  expect(await bench.publish('acme/weather', '1.0.0')).toBe('published');
  const view = await bench.view();
  const namespace = await view.namespace('acme');
  expect(namespace?.releases.map((it) => [it.name.text, it.version])).toEqual([['acme/weather', '1.0.0']]);
  expect(await view.namespace('other')).toBeUndefined();
});

test('the same content again is there already, and other content under the name is rejected', async () => {
  const bench = await workbench();
  await bench.approve('acme');
  await bench.publish('acme/weather', '1.0.0');
  const before = readFileSync(join(bench.folder, 'metadata/timestamp.json'), 'utf8');
  expect(await bench.publish('acme/weather', '1.0.0')).toBe('exists');
  await expect(bench.publish('acme/weather', '1.0.0', { 'x.txt': 'x' })).rejects.toMatchObject({
    code: 'integrity',
  });
  expect(readFileSync(join(bench.folder, 'metadata/timestamp.json'), 'utf8')).toBe(before);
});

test('a registry is made of the same bytes when the same is published with the same keys at the same time', async () => {
  const [first, second] = [await workbench(), new RegistryWorkbench()];
  benches.push(second);
  second.keys = first.keys;
  await second.create();
  const signer = newRegistrySigner();
  for (const it of [first, second]) {
    await it.approve('acme', [signer]);
    await it.publish('acme/weather', '1.0.0');
    await it.yank('acme/weather', '1.0.0', 'wrong unit');
  }
  const files = (bench: RegistryWorkbench) =>
    readdirSync(bench.folder, { recursive: true, withFileTypes: true })
      .filter((it) => it.isFile())
      .map((it) => join(it.parentPath, it.name))
      .map((it) => [it.slice(bench.folder.length), readFileSync(it, 'latin1')]);
  expect(files(second)).toEqual(files(first));
  expect(files(first).length).toBeGreaterThan(20);
});

test('nobody publishes in a namespace of others, or in one that nobody approved', async () => {
  const bench = await workbench();
  await expect(bench.publish('acme/weather', '1.0.0')).rejects.toMatchObject({ code: 'denied' });
  await bench.approve('acme');
  bench.publishers.set('acme', [newRegistrySigner()]);
  await expect(bench.publish('acme/weather', '1.0.0')).rejects.toMatchObject({ code: 'denied' });
});

test.each(['/proc/registry/new', '/dev/null/registry'])(
  'a folder that cannot be created, %s, is an error and not a wait',
  async (folder) => {
    const repository = new RegistryRepository({ folder, lockFolder: join(folder, 'lock'), now: Date.now });
    await expect(repository.assertEmpty()).rejects.toMatchObject({ code: 'state_unusable' });
    await expect(repository.exclusive(async () => {})).rejects.toMatchObject({ code: 'state_unusable' });
    const keys = new KeyFolder({ folder, keychain: null });
    await expect(keys.create('root-1')).rejects.toMatchObject({ code: 'state_unusable' });
  },
);
