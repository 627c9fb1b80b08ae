// What tuf-js, another client of TUF, says about a registry in a folder.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { BaseFetcher, Updater } from 'tuf-js';

/** The only error that the client understands as "there is no newer root". It is not exported by its main file. */
const { DownloadHTTPError } = createRequire(import.meta.url)('tuf-js/dist/error.js') as {
  DownloadHTTPError: new (message: string, status: number) => Error;
};

class FolderFetcher extends BaseFetcher {
  readonly #folder: string;

  constructor(folder: string) {
    super();
    this.#folder = folder;
  }

  async fetch(url: string): Promise<Readable> {
    const path = decodeURIComponent(new URL(url).pathname);
    try {
      return Readable.from([await readFile(join(this.#folder, path))]);
    } catch {
      throw new DownloadHTTPError('Failed to download', 404);
    }
  }
}

/** A client of another program, with a memory of its own. */
export class TufOracle {
  readonly #memory = mkdtempSync(join(tmpdir(), 'tuf-oracle-'));

  constructor(root: Uint8Array) {
    writeFileSync(join(this.#memory, 'root.json'), root);
  }

  /** The bytes of a target; undefined if the registry does not have it. Throws if the registry is rejected. */
  async read(folder: string, path: string): Promise<Buffer | undefined> {
    const updater = new Updater({
      metadataDir: this.#memory,
      metadataBaseUrl: 'http://registry.test/metadata',
      targetDir: this.#memory,
      targetBaseUrl: 'http://registry.test/targets',
      fetcher: new FolderFetcher(folder),
    });
    await updater.refresh();
    const info = await updater.getTargetInfo(path);
    if (info === undefined) return undefined;
    return readFile(await updater.downloadTarget(info));
  }

  close(): void {
    rmSync(this.#memory, { recursive: true, force: true });
  }
}
