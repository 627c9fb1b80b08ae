// Everything that a registry server needs besides its port, put together from two folders: the files of the registry,
// which anybody may read, and the data of the server, which nobody else may.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../files/make-folder.js';
import type { FormatDescriptor } from '../../formats/format-descriptor.js';
import { HostError } from '../../model/host-error.js';
import type { TextModel } from '../contribute/model-check/text-model.js';
import { reviewFolder } from '../contribute/publish/review-folder.js';
import { FollowedListing } from '../listing/followed-listing.js';
import type { ListingStore, ReleaseRow } from '../listing/listing-store.js';
import { sqliteListing } from '../listing/sqlite-listing.js';
import { RegistryRepository } from '../repository/registry-repository.js';
import type { OnlineSigners } from '../repository/repository-signers.js';
import { PublicationIntake } from './publication-intake.js';
import { PublisherTokens } from './publisher-tokens.js';
import { ReleaseLaunch } from './release-launch.js';
import type { LaunchFacts } from './server-projection.js';
import { defaultUploadLimits, UploadFolder, type UploadLimits } from './upload-folder.js';

export interface RegistryServerPartsOptions {
  /** The files of the registry. */
  readonly folder: string;
  /** Tokens, archives that wait, the review queue and the listing. Never published. */
  readonly data: string;
  readonly formats: readonly FormatDescriptor[];
  /** Undefined: this server cannot publish. */
  readonly online: OnlineSigners | undefined;
  readonly model?: TextModel | undefined;
  /** Undefined: a file in the data folder. */
  readonly postgres?: string | undefined;
  readonly uploadLimits?: Partial<UploadLimits> | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly durable?: boolean | undefined;
}

export interface RegistryServerParts {
  readonly listing: FollowedListing;
  readonly tokens: PublisherTokens;
  readonly publishing: { readonly intake: PublicationIntake; readonly uploads: UploadFolder } | undefined;
  readonly launchFacts: (row: ReleaseRow) => Promise<LaunchFacts>;
  close(): Promise<void>;
}

const maxNames = 1_000_000;
const sweepMs = 10 * 60_000;

/** Throws if the registry cannot be verified. */
export async function openRegistryServerParts(
  options: RegistryServerPartsOptions,
): Promise<RegistryServerParts> {
  const { folder, data, formats, online, now } = options;
  const root = await readFile(join(folder, 'metadata', '1.root.json')).catch((error: unknown) => {
    throw new HostError('not_found', `there is no registry in ${folder}`, {
      cause: error,
      hint: 'create one: toolwharf registry init FOLDER',
    });
  });
  makeFolder(data, 0o700);
  const store = await openStore(options);
  try {
    const listing = new FollowedListing({ folder, store, root, now });
    await listing.refresh();
    const uploads = new UploadFolder(data, { ...defaultUploadLimits, ...options.uploadLimits }, now);
    const launch = new ReleaseLaunch({ folder, listing, formats });
    const publishing =
      online === undefined
        ? undefined
        : {
            uploads,
            intake: new PublicationIntake({
              repository: new RegistryRepository({
                folder,
                lockFolder: join(data, 'lock'),
                now,
                durable: options.durable,
              }),
              online,
              uploads,
              formats,
              screening: {
                model: options.model,
                queue: reviewFolder(data),
                existingNames: (except) => otherNames(listing, except),
                now,
              },
            }),
          };
    await publishing?.intake.renew(now());
    const sweep = async () => {
      await uploads.sweep();
      await publishing?.intake.renew(now());
    };
    // What fails now is tried again the next time; readers notice a registry that expires.
    const sweeping = setInterval(() => void sweep().catch(() => {}), sweepMs);
    sweeping.unref();
    return {
      listing,
      tokens: new PublisherTokens(data, now),
      publishing,
      launchFacts: (row) => launch.factsOf(row),
      async close() {
        clearInterval(sweeping);
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openStore({ data, postgres }: RegistryServerPartsOptions): Promise<ListingStore> {
  if (postgres === undefined) return sqliteListing(join(data, 'listing.db'));
  // Loaded only where it is used.
  const { postgresListing } = await import('../listing/postgres-listing.js');
  return postgresListing(postgres);
}

async function otherNames(listing: FollowedListing, except: string): Promise<string[]> {
  await listing.refresh();
  const rows = await listing.store.releases({ version: 'latest', limit: maxNames });
  return rows.flatMap(({ release }) =>
    release.name === except ? [] : [release.name.slice(release.name.indexOf('/') + 1)],
  );
}
