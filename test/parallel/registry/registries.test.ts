import { afterEach, describe, expect, test } from 'vitest';
import { searchPackages, updateSearchIndex } from '../../../src/registry/client/package-search.js';
import { RegistrySet } from '../../../src/registry/client/registry-set.js';
import { chooseRelease } from '../../../src/registry/client/release-choice.js';
import { parsePackageName } from '../../../src/registry/names/package-name.js';
import {
  quarantineRelease,
  releaseFromQuarantine,
} from '../../../src/registry/repository/release-quarantine.js';
import { consumerOf } from '../../support/registry-consumer.js';
import { RegistryWorkbench } from '../../support/registry-workbench.js';

const open: RegistryWorkbench[] = [];
async function workbench(
  packages: readonly (readonly [name: string, version: string])[],
): Promise<RegistryWorkbench> {
  const bench = new RegistryWorkbench();
  open.push(bench);
  await bench.create();
  for (const namespace of new Set(packages.map(([name]) => name.replace(/\/.*/, ''))))
    await bench.approve(namespace);
  for (const [name, version] of packages) await bench.publish(name, version);
  return bench;
}
afterEach(() => {
  for (const it of open.splice(0)) it.close();
});

describe('with several registries', () => {
  test('a namespace that is bound to one is never looked up in another', async () => {
    const own = await workbench([['acme/weather', '1.0.0']]);
    const open = await workbench([
      ['acme/weather', '9.0.0'],
      ['acme-tools/x', '1.0.0'],
      ['other/tool', '1.0.0'],
    ]);
    const bound = { client: consumerOf(own), priority: 0, namespaces: ['acme*'] };
    const set = new RegistrySet([{ client: consumerOf(open), priority: 10, namespaces: [] }, bound]);
    const versions = async (name: string) => (await set.find(name)).releases.map((it) => it.release.version);
    expect(await versions('acme/weather')).toEqual(['1.0.0']);
    expect(await versions('other/tool')).toEqual(['1.0.0']);
    await expect(set.find('acme-tools/x')).rejects.toMatchObject({ code: 'not_found' });
    await expect(set.find('ACME/weather')).rejects.toMatchObject({ code: 'not_found' });
    // The control: without the binding, the higher version of the other registry is taken.
    const unbound = new RegistrySet([
      { client: consumerOf(open), priority: 10, namespaces: [] },
      { ...bound, namespaces: [] },
    ]);
    expect((await unbound.find('acme/weather')).releases[0]?.release.version).toBe('9.0.0');
  });

  test('a registry that cannot be asked is not passed over', async () => {
    const first = await workbench([['acme/weather', '1.0.0']]);
    const second = await workbench([['acme/weather', '2.0.0']]);
    const broken = consumerOf(first, {
      transport: {
        place: 'broken',
        read: () => Promise.reject(new Error('no network')),
        fetch: () => Promise.reject(new Error('no network')),
      },
    });
    const set = new RegistrySet([
      { client: broken, priority: 2, namespaces: [] },
      { client: consumerOf(second), priority: 1, namespaces: [] },
    ]);
    await expect(set.find('acme/weather')).rejects.toThrow('no network');
  });
});

test('ranges and latest choose among releases that are neither withdrawn nor previews', async () => {
  const bench = await workbench([
    ['acme/weather', '1.0.0'],
    ['acme/weather', '1.2.0'],
    ['acme/weather', '2.0.0-beta.1'],
    ['acme/weather', '1.10.0'],
  ]);
  const client = consumerOf(bench);
  const choice = async (range: string) => {
    const chosen = chooseRelease((await client.namespace(await client.update(), 'acme')) ?? [], range);
    return chosen.kind === 'none'
      ? chosen.versions.join(' ')
      : `${chosen.kind} ${chosen.found.release.version}`;
  };
  expect(await choice('latest')).toBe('found 1.10.0');
  expect(await choice('^1.0.0')).toBe('found 1.10.0');
  expect(await choice('2.0.0-beta.1')).toBe('found 2.0.0-beta.1');
  expect(await choice('^3')).toBe('2.0.0-beta.1 1.10.0 1.2.0 1.0.0');
  await bench.yank('acme/weather', '1.10.0', 'wrong unit');
  expect(await choice('latest')).toBe('found 1.2.0');
  expect(await choice('1.10.0')).toBe('withdrawn 1.10.0');
  expect(await choice('>=1.10.0 <1.11')).toBe('withdrawn 1.10.0');
});

test('a search finds packages by words of their names, descriptions, tags and tools, and reads only changed parts', async () => {
  const bench = await workbench([
    ['acme/weather', '1.0.0'],
    ['acme/tides', '1.0.0'],
    ['other/forecast', '1.0.0'],
  ]);
  const client = consumerOf(bench);
  const names = (words: string) =>
    searchPackages(client.store, words, 10).map((it) => `${it.name}@${it.version}`);
  expect(await updateSearchIndex(client, await client.update())).toBeGreaterThan(0);
  expect(names('weather')).toEqual(['acme/weather@1.0.0']);
  expect(names('what tid')).toEqual(['acme/tides@1.0.0']);
  expect(names('look').length).toBe(3);
  expect(names('" OR name:* NOT')).toEqual([]);
  expect(await updateSearchIndex(client, await client.update())).toBe(0);
  await bench.publish('acme/weather', '1.1.0');
  expect(await updateSearchIndex(client, await client.update())).toBe(1);
  expect(names('weather')).toEqual(['acme/weather@1.1.0']);
});

test('a search shows the version that an installation takes: not an older one published later, nor a withdrawn one', async () => {
  const bench = await workbench([['acme/weather', '2.0.0']]);
  const client = consumerOf(bench);
  const found = async () => {
    await updateSearchIndex(client, await client.update());
    return searchPackages(client.store, 'weather', 10).map((it) => `${it.version} ${it.description}`);
  };
  await bench.publish('acme/weather', '1.9.1', {}, { description: 'an older weather' });
  await bench.publish('acme/weather', '3.0.0-rc.1', {}, { description: 'a weather to try' });
  expect(await found()).toEqual(['2.0.0 what acme/weather does']);
  await bench.yank('acme/weather', '2.0.0', 'wrong unit');
  expect(await found()).toEqual(['1.9.1 what acme/weather does']);
  const release = { name: parsePackageName('acme/weather'), reason: 'it reads mail' };
  const change = (work: typeof quarantineRelease, version: string) =>
    bench.repository.change(bench.keys.online, (it) => work(it, { ...release, version }));
  await change(quarantineRelease, '1.9.1');
  await change(quarantineRelease, '3.0.0-rc.1');
  // None is offered any more: the highest one is shown, and a search says why it is not offered.
  expect(await found()).toEqual(['2.0.0 what acme/weather does']);
  await change(releaseFromQuarantine, '1.9.1');
  expect(await found()).toEqual(['1.9.1 what acme/weather does']);
});

test('hidden characters of a signed index are named wherever it is read', async () => {
  const bench = await workbench([['acme/weather', '1.0.0']]);
  await bench.publish(
    'acme/tides',
    '1.0.0',
    {},
    { description: 'a\u202eb', tags: ['c\u{e0041}'], title: 'd\u200be' },
  );
  const client = consumerOf(bench);
  await updateSearchIndex(client, await client.update());
  expect(searchPackages(client.store, 'tides', 1)).toMatchObject([
    { description: 'a‹U+202E›b', tags: ['c‹U+E0041›'], title: 'd‹U+200B›e' },
  ]);
});
