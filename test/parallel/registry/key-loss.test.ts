// Keys of a registry that are lost or stolen, and how its operator goes on: with the commands, and seen by clients that knew
// the registry before.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { RegistryClient } from '../../../src/registry/client/registry-client.js';
import { RegistryStore } from '../../../src/registry/client/registry-store.js';
import { publishReleases } from '../../../src/registry/repository/release-publishing.js';
import { folderTransport } from '../../../src/registry/transport/folder-transport.js';
import { parseArguments } from '../../../src/serve/cli/command/arguments.js';
import { registryCommand } from '../../../src/serve/cli/commands/registry.js';
import { RegistryPlace } from '../../../src/serve/cli/registry/registry-place.js';
import { bundleOf } from '../../support/registry-workbench.js';
import { testTerminal } from '../../support/terminal.js';
import { temporaryFolder } from '../../support/toolwharf.js';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const it of closing.splice(0)) it();
});

/** A registry with all of its keys beside it, a publisher, one release, and a client that has seen it. */
class Operator {
  readonly #folder = temporaryFolder();
  readonly #store: RegistryStore;
  client!: RegistryClient;

  constructor() {
    this.#store = RegistryStore.open(this.at('client/registry.db'));
    closing.push(() => {
      this.#store.close();
      this.#folder.remove();
    });
  }

  at(path: string): string {
    return join(this.#folder.path, path);
  }

  async open(): Promise<this> {
    await this.run('init', 'registry');
    await this.#approve('acme', 'acme.keys', 'acme');
    await this.publish('acme/weather', '1.0.0');
    this.client = new RegistryClient({
      name: 'test',
      transport: folderTransport(this.at('registry')),
      root: { file: readFileSync(this.at('registry/metadata/1.root.json')) },
      store: this.#store,
      now: Date.now,
      acceptExpired: false,
    });
    expect(await this.seen()).toEqual(['1.0.0']);
    return this;
  }

  /** `registry …`; the document that it prints. */
  async run(...words: string[]): Promise<Record<string, unknown>> {
    const terminal = testTerminal({ cwd: this.#folder.path });
    await registryCommand.run(parseArguments(registryCommand, [...words, '--json']), terminal);
    return (JSON.parse(terminal.printed.out) as { facts: Record<string, unknown> }).facts;
  }

  async #approve(namespace: string, keys: string, name: string, ...more: string[]): Promise<void> {
    const { key } = await this.run('keys', 'create', name, '--keys', keys);
    await this.run('approve', namespace, String(key), '--registry', 'registry', ...more);
  }

  async replaceOwner(): Promise<void> {
    const folders = ['--keys', 'registry.keys', '--keys', 'new.keys'];
    await this.#approve('acme', 'new.keys', 'acme-2', '--replace', ...folders);
  }

  async publish(name: string, version: string, keys = 'acme.keys'): Promise<void> {
    const args = parseArguments(registryCommand, ['x', '--keys', 'registry.keys', '--keys', keys]);
    const place = await RegistryPlace.open(args, testTerminal({ cwd: this.#folder.path }), 'registry');
    const [online, signers] = [await place.online(), await place.signers()];
    await publishReleases(place.repository, [await bundleOf(name, version)], { online, signers });
  }

  async seen(): Promise<string[]> {
    const found = await this.client.namespace(await this.client.update(), 'acme');
    return (found ?? []).map(({ release }) => release.version);
  }

  keys(): string[] {
    return readdirSync(this.at('registry.keys'));
  }

  /** The machine with these keys is gone. */
  lose(...names: string[]): void {
    for (const it of this.keys().filter((key) => names.some((name) => key === `${name}.key`)))
      rmSync(this.at(`registry.keys/${it}`));
  }
}

const online = ['snapshot', 'timestamp', 'index', 'quarantine', 'log'];

describe.each([...online, 'targets'])('the key for %s is lost', (role) => {
  test('its replacement needs the offline keys only, and old clients go on', async () => {
    const it = await new Operator().open();
    it.lose(role);
    // The control: without the key, nothing can be published.
    if (role !== 'targets') await expect(it.publish('acme/weather', '1.1.0')).rejects.toThrow(/are not here/);
    await it.run('rotate', role, '--registry', 'registry');
    await it.publish('acme/weather', '1.1.0');
    expect(await it.seen()).toEqual(['1.0.0', '1.1.0']);
    expect(await it.run('verify', 'registry')).toMatchObject({ ok: true, releases: 2 });
  });
});

test('the machine with all online keys is lost: one command replaces them', async () => {
  const it = await new Operator().open();
  it.lose(...online);
  await expect(it.run('renew', '--registry', 'registry')).rejects.toThrow(
    /the keys for snapshot, timestamp, index, quarantine, log/,
  );
  await it.run('rotate', ...online, '--registry', 'registry');
  await it.publish('acme/weather', '1.1.0');
  expect(await it.seen()).toEqual(['1.0.0', '1.1.0']);
  expect(await it.run('verify', 'registry')).toMatchObject({ ok: true });
});

test('the machine with all keys but two of the root is lost', async () => {
  const it = await new Operator().open();
  it.lose(...online, 'targets', 'root-3');
  await it.run('rotate', ...online, 'targets', 'root', '--registry', 'registry');
  await it.publish('acme/weather', '1.1.0');
  expect(await it.seen()).toEqual(['1.0.0', '1.1.0']);
});

describe('too few keys', () => {
  test.each([
    ['timestamp', ['root-1', 'root-2']],
    ['root', ['root-2', 'root-3']],
    ['targets', ['root-1', 'root-2', 'root-3']],
    ['log', ['root-1', 'root-2']],
    ['index', ['targets']],
    ['timestamp', ['root-1', 'root-2', 'snapshot']],
  ])('for a rotation of %s change nothing and make no keys: without %j', async (role, lost) => {
    const it = await new Operator().open();
    it.lose(...lost);
    const [files, keys] = [readdirSync(it.at('registry/metadata')), it.keys()];
    await expect(it.run('rotate', role, '--registry', 'registry')).rejects.toMatchObject({ code: 'denied' });
    expect([readdirSync(it.at('registry/metadata')), it.keys()]).toEqual([files, keys]);
    expect(await it.seen()).toEqual(['1.0.0']);
    expect(existsSync(it.at('registry/metadata/2.root.json'))).toBe(false);
  });

  test('control: with the keys from another folder it works, and can be repeated on the same day', async () => {
    const it = await new Operator().open();
    mkdirSync(it.at('stick'), { mode: 0o700 });
    for (const name of ['root-1.key', 'root-2.key'])
      renameSync(it.at(`registry.keys/${name}`), it.at(`stick/${name}`));
    const folders = ['--registry', 'registry', '--keys', 'registry.keys', '--keys', 'stick'];
    await it.run('rotate', 'timestamp', ...folders);
    await it.run('rotate', 'timestamp', ...folders);
    expect(await it.seen()).toEqual(['1.0.0']);
  });
});

test('a root of three keys becomes one of five, of which three must sign', async () => {
  const it = await new Operator().open();
  await it.run('rotate', 'root', '--root-keys', '5', '--threshold', '3', '--registry', 'registry');
  const { signed } = JSON.parse(readFileSync(it.at('registry/metadata/2.root.json'), 'utf8')) as {
    signed: { roles: { root: { keyids: string[]; threshold: number } } };
  };
  expect([signed.roles.root.keyids.length, signed.roles.root.threshold]).toEqual([5, 3]);
  it.lose('root-1', 'root-2', 'root-3');
  await it.run('rotate', 'timestamp', '--registry', 'registry');
  expect(await it.seen()).toEqual(['1.0.0']);
  await expect(
    it.run('rotate', 'root', '--root-keys', '2', '--threshold', '3', '--registry', 'registry'),
  ).rejects.toMatchObject({ code: 'usage' });
});

describe("a publisher's key", () => {
  test('that is lost is replaced by the holder of the targets key, and old clients keep every release', async () => {
    const it = await new Operator().open();
    rmSync(it.at('acme.keys'), { recursive: true });
    await it.replaceOwner();
    await it.publish('acme/weather', '1.1.0', 'new.keys');
    expect(await it.seen()).toEqual(['1.0.0', '1.1.0']);
  });

  test('that is stolen publishes no more, and what it published is under quarantine and withdrawn', async () => {
    const it = await new Operator().open();
    await it.publish('acme/weather', '6.6.6');
    const reason = ['--reason', 'the key was stolen', '--registry', 'registry'];
    await it.run('quarantine', 'acme/weather@6.6.6', ...reason);
    await it.replaceOwner();
    await it.run('yank', 'acme/weather@6.6.6', ...reason, '--keys', 'registry.keys', '--keys', 'new.keys');
    await expect(it.publish('acme/weather', '6.6.7')).rejects.toMatchObject({ code: 'denied' });
    const found = await it.client.namespace(await it.client.update(), 'acme');
    expect(
      found?.map(({ release, quarantined }) => [release.version, release.yanked, quarantined?.reason]),
    ).toEqual([
      ['1.0.0', undefined, undefined],
      ['6.6.6', 'the key was stolen', 'the key was stolen'],
    ]);
  });
});

test('a change that readers would reject is not published', async () => {
  const it = await new Operator().open();
  const args = parseArguments(registryCommand, ['x']);
  const place = await RegistryPlace.open(args, testTerminal({ cwd: it.at('.') }), 'registry');
  const signers = await place.online();
  const before = readFileSync(it.at('registry/metadata/timestamp.json'), 'utf8');
  // The keys of two roles are mixed up.
  const wrong = { ...signers, snapshot: signers.timestamp };
  await expect(place.repository.change(wrong, async () => {})).rejects.toThrow(/nothing was published/);
  expect(readFileSync(it.at('registry/metadata/timestamp.json'), 'utf8')).toBe(before);
  await place.repository.change(signers, async () => {});
  expect(await it.seen()).toEqual(['1.0.0']);
});
