// Publishing where the registry is a folder of this machine: the same checks and the same statements as at a server.
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { sha256 } from '../../files/sha256.js';
import type { FormatDescriptor } from '../../formats/format-descriptor.js';
import { HostError } from '../../model/host-error.js';
import { packageNamesIn } from '../client/registry-targets.js';
import type { NamespaceView, RegistryView } from '../client/registry-view.js';
import type { TextModel } from '../contribute/model-check/text-model.js';
import { reviewFolder } from '../contribute/publish/review-folder.js';
import type { RegistrySigner } from '../metadata/registry-key.js';
import type { ReleaseName } from '../names/package-name.js';
import { summaryOfPackage } from '../names/package-summary.js';
import { fileEntryOfBytes } from '../repository/file-entry.js';
import { enoughSigners, signNamespace } from '../repository/namespace-approval.js';
import type { RegistryRepository } from '../repository/registry-repository.js';
import {
  existingRelease,
  type NamespacePlan,
  otherContent,
  publishedIn,
  renewed,
  withReleases,
  withYank,
} from '../repository/release-publication.js';
import { isSameContent, publishReleases } from '../repository/release-publishing.js';
import type { OnlineSigners } from '../repository/repository-signers.js';
import { withArchive } from '../server/opened-archive.js';
import { PublicationIntake } from '../server/publication-intake.js';
import { screenRelease } from '../server/screening.js';
import { defaultUploadLimits, UploadFolder } from '../server/upload-folder.js';
import { withArchiveFile } from './package-archive.js';
import type { RemotePublicationResult, RemoteRelease } from './remote-publication.js';
import {
  assertSignedEnough,
  publicationOf,
  type SignedPublication,
  someSigners,
} from './signed-publication.js';

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
  /** Whether the publication is returned for the signatures of others. Default: false. */
  readonly collects?: boolean | undefined;
}

export async function publishLocally(
  release: RemoteRelease,
  options: LocalPublicationOptions,
): Promise<RemotePublicationResult> {
  const { repository, online, signers, formats, model, now, data, publisher } = options;
  const { name, version, archive } = release;
  const what = `a release in ${name.namespace}`;
  // Nobody looks at a package that its publisher may not publish, or that is there already.
  const { view, found } = await namespaceOf(repository, name.namespace, now());
  const existing = existingRelease(found.releases, release);
  if (existing !== undefined) {
    if (await isSameContent(view, existing, archive)) return { status: 'exists' };
    throw otherContent(release);
  }
  if (options.collects === true) someSigners(found.delegation, signers, what);
  else enoughSigners(found.delegation, signers, what);
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
    if (options.collects === true)
      return { status: 'signed', publication: await collected({ ...release, statements }, options) };
    const [status = 'published'] = await publishReleases(
      repository,
      [{ name, version, archive, statements, summary }],
      { online, signers },
    );
    return { status };
  });
}

/** The publication as the keys that are here sign it. Nothing is published. */
async function collected(
  { name, version, archive, statements }: Omit<RemoteRelease, 'statements'> & { readonly statements: Buffer },
  { repository, signers, now }: LocalPublicationOptions,
): Promise<SignedPublication> {
  const { found, plan } = await namespaceOf(repository, name.namespace, now());
  const entry = {
    ...{ name, version },
    ...{ bundle: fileEntryOfBytes(archive), statements: fileEntryOfBytes(statements) },
  };
  const able = someSigners(found.delegation, signers, `a release in ${name.namespace}`);
  return publicationOf(name.namespace, withReleases(found.file?.document, [entry], plan), {
    sign: (it) => signNamespace(it, able),
    ...{ statements: { [entry.bundle.sha256]: statements.toString('utf8') } },
    ...{ archives: { [entry.bundle.sha256]: archive } },
  });
}

/** A withdrawal, for the signatures of others. Nothing is published. */
export async function withdrawalOf(
  release: ReleaseName & { readonly reason: string },
  { repository, signers, now }: Pick<LocalPublicationOptions, 'repository' | 'signers' | 'now'>,
): Promise<SignedPublication> {
  const { namespace } = release.name;
  const { found, plan } = await namespaceOf(repository, namespace, now());
  const able = someSigners(found.delegation, signers, `withdrawing ${release.name.text}`);
  return publicationOf(namespace, withYank(found.file?.document, release, plan), {
    sign: (it) => signNamespace(it, able),
  });
}

/** The file of a namespace signed again, by all keys that are here: also those of a new owner. Nothing is published. */
export async function renewalOf(
  namespace: string,
  { repository, signers, now }: Pick<LocalPublicationOptions, 'repository' | 'signers' | 'now'>,
): Promise<SignedPublication> {
  const { found, plan } = await namespaceOf(repository, namespace, now());
  return publicationOf(namespace, renewed(publishedIn(namespace, found.file?.document), plan), {
    sign: (it) => signNamespace(it, signers),
  });
}

/** Publishes what members of a team signed one after the other, in a registry of this machine. */
export async function sendLocally(
  publication: SignedPublication,
  {
    repository,
    data,
    online,
    formats,
    now,
  }: Pick<LocalPublicationOptions, 'repository' | 'data' | 'online' | 'formats' | 'now'>,
): Promise<void> {
  const { namespace, metadata, statements, archives } = publication;
  const { found, view } = await namespaceOf(repository, namespace, now());
  assertSignedEnough(publication, found, view);
  const uploads = new UploadFolder(data, defaultUploadLimits, now);
  for (const [hash, bytes] of Object.entries(archives))
    await uploads.receive(
      { sha256: hash, length: bytes.length, sender: 'this machine' },
      Readable.from([bytes]),
    );
  const intake = new PublicationIntake({ repository, online, uploads, formats });
  await intake.publish(
    { namespace, metadata: Buffer.from(metadata), statements: new Map(Object.entries(statements)) },
    { role: 'publish', namespaces: [namespace], name: 'this machine' },
  );
}

/** A namespace of a registry of this machine, and what its next file needs. */
export async function namespaceOf(
  repository: RegistryRepository,
  namespace: string,
  now: number,
): Promise<{ readonly view: RegistryView; readonly found: NamespaceView; readonly plan: NamespacePlan }> {
  const view = await repository.view();
  const found = await view.namespace(namespace);
  if (found === undefined)
    throw new HostError('denied', `nobody was approved for the namespace ${namespace}`, {
      hint: 'a holder of the targets key approves its publisher: toolwharf registry approve NAMESPACE KEY',
    });
  const { bins, root } = view;
  return { view, found, plan: { role: found.role, bins, days: root.document.days, now } };
}
