// Publishing where the publisher's key and the registry are on one machine: sign, then accept.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256 } from '../../files/sha256.js';
import { HostError } from '../../model/host-error.js';
import { readArchive } from '../../sources/archive/archive.js';
import { bufferReader } from '../../sources/archive/byte-reader.js';
import { type DigestedFile, treeDigest } from '../../sources/tree-digest.js';
import type { RegistryView } from '../client/registry-view.js';
import type { RegistrySigner } from '../metadata/registry-key.js';
import { type ReleaseName, releasePath, targetFile } from '../names/package-name.js';
import type { ReleaseRecord } from '../names/release-record.js';
import { fileEntryOfBytes } from './file-entry.js';
import { enoughSigners, namespaceIn, signNamespace } from './namespace-approval.js';
import type { ChangedNamespace } from './namespace-file.js';
import type { RegistryRepository } from './registry-repository.js';
import {
  acceptNamespace,
  existingRelease,
  type NamespacePlan,
  otherContent,
  publishedIn,
  type ReleaseFiles,
  renewed,
  withReleases,
  withYank,
} from './release-publication.js';
import type { RepositoryChange } from './repository-change.js';
import type { OnlineSigners } from './repository-signers.js';

/** A bundle that passed every check, with what belongs to it. */
export interface CheckedRelease extends ReleaseName {
  readonly archive: Buffer;
  readonly statements?: Buffer | undefined;
  readonly summary: ReleaseFiles['summary'];
}

export type PublishOutcome = 'published' | 'exists';

export interface Publisher {
  readonly online: OnlineSigners;
  /** The keys of the publisher or team that are here. */
  readonly signers: readonly RegistrySigner[];
}

/** Publishes releases, of one or several namespaces, in one change. */
export async function publishReleases(
  repository: RegistryRepository,
  releases: readonly CheckedRelease[],
  { online, signers }: Publisher,
): Promise<readonly PublishOutcome[]> {
  const folder = await mkdtemp(join(tmpdir(), 'toolwharf-publish-'));
  try {
    const view = await repository.view();
    const outcomes = await Promise.all(releases.map((it) => outcomeOf(view, it)));
    const added = releases.filter((_, index) => outcomes[index] === 'published');
    if (added.length === 0) return outcomes;
    const byNamespace = new Map<string, CheckedRelease[]>();
    for (const it of added)
      byNamespace.set(it.name.namespace, [...(byNamespace.get(it.name.namespace) ?? []), it]);
    await repository.change(online, async (change) => {
      for (const [namespace, own] of byNamespace)
        await addReleases(change, namespace, own, { signers, folder });
    });
    return outcomes;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Withdraws a release. It stays in the registry and its log; clients do not choose it any more. */
export async function yankRelease(
  repository: RegistryRepository,
  release: ReleaseName & { readonly reason: string },
  { online, signers }: Publisher,
): Promise<void> {
  const { namespace } = release.name;
  await repository.change(online, async (change) => {
    const { found, plan } = await planFor(change, namespace);
    const document = withYank(found.document, release, plan);
    const able = enoughSigners(
      found.delegation,
      signers,
      `withdrawing ${release.name.text} ${release.version}`,
    );
    await acceptNamespace(change, namespace, signNamespace(document, able), new Map());
  });
}

/** Signs the file of a namespace again before it expires. Nothing in it changes. */
export async function renewNamespace(
  repository: RegistryRepository,
  namespace: string,
  { online, signers }: Publisher,
): Promise<void> {
  await repository.change(online, async (change) => {
    const { found, plan } = await planFor(change, namespace);
    const document = renewed(publishedIn(namespace, found.document), plan);
    const able = enoughSigners(found.delegation, signers, `renewing ${namespace}`);
    await acceptNamespace(change, namespace, signNamespace(document, able), new Map());
  });
}

async function addReleases(
  change: RepositoryChange,
  namespace: string,
  releases: readonly CheckedRelease[],
  { signers, folder }: { readonly signers: readonly RegistrySigner[]; readonly folder: string },
): Promise<void> {
  const { found, plan } = await planFor(change, namespace);
  const files = new Map<string, ReleaseFiles>();
  const entries = [];
  for (const { name, version, archive, statements, summary } of releases) {
    const bundle = fileEntryOfBytes(archive);
    const path = join(folder, bundle.sha256);
    await writeFile(path, archive, { mode: 0o600 });
    files.set(releasePath({ name, version }, change.view.bins), { bundle: path, statements, summary });
    entries.push({
      name,
      version,
      bundle,
      statements: statements === undefined ? undefined : fileEntryOfBytes(statements),
    });
  }
  const document = withReleases(found.document, entries, plan);
  const able = enoughSigners(found.delegation, signers, `a release in ${namespace}`);
  await acceptNamespace(change, namespace, signNamespace(document, able), files);
}

async function planFor(
  change: RepositoryChange,
  namespace: string,
): Promise<{ found: ChangedNamespace; plan: NamespacePlan }> {
  const found = await namespaceIn(change, namespace);
  if (found === undefined)
    throw new HostError('denied', `nobody was approved for the namespace ${namespace}`, {
      hint: 'a holder of the targets key approves its publisher: toolwharf registry approve NAMESPACE KEY',
    });
  const { bins, root } = change.view;
  return {
    found,
    plan: { role: found.delegation.name, bins, days: root.document.days, now: change.now },
  };
}

async function outcomeOf(view: RegistryView, release: CheckedRelease): Promise<PublishOutcome> {
  const namespace = await view.namespace(release.name.namespace);
  const existing = existingRelease(namespace?.releases ?? [], release);
  if (existing === undefined) return 'published';
  if (await isSameContent(view, existing, release.archive)) return 'exists';
  throw otherContent(release);
}

/** The same files, even if another version of the compressor wrote the archive. */
export async function isSameContent(
  view: RegistryView,
  { path, bundle }: ReleaseRecord,
  archive: Buffer,
): Promise<boolean> {
  if (sha256(archive) === bundle.sha256) return true;
  const published = await view.transport.read(targetFile(path, bundle.sha256), bundle.length);
  return published !== undefined && (await digestOf(published)) === (await digestOf(archive));
}

async function digestOf(archive: Buffer): Promise<string> {
  const files: DigestedFile[] = [];
  for await (const { path, executable, bytes } of readArchive(bufferReader(archive)))
    files.push({ path, executable, bytes: bytes.length, sha256: sha256(bytes) });
  return treeDigest(files);
}
