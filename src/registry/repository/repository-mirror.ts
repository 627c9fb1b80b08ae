// A verified copy of a registry in a folder. Only files that the metadata names are copied, the one that makes them
// visible last, so that the copy is at every time the old or the new state.

import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../files/make-folder.js';
import { HostError } from '../../model/host-error.js';
import { RegistryView } from '../client/registry-view.js';
import type { TrustedFiles } from '../client/trusted-files.js';
import { maxProofBytes, proofFile } from '../log/log-proof.js';
import { entriesPath, tilePath, tileWidth, widthOf } from '../log/log-tiles.js';
import { metadataLimits } from '../metadata/metadata-check.js';
import type { FileEntry } from '../metadata/metadata-document.js';
import { targetFile } from '../names/package-name.js';
import { statementsPath } from '../names/release-record.js';
import { folderTransport } from '../transport/folder-transport.js';
import { overlayTransport } from '../transport/overlay-transport.js';
import type { RegistryTransport } from '../transport/registry-transport.js';
import type { NewFile } from './pending-files.js';
import type { RegistryRepository } from './registry-repository.js';
import { checkRepository } from './repository-check.js';

export interface MirrorOptions {
  readonly from: RegistryTransport;
  /** The root file that a person chose. */
  readonly root: Buffer;
  readonly to: RegistryRepository;
  readonly now: number;
  readonly acceptExpired?: boolean | undefined;
}

export interface MirrorReport {
  readonly releases: number;
  readonly files: number;
  readonly bytes: number;
}

const stagingPrefix = '.mirror-';
const maxEntriesBytes = 16 * 1024 * 1024;

/** Copies what is new. What is there already must be what the metadata names; nothing of it goes back. */
export async function mirrorRegistry({
  from,
  root,
  to,
  now,
  acceptExpired,
}: MirrorOptions): Promise<MirrorReport> {
  return to.exclusive(async () => {
    const view = await RegistryView.open({
      transport: from,
      trusted: await trustedIn(to.folder, root, now),
      now,
      acceptExpired,
    });
    makeFolder(to.folder, 0o755);
    await removeStaging(to.folder);
    const staging = await mkdtemp(join(to.folder, stagingPrefix));
    try {
      const copy = new MirrorCopy(view, { folder: to.folder, staging });
      const releases = await copy.collect();
      await assertWhole(root, copy.files, to.folder, now);
      await to.publish(copy.files);
      return { releases, files: copy.files.size, bytes: copy.bytes };
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  });
}

/** What copies left behind that were killed. Only inside of `exclusive`: no other copy is under way. */
async function removeStaging(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.startsWith(stagingPrefix)) await rm(join(folder, name), { recursive: true, force: true });
}

/** Nothing is published before the whole copy was checked, also its log and proofs. */
async function assertWhole(
  root: Buffer,
  files: ReadonlyMap<string, NewFile>,
  folder: string,
  now: number,
): Promise<void> {
  const transport = overlayTransport(files, folderTransport(folder));
  const copy = await RegistryView.open({
    transport,
    trusted: { root, role: () => undefined },
    now,
    acceptExpired: true,
  });
  const { problems } = await checkRepository(copy);
  if (problems.length === 0) return;
  throw new HostError(
    'integrity',
    `the registry is damaged, so it was not copied: ${problems.slice(0, 3).join('; ')}`,
    {
      hint: 'tell its operator',
    },
  );
}

class MirrorCopy {
  readonly files = new Map<string, NewFile>();
  bytes = 0;
  readonly #view: RegistryView;
  readonly #folder: string;
  readonly #staging: string;

  constructor(
    view: RegistryView,
    { folder, staging }: { readonly folder: string; readonly staging: string },
  ) {
    this.#view = view;
    this.#folder = folder;
    this.#staging = staging;
  }

  /** Reads and checks everything that is not in the copy yet. The number of releases. */
  async collect(): Promise<number> {
    const view = this.#view;
    const { transport, targets } = view;
    let releases = 0;
    for (const { name } of targets.document.delegations) {
      const file = await view.delegated(name);
      if (!name.startsWith('bin-')) {
        for (const [path, entry] of Object.entries(file?.document.targets ?? {}))
          await this.#target(targetFile(path, entry.sha256), entry);
        continue;
      }
      for (const delegation of file?.document.delegations ?? []) {
        const namespace = await view.namespace(delegation.paths[0]?.split('/')[1] ?? '');
        for (const { path, bundle, statements } of namespace?.releases ?? []) {
          releases += 1;
          await this.#target(targetFile(path, bundle.sha256), bundle);
          if (statements !== undefined)
            await this.#target(targetFile(statementsPath(path), statements.sha256), statements);
          if (!this.#has(proofFile(path)))
            this.#add(proofFile(path), await transport.read(proofFile(path), maxProofBytes));
        }
      }
    }
    await this.#log();
    const { root, timestamp, snapshot, roles, head } = view.trusted;
    for (let version = 1; version <= view.root.document.version; version++) {
      const path = `metadata/${version}.root.json`;
      const bytes =
        version === view.root.document.version ? root : await transport.read(path, metadataLimits.root);
      if (!this.#has(path)) this.#add(path, bytes);
    }
    for (const [role, { version, bytes }] of roles) {
      const path = `metadata/${version}.${role}.json`;
      if (!this.#has(path)) this.#add(path, bytes);
    }
    this.#add(`metadata/${view.snapshot.document.version}.snapshot.json`, snapshot);
    this.#add('metadata/timestamp.json', timestamp);
    this.#add('log/checkpoint', Buffer.from(head.note));
    return releases;
  }

  /** Tiles are checked when the copy is verified; they prove nothing that a head does not. */
  async #log(): Promise<void> {
    const { head } = this.#view;
    for (let bundle = 0; widthOf(0, bundle, head.size) > 0; bundle++)
      await this.#logFile(entriesPath(bundle, widthOf(0, bundle, head.size)), entriesPath(bundle, tileWidth));
    for (let level = 0; widthOf(level, 0, head.size) > 0; level++)
      for (let index = 0; widthOf(level, index, head.size) > 0; index++)
        await this.#logFile(
          tilePath({ level, index, width: widthOf(level, index, head.size) }),
          tilePath({ level, index, width: tileWidth }),
        );
  }

  async #logFile(path: string, fullPath: string): Promise<void> {
    for (const it of [path, fullPath]) {
      if (this.#has(`log/${it}`)) return;
      const bytes = await this.#view.readLog(it, maxEntriesBytes);
      if (bytes === undefined) continue;
      this.#add(`log/${it}`, bytes);
      return;
    }
  }

  async #target(path: string, entry: FileEntry): Promise<void> {
    if (this.#has(path) || this.files.has(path)) return;
    const staged = join(this.#staging, String(this.files.size));
    await this.#view.transport.fetch(path, entry, staged);
    this.files.set(path, { copyOf: staged });
    this.bytes += entry.length;
  }

  #add(path: string, bytes: Buffer | undefined): void {
    if (bytes === undefined) return;
    this.files.set(path, bytes);
    this.bytes += bytes.length;
  }

  /** Files with these names never change. */
  #has(path: string): boolean {
    return existsSync(join(this.#folder, path));
  }
}

/** What the copy says already, so that it does not go back. */
async function trustedIn(folder: string, root: Buffer, now: number): Promise<TrustedFiles> {
  const first: TrustedFiles = { root, role: () => undefined };
  if (!existsSync(join(folder, 'metadata/timestamp.json'))) return first;
  const view = await RegistryView.open({
    transport: folderTransport(folder),
    trusted: first,
    now,
    acceptExpired: true,
  });
  const { timestamp, snapshot, head } = view.trusted;
  return {
    root: await readFile(join(folder, `metadata/${view.root.document.version}.root.json`)),
    timestamp,
    snapshot,
    head,
    role: () => undefined,
  };
}
