// A registry in a temporary folder, with all of its keys.
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RegistryView } from '../../src/registry/client/registry-view.js';
import { newRegistrySigner, type RegistrySigner } from '../../src/registry/metadata/registry-key.js';
import { parsePackageName } from '../../src/registry/names/package-name.js';
import { writeBundleArchive } from '../../src/registry/repository/bundle-archive.js';
import { approveNamespace } from '../../src/registry/repository/namespace-approval.js';
import {
  createRepository,
  defaultDays,
  type NewRepository,
} from '../../src/registry/repository/new-repository.js';
import { RegistryRepository } from '../../src/registry/repository/registry-repository.js';
import {
  type CheckedRelease,
  type PublishOutcome,
  publishReleases,
  yankRelease,
} from '../../src/registry/repository/release-publishing.js';
import type { OnlineSigners } from '../../src/registry/repository/repository-signers.js';
import { folderTransport } from '../../src/registry/transport/folder-transport.js';

export interface RegistryKeys {
  readonly root: readonly RegistrySigner[];
  readonly targets: readonly RegistrySigner[];
  readonly online: OnlineSigners;
}

/** A clock that tests move. */
export interface Clock {
  now: number;
}

export const dayMs = 24 * 60 * 60 * 1000;

export function newRegistryKeys(): RegistryKeys {
  const one = () => [newRegistrySigner()];
  return {
    root: [newRegistrySigner(), newRegistrySigner(), newRegistrySigner()],
    targets: one(),
    online: { snapshot: one(), timestamp: one(), index: one(), quarantine: one(), log: newLogKey() },
  };
}

export function newLogKey(): KeyObject {
  return generateKeyPairSync('ed25519').privateKey;
}

export class RegistryWorkbench {
  readonly base = mkdtempSync(join(tmpdir(), 'registry-'));
  readonly folder = join(this.base, 'registry');
  readonly clock: Clock = { now: Date.parse('2026-11-18T12:00:00Z') };
  readonly repository: RegistryRepository;
  /** Replaced by tests that rotate them. */
  keys = newRegistryKeys();
  /** By namespace. */
  readonly #closing: (() => void)[] = [];
  readonly publishers = new Map<string, RegistrySigner[]>();

  constructor(options: { readonly durable?: boolean } = {}) {
    this.repository = new RegistryRepository({
      folder: this.folder,
      lockFolder: join(this.base, 'lock'),
      now: () => this.clock.now,
      durable: options.durable ?? false,
    });
  }

  async create(options: Partial<NewRepository> = {}): Promise<this> {
    const { root, targets, online } = this.keys;
    await createRepository(this.repository, {
      logName: 'test.example',
      root: { signers: root, threshold: 2 },
      targets: { signers: targets, threshold: 1 },
      online,
      days: defaultDays,
      bins: 4,
      witnesses: { keys: [], threshold: 0 },
      now: this.clock.now,
      ...options,
    });
    return this;
  }

  async approve(
    namespace: string,
    signers: RegistrySigner[] = [newRegistrySigner()],
    threshold = 1,
  ): Promise<void> {
    await this.repository.change(this.keys.online, (change) =>
      approveNamespace(change, {
        namespace,
        keys: signers.map((it) => it.key),
        threshold,
        targetsSigners: this.keys.targets,
      }),
    );
    this.publishers.set(namespace, signers);
  }

  async publish(
    name: string,
    version: string,
    files: Readonly<Record<string, string>> = {},
    summary: Partial<CheckedRelease['summary']> = {},
  ): Promise<PublishOutcome> {
    const made = await bundleOf(name, version, files);
    const release = { ...made, summary: { ...made.summary, ...summary } };
    const signers = this.publishers.get(release.name.namespace) ?? [];
    const [outcome] = await publishReleases(this.repository, [release], {
      online: this.keys.online,
      signers,
    });
    return outcome as PublishOutcome;
  }

  async yank(name: string, version: string, reason: string): Promise<void> {
    const parsed = parsePackageName(name);
    const signers = this.publishers.get(parsed.namespace) ?? [];
    await yankRelease(
      this.repository,
      { name: parsed, version, reason },
      { online: this.keys.online, signers },
    );
  }

  /** A view of a client that knows the first root only. */
  async view(): Promise<RegistryView> {
    const transport = folderTransport(this.folder);
    return RegistryView.open({
      transport,
      trusted: { root: this.firstRoot, role: () => undefined },
      now: this.clock.now,
    });
  }

  /** The root file that the operator gives to people. */
  get firstRoot(): Buffer {
    return readFileSync(join(this.folder, 'metadata/1.root.json'));
  }

  onClose(work: () => void): void {
    this.#closing.push(work);
  }

  close(): void {
    for (const it of this.#closing) it();
    rmSync(this.base, { recursive: true, force: true });
  }
}

export async function bundleOf(
  name: string,
  version: string,
  files: Readonly<Record<string, string>> = {},
): Promise<CheckedRelease> {
  const own = Object.keys(files).some((it) => it.endsWith('.json'));
  const all = { ...(own ? {} : { 'manifest.json': `{"name":"${name}","version":"${version}"}` }), ...files };
  const archive = await writeBundleArchive(
    Object.entries(all).map(([path, text]) => ({ path, executable: false, bytes: Buffer.from(text) })),
  );
  return {
    name: parsePackageName(name),
    version,
    archive,
    summary: {
      title: name,
      description: `what ${name} does`,
      format: 'patch',
      tags: ['test'],
      tools: ['look'],
    },
  };
}
