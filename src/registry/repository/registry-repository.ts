// A registry in a folder, as its operator changes it. One writer at a time; readers need no lock.
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { HostError } from '../../model/host-error.js';
import { lockState } from '../../store/state-lock.js';
import { RegistryView } from '../client/registry-view.js';
import { folderTransport } from '../transport/folder-transport.js';
import { finishPending, type NewFile, publishFiles } from './pending-files.js';
import { RepositoryChange } from './repository-change.js';
import type { OnlineSigners } from './repository-signers.js';
import { removeSuperseded } from './superseded-files.js';

export interface RepositoryOptions {
  readonly folder: string;
  /** Where the lock of the writer is; never published. */
  readonly lockFolder: string;
  readonly now: () => number;
  /** Whether files are on disk before a change is finished. Default: true. */
  readonly durable?: boolean | undefined;
  readonly cosign?: ((note: string) => Promise<string>) | undefined;
}

export class RegistryRepository {
  readonly #options: RepositoryOptions;

  constructor(options: RepositoryOptions) {
    this.#options = options;
  }

  get folder(): string {
    return this.#options.folder;
  }

  /** The present state. Expired files are accepted: a writer renews them. */
  async view(): Promise<RegistryView> {
    const { folder, now } = this.#options;
    const transport = folderTransport(folder);
    const root = await transport.read('metadata/1.root.json', 512 * 1024);
    if (root === undefined)
      throw new HostError('not_found', `there is no registry in ${folder}`, {
        hint: 'check the path, or create a registry there first',
      });
    return RegistryView.open({
      transport,
      trusted: { root, role: () => undefined },
      now: now(),
      acceptExpired: true,
    });
  }

  /** Changes the registry. If `work` throws, nothing was changed. */
  async change<T>(signers: OnlineSigners, work: (change: RepositoryChange) => Promise<T>): Promise<T> {
    return this.exclusive(async () => {
      const { now, cosign } = this.#options;
      const change = new RepositoryChange(await this.view(), { signers, now: now(), cosign });
      const result = await work(change);
      await this.publish(await change.files());
      return result;
    });
  }

  /** Runs work as the only writer. What another writer left unfinished is finished first. */
  async exclusive<T>(work: () => Promise<T>): Promise<T> {
    const { folder, lockFolder, durable } = this.#options;
    await mkdir(lockFolder, { recursive: true, mode: 0o700 });
    const lock = lockState(lockFolder);
    try {
      await finishPending(folder, { durable });
      return await work();
    } finally {
      lock.release();
    }
  }

  /** Publishes files in their order. Only inside of `exclusive`. */
  async publish(files: ReadonlyMap<string, NewFile>): Promise<void> {
    const { folder, durable } = this.#options;
    await publishFiles(folder, files, { durable });
    await removeSuperseded(folder, [...files.keys()]);
  }

  /** Throws if the folder has anything that is not a registry. */
  async assertEmpty(): Promise<void> {
    const { folder } = this.#options;
    await mkdir(folder, { recursive: true });
    const names = (await readdir(folder)).filter((it) => it !== '.pending');
    if (names.length > 0)
      throw new HostError('usage', `${folder} is not empty`, {
        hint: 'choose a new folder for the registry',
      });
    await rm(join(folder, '.pending'), { recursive: true, force: true });
  }
}
