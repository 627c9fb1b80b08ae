import * as fs from 'node:fs';
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  lchownSync,
  mkdirSync,
  openSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import { sha256 } from '../files/sha256.js';
import { HostError } from '../model/host-error.js';
import type { FilePool } from './file-pool.js';
import type { SharedFlush } from './shared-flush.js';
import type { DigestedFile } from './tree-digest.js';
import type { TreeFile, TreeFiles } from './tree-file.js';

/** How much is written before it is flushed. Files stay open until then, because a failure to write them may show only there. */
const maxOpenFiles = 64;
const maxOpenBytes = 16 * 1024 * 1024;
/** Up to this size, writing takes less time than handing it to another thread. Waiting for the disk is always left to one. */
const maxSyncBytes = 256 * 1024;

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY } = constants;
const writeFile = promisify(fs.writeFile);

interface WriteOptions {
  /** A folder that only the host can reach. */
  readonly root: string;
  readonly pool: FilePool;
  readonly flushes: SharedFlush;
}

/** Writes one tree: its files, then `seal`. `close` must follow, also after an error. */
export class TreeWriter {
  readonly #options: WriteOptions;
  readonly #folders = new Set<string>();
  #open: number[] = [];
  #openBytes = 0;
  #writing: Promise<void>[] = [];

  constructor(options: WriteOptions) {
    this.#options = options;
  }

  /** Writes the files, each read-only. The last ones are on disk only after `seal`. */
  async write(files: TreeFiles, signal: AbortSignal): Promise<readonly DigestedFile[]> {
    const written: DigestedFile[] = [];
    for await (const it of files) {
      if (signal.aborted) throw new HostError('canceled', 'storing the files was canceled');
      const { path, executable, bytes } = it;
      const file: DigestedFile = { path, executable, bytes: bytes.length, sha256: sha256(bytes) };
      written.push(file);
      await this.#writeUnlessKnown(it, file);
      if (this.#open.length >= maxOpenFiles || this.#openBytes >= maxOpenBytes) await this.#flush();
    }
    await this.#written();
    return written;
  }

  /**
   * Makes the folders read-only, and flushes them with the files that are left. `root`: the top folder, which stays
   * writable, because a read-only folder cannot be moved.
   */
  async seal(root: string, files: readonly DigestedFile[]): Promise<void> {
    // Relative to the root, so that no folder above it is ever touched.
    const folders = new Set<string>(['.']);
    for (const { path } of files)
      for (let it = dirname(path); !folders.has(it); it = dirname(it)) folders.add(it);
    const depth = (path: string) => (path === '.' ? 0 : path.split(sep).length);
    for (const it of [...folders].sort((a, b) => depth(b) - depth(a))) {
      const folder = join(root, it);
      if (isRoot()) lchownSync(folder, 0, 0);
      chmodSync(folder, it === '.' ? 0o755 : 0o555);
      this.#open.push(openSync(folder, O_RDONLY | O_NOFOLLOW));
      if (this.#open.length >= maxOpenFiles) await this.#flush();
    }
    await this.#flush();
  }

  /** Closes files that were not flushed. Afterwards nothing writes to the folder any more. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#writing);
    this.#closeFiles();
  }

  async #writeUnlessKnown({ path, bytes, executable }: TreeFile, file: DigestedFile): Promise<void> {
    const { root, pool } = this.#options;
    const target = join(root, path);
    const parent = dirname(target);
    if (!this.#folders.has(parent)) {
      mkdirSync(parent, { recursive: true });
      this.#folders.add(parent);
    }
    // Files of the pool belong to a finished tree, so they are on disk.
    if (pool.has(file) && (await pool.copy(file, bytes, target))) return;
    const descriptor = openSync(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    this.#open.push(descriptor);
    this.#openBytes += bytes.length;
    if (isRoot()) fchownSync(descriptor, 0, 0);
    fchmodSync(descriptor, executable ? 0o555 : 0o444);
    if (bytes.length <= maxSyncBytes) return writeFileSync(descriptor, bytes);
    const writing = writeFile(descriptor, bytes);
    // It is reported when the files are flushed.
    writing.catch(() => {});
    this.#writing.push(writing);
  }

  async #written(): Promise<void> {
    const writing = this.#writing;
    await Promise.all(writing);
    this.#writing = [];
  }

  async #flush(): Promise<void> {
    await this.#written();
    await this.#options.flushes.flush(this.#open);
    this.#closeFiles();
  }

  #closeFiles(): void {
    const open = this.#open;
    this.#open = [];
    this.#openBytes = 0;
    for (const it of open) closeSync(it);
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
