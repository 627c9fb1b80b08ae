// Publishing where the registry is a folder of this machine: the same checks and the same statements as at a server.
import { randomBytes } from 'node:crypto';
import { sha256 } from '../../files/sha256.js';
import type { FormatDescriptor } from '../../formats/format-descriptor.js';
import { HostError } from '../../model/host-error.js';
import { packageNamesIn } from '../client/registry-targets.js';
import type { TextModel } from '../contribute/model-check/text-model.js';
import { reviewFolder } from '../contribute/publish/review-folder.js';
import type { RegistrySigner } from '../metadata/registry-key.js';
import { summaryOfPackage } from '../names/package-summary.js';
import type { RegistryRepository } from '../repository/registry-repository.js';
import { publishReleases } from '../repository/release-publishing.js';
import type { OnlineSigners } from '../repository/repository-signers.js';
import { withArchive } from '../server/opened-archive.js';
import { screenRelease } from '../server/screening.js';
import { withArchiveFile } from './package-archive.js';
import type { RemotePublicationResult, RemoteRelease } from './remote-publication.js';

export interface LocalPublicationOptions {
  readonly repository: RegistryRepository;
  /** The private folder of the registry, with the review queue. */
  readonly data: string;
  readonly online: OnlineSigners;
  readonly signers: readonly RegistrySigner[];
  readonly formats: readonly FormatDescriptor[];
  readonly model: TextModel | undefined;
  /** Who publishes, for the review queue. */
  readonly publisher: string;
  readonly now: () => number;
}

export async function publishLocally(
  release: RemoteRelease,
  options: LocalPublicationOptions,
): Promise<RemotePublicationResult> {
  const { repository, online, signers, formats, model, now, data, publisher } = options;
  const { name, version, archive } = release;
  return withArchiveFile(archive, async (path) => {
    const screened = await screenRelease(
      { name, version, archive: path, sha256: sha256(archive), publisher },
      {
        ...{ formats, model, now },
        queue: reviewFolder(data),
        existingNames: async (except) =>
          (await packageNamesIn(await repository.view()))
            .filter((it) => it !== except)
            .map((it) => it.slice(it.indexOf('/') + 1)),
        signers: () => online.quarantine,
        randomId: () => randomBytes(16).toString('hex'),
      },
    );
    if (screened.status === 'waits-for-review')
      return { status: screened.status, review: screened.review, findings: screened.findings as never };
    const summary = await withArchive(
      path,
      formats,
      async ({ package: pkg }) => pkg && summaryOfPackage(pkg),
    );
    if (summary === undefined) throw new HostError('invalid_manifest', 'the manifest has errors');
    const statements = Buffer.from(
      `${[JSON.stringify(screened.statement), ...release.statements].join('\n')}\n`,
    );
    const [status = 'published'] = await publishReleases(
      repository,
      [{ name, version, archive, statements, summary }],
      { online, signers },
    );
    return { status };
  });
}
