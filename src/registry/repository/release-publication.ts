// Releases: what a publisher signs, and what a registry accepts. Both sides can be different machines: a publisher needs
// its own key and the present state of the registry, the registry needs its online keys.
import { HostError } from '../../model/host-error.js';
import type { ExpiryDays, FileEntry, TargetsDocument } from '../metadata/metadata-document.js';
import {
  isReleaseVersion,
  type ReleaseName,
  releasePath,
  targetFile,
  twinKey,
} from '../names/package-name.js';
import {
  checkedReason,
  type ReleaseRecord,
  releaseEntry,
  releaseRecords,
  statementsPath,
} from '../names/release-record.js';
import type { ReleaseSummary } from '../names/release-summary.js';
import { fileEntryOfBytes, fileEntryOfPath } from './file-entry.js';
import { namespaceIn } from './namespace-approval.js';
import { checkedNamespace } from './namespace-file.js';
import { describePackages } from './package-description.js';
import { type RepositoryChange, timeText } from './repository-change.js';

/** A checked bundle that is to be published. */
export interface Release extends ReleaseName {
  /** The archive, made by `writeBundleArchive`. */
  readonly bundle: FileEntry;
  /** Signed statements about it, one DSSE envelope per line; undefined: none. */
  readonly statements: FileEntry | undefined;
}

/** The files of a release that arrive with the signed namespace. */
export interface ReleaseFiles {
  /** Path of the archive on this machine. */
  readonly bundle: string;
  readonly statements?: Buffer | undefined;
  readonly summary: Omit<ReleaseSummary, 'name' | 'version'>;
}

/** What the next file of a namespace needs. */
export interface NamespacePlan {
  readonly role: string;
  readonly bins: number;
  readonly days: ExpiryDays;
  readonly now: number;
}

const dayMs = 24 * 60 * 60 * 1000;

/** The next file of a namespace, with more releases. Throws if one is there with other content. */
export function withReleases(
  old: TargetsDocument | undefined,
  releases: readonly Release[],
  plan: NamespacePlan,
): TargetsDocument {
  const targets = { ...old?.targets };
  for (const it of releases) {
    if (!isReleaseVersion(it.version))
      throw new HostError('usage', `${JSON.stringify(it.version)} is not a version that a registry can have`);
    const path = releasePath(it, plan.bins);
    const existing = Object.hasOwn(targets, path) ? targets[path] : undefined;
    if (existing !== undefined && existing.sha256 !== it.bundle.sha256) throw otherContent(it);
    targets[path] ??= releaseEntry({ ...it, yanked: undefined });
  }
  return nextDocument(old, targets, plan);
}

/** The next file of a namespace, in which a release is withdrawn. It stays there, and installed copies are told. */
export function withYank(
  old: TargetsDocument | undefined,
  { name, version, reason }: ReleaseName & { readonly reason: string },
  plan: NamespacePlan,
): TargetsDocument {
  const path = releasePath({ name, version }, plan.bins);
  const entry = old?.targets[path];
  if (entry === undefined || old === undefined)
    throw new HostError('not_found', `the registry has no ${name.text} ${version}`);
  const yanked = { ...entry, custom: { ...entry.custom, yanked: checkedReason(reason) } };
  return nextDocument(old, { ...old.targets, [path]: yanked }, plan);
}

/** Throws if nothing was published in a namespace: then it has no file that could expire. */
export function publishedIn(namespace: string, document: TargetsDocument | undefined): TargetsDocument {
  if (document !== undefined) return document;
  throw new HostError('not_found', `nothing was published in the namespace ${namespace}, so nothing expires`);
}

/** The same content with a new time of expiry. */
export function renewed(old: TargetsDocument, plan: NamespacePlan): TargetsDocument {
  return nextDocument(old, old.targets, plan);
}

/** Whether the registry has this release: `same` content, other content, or undefined. */
export function existingRelease(
  releases: readonly ReleaseRecord[],
  { name, version }: ReleaseName,
): ReleaseRecord | undefined {
  return releases.find((it) => it.name.text === name.text && it.version === version);
}

export function otherContent({ name, version }: ReleaseName): HostError {
  return new HostError(
    'integrity',
    `${name.text} ${version} is published already with other content; a release never changes`,
    { hint: 'publish a new version' },
  );
}

/** Accepts a new file of a namespace with the files of its new releases. What it says must be a permitted change. */
export async function acceptNamespace(
  change: RepositoryChange,
  namespace: string,
  bytes: Buffer,
  files: ReadonlyMap<string, ReleaseFiles>,
): Promise<readonly ReleaseRecord[]> {
  const found = await namespaceIn(change, namespace);
  if (found === undefined)
    throw new HostError('denied', `nobody was approved for the namespace ${namespace}`, {
      hint: 'ask the operator of the registry to approve you',
    });
  const next = checkedNamespace(namespace, bytes, found, change);
  const records = releaseRecords(next, change.view.bins);
  const added: ReleaseRecord[] = [];
  const changed = new Set<string>();
  for (const it of records) {
    const old = found.document?.targets[it.path];
    if (old === undefined) added.push(it);
    else if (it.yanked === undefined || it.yanked === old.custom.yanked) continue;
    else recordYank(change, it, it.yanked);
    changed.add(it.name.text);
  }
  assertNames(namespace, records, added);
  for (const it of added) await addRelease(change, it, files.get(it.path));
  change.setRole(next, bytes);
  await describePackages(change, records, changed, (it) => files.get(it.path)?.summary);
  return added;
}

/** Names that can be mistaken for each other may not be beside each other, nor versions that differ in case only. */
function assertNames(
  namespace: string,
  all: readonly ReleaseRecord[],
  added: readonly ReleaseRecord[],
): void {
  const names = new Map<string, Set<string>>();
  const versions = new Map<string, Set<string>>();
  const note = (map: Map<string, Set<string>>, key: string, text: string) =>
    map.set(key, (map.get(key) ?? new Set()).add(text));
  const nameKey = ({ name }: ReleaseRecord) => (name.name === undefined ? '' : twinKey(name.name));
  const versionKey = (it: ReleaseRecord) => `${nameKey(it)}@${it.version.toLowerCase()}`;
  for (const it of all) {
    if (it.name.namespace !== namespace)
      throw new HostError('denied', `${it.name.text} does not belong to the namespace ${namespace}`);
    note(names, nameKey(it), it.name.text);
    note(versions, versionKey(it), it.version);
  }
  for (const it of added) {
    const text = it.name.text;
    const twin =
      [...(names.get(nameKey(it)) ?? [])].find((other) => other !== text) ??
      [...(versions.get(versionKey(it)) ?? [])].find((other) => other !== it.version);
    if (twin !== undefined)
      throw new HostError('denied', `${text} ${it.version} can be mistaken for ${twin}, which is published`, {
        hint: 'choose another name: case, separators and letters that look alike do not count',
      });
  }
}

async function addRelease(
  change: RepositoryChange,
  record: ReleaseRecord,
  files: ReleaseFiles | undefined,
): Promise<void> {
  const { name, version, path, bundle, statements, yanked } = record;
  const what = `${name.text} ${version}`;
  if (files === undefined || yanked !== undefined)
    throw new HostError(
      'usage',
      `the files of ${what} are missing, or it is withdrawn before it is published`,
    );
  assertSame(what, bundle, await fileEntryOfPath(files.bundle));
  change.addFile(targetFile(path, bundle.sha256), { copyOf: files.bundle });
  if (statements !== undefined) {
    const bytes = files.statements ?? Buffer.alloc(0);
    assertSame(`the statements about ${what}`, statements, fileEntryOfBytes(bytes));
    change.addFile(targetFile(statementsPath(path), statements.sha256), bytes);
  }
  change.recordRelease(path, {
    kind: 'publish',
    name: name.text,
    version,
    sha256: bundle.sha256,
    length: bundle.length,
    ...(statements === undefined ? {} : { statements: statements.sha256 }),
    time: change.time,
  });
}

function recordYank(change: RepositoryChange, { name, version }: ReleaseRecord, reason: string): void {
  change.record({ kind: 'yank', name: name.text, version, reason: checkedReason(reason), time: change.time });
}

function nextDocument(
  old: TargetsDocument | undefined,
  targets: TargetsDocument['targets'],
  { role, days, now }: NamespacePlan,
): TargetsDocument {
  return {
    role,
    version: (old?.version ?? 0) + 1,
    expires: timeText(now + days.namespaces * dayMs),
    targets,
    keys: {},
    delegations: [],
  };
}

function assertSame(what: string, expected: FileEntry, found: FileEntry): void {
  if (expected.length === found.length && expected.sha256 === found.sha256) return;
  throw new HostError(
    'integrity',
    `${what} is not what its publisher signed: expected ${expected.sha256}, found ${found.sha256}`,
  );
}
