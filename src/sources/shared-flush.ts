import * as fs from 'node:fs';
import { promisify } from 'node:util';
import { flush } from '../environment/file-tree.js';

const fsync = promisify(fs.fsync);

interface Waiting {
  readonly descriptors: readonly number[];
  readonly folder?: string;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Flushes files to disk, all those together that are asked for at the same moment. Each flush makes the file system write
 * its journal, and the next program that creates a file waits for it. So trees that are stored at once are first written and
 * then flushed, instead of waiting for each other.
 */
export class SharedFlush {
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;

  /** Resolves when the open files and folders are on disk. They stay open. */
  flush(descriptors: readonly number[]): Promise<void> {
    return this.#add({ descriptors });
  }

  /** Resolves when the entries of a folder are on disk. Flushed once for all that wait for it. */
  flushFolder(folder: string): Promise<void> {
    return this.#add({ descriptors: [], folder });
  }

  #add(request: Pick<Waiting, 'descriptors' | 'folder'>): Promise<void> {
    return new Promise((done, failed) => {
      this.#waiting.push({ ...request, done, failed });
      this.#running ??= this.#run();
    });
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Work that is ready now may write first, and join.
      await new Promise((resolve) => setImmediate(resolve));
      const group = this.#waiting;
      this.#waiting = [];
      const folders = new Map<string, Promise<void>>();
      const flushed = (it: string) => folders.get(it) ?? keep(folders, it, flush(it));
      await Promise.all(
        group.map(async ({ descriptors, folder, done, failed }) => {
          const work = descriptors.map((it) => fsync(it));
          if (folder !== undefined) work.push(flushed(folder));
          // A descriptor is closed after an error, so nothing may still use one.
          const results = await Promise.allSettled(work);
          const failure = results.find((it) => it.status === 'rejected');
          if (failure === undefined) done();
          else failed(failure.reason);
        }),
      );
    }
    this.#running = undefined;
  }
}

function keep<T>(map: Map<string, T>, key: string, value: T): T {
  map.set(key, value);
  return value;
}
