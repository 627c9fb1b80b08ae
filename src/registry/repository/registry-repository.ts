// A registry in a folder, as its operator changes it. One writer at a time; readers need no lock.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from '../../files/make-folder.js';
import { HostError } from '../../model/host-error.js';
import { lockState, type StateLock } from '../../store/sqlite/state-lock.js';
import { RegistryView } from '../client/registry-view.js';
import { folderTransport } from '../transport/folder-transport.js';
import { assertNextState } from './next-state.js';
import { finishPending, isUnfinished, type NewFile, publishFiles } from './pending-files.js';
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
  /** How long a writer waits for another one. Default: 10,000. */
  readonly lockWaitMs?: number | undefined;
}

const lockLookMs = 50;

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
      await this.publishChange(change, await change.files());
      return result;
    });
  }

  /** Finishes what a writer left unfinished, if there is anything, so that the keys that are needed next are the right ones. */
  async finish(): Promise<void> {
    if (isUnfinished(this.#options.folder)) await this.exclusive(async () => {});
  }

  /** Runs work as the only writer. What another writer left unfinished is finished first. */
  async exclusive<T>(work: () => Promise<T>): Promise<T> {
    const { folder, lockFolder, durable } = this.#options;
    folderAt(lockFolder, 0o700);
    const lock = await this.#lock();
    try {
      await finishPending(folder, { durable });
      return await work();
    } catch (error) {
      throw notWritable(error, folder);
    } finally {
      lock.release();
    }
  }

  /** Changes take less than a second, so another writer is waited for. */
  async #lock(): Promise<StateLock> {
    const { folder, lockFolder, lockWaitMs = 10_000 } = this.#options;
    const deadline = performance.now() + lockWaitMs;
    for (;;)
      try {
        return lockState(lockFolder);
      } catch (error) {
        if (!(error instanceof HostError) || error.code !== 'state_locked') throw error;
        if (performance.now() >= deadline)
          throw new HostError('state_locked', `another process is changing the registry in ${folder}`, {
            cause: error,
            hint: 'try again once it has finished',
          });
        await sleep(lockLookMs);
      }
  }

  /** Publishes the files of a change, if clients will accept them. Only inside of `exclusive`. */
  async publishChange(change: RepositoryChange, files: ReadonlyMap<string, NewFile>): Promise<void> {
    await assertNextState(change.view, files, { roles: change.changedRoles, now: change.now });
    await this.publish(files);
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
    folderAt(folder, 0o755);
    const names = (await readdir(folder)).filter((it) => it !== '.pending');
    if (names.length > 0)
      throw new HostError('usage', `${folder} is not empty`, {
        hint: 'choose a new folder for the registry',
      });
    await rm(join(folder, '.pending'), { recursive: true, force: true });
  }
}

/** Throws if the folder is not there and cannot be created. */
function folderAt(path: string, mode: number): void {
  try {
    makeFolder(path, mode);
  } catch (error) {
    throw notWritable(error, path);
  }
}

/** A folder that cannot be written is a matter of the operator, not a bug. */
function notWritable(error: unknown, folder: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof HostError || code === undefined || !/^E[A-Z]+$/.test(code)) return error;
  return new HostError('state_unusable', `${folder} cannot be written: ${code}`, {
    cause: error,
    hint:
      code === 'ELOOP'
        ? 'a folder in it is a link, which is not followed: move the real folder there'
        : 'check the path, that you own it and can write to it, and that the disk is not full',
  });
}
