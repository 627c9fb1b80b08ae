import { join } from 'node:path';
import type { FormatDescriptor } from '../../formats/format-descriptor.js';
import type { FollowedListing } from '../listing/followed-listing.js';
import type { ReleaseRow } from '../listing/listing-store.js';
import { releasePath, targetFile, tryPackageName } from '../names/package-name.js';
import { fileEntryOfPath } from '../repository/file-entry.js';
import { withArchive } from './opened-archive.js';
import { type LaunchFacts, launchFactsOf, noLaunchFacts } from './server-projection.js';

export interface ReleaseLaunchOptions {
  readonly folder: string;
  readonly listing: FollowedListing;
  readonly formats: readonly FormatDescriptor[];
}

const maxKnown = 10_000;

/** How MCP servers of a registry are started, read from their archives once. Other packages need this host. */
export class ReleaseLaunch {
  readonly #options: ReleaseLaunchOptions;
  /** By the hash of the archive. */
  readonly #known = new Map<string, Promise<LaunchFacts>>();

  constructor(options: ReleaseLaunchOptions) {
    this.#options = options;
  }

  async factsOf({ release, summary }: ReleaseRow): Promise<LaunchFacts> {
    if (summary?.format !== 'mcp') return noLaunchFacts;
    const { sha256 } = release;
    const known = this.#known.get(sha256);
    if (known !== undefined) return known;
    const facts = this.#read(release.name, release.version, sha256).catch(() => {
      // One archive that cannot be read does not hide all others. What is wrong with it, "registry verify" says.
      this.#known.delete(sha256);
      return noLaunchFacts;
    });
    if (this.#known.size >= maxKnown) this.#known.clear();
    this.#known.set(sha256, facts);
    return facts;
  }

  async #read(name: string, version: string, sha256: string): Promise<LaunchFacts> {
    const { folder, formats, listing } = this.#options;
    const parsed = tryPackageName(name);
    const bins = listing.view?.bins;
    if (parsed === undefined || bins === undefined) return noLaunchFacts;
    const path = targetFile(releasePath({ name: parsed, version }, bins), sha256);
    const archive = join(folder, path);
    // Clients of the API start what they read here, and cannot check it.
    if ((await fileEntryOfPath(archive)).sha256 !== sha256) throw new Error(`${archive} has other content`);
    return withArchive(archive, formats, async (it) =>
      it.package === undefined ? noLaunchFacts : launchFactsOf(it.package),
    );
  }
}
