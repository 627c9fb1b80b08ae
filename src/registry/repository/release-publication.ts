// Releases: what a publisher signs, and what a registry accepts. Both sides can be different machines: a publisher needs
// its own key and the present state of the registry, the registry needs its online keys.
import { HostError } from '../../model/host-error.js';
import { checkTargets } from '../metadata/metadata-check.js';
import type { ExpiryDays, FileEntry, TargetsDocument } from '../metadata/metadata-document.js';
import {
  binOf,
  isReleaseVersion,
  type PackageName,
  type ReleaseName,
  releasePath,
  targetFile,
  twinKey,
} from '../names/package-name.js';
import { assertReleasesKept } from '../names/release-changes.js';
import {
  checkedReason,
  type ReleaseRecord,
  releaseEntry,
  releaseRecords,
  statementsPath,
} from '../names/release-record.js';
import type { ReleaseSummary } from '../names/release-summary.js';
import { fileEntryOfBytes, fileEntryOfPath } from './file-entry.js';
import { type ChangedNamespace, namespaceIn } from './namespace-approval.js';
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
  for (const it of records) {
    const old = found.document?.targets[it.path];
    if (old === undefined) added.push(it);
    else if (it.yanked !== undefined && old.custom.yanked === undefined) recordYank(change, it, it.yanked);
  }
  assertNames(namespace, records, added);
  for (const it of added) await addRelease(change, it, files.get(it.path));
  change.setRole(next, bytes);
  return added;
}

function checkedNamespace(
  namespace: string,
  bytes: Buffer,
  { delegation, delegator, document }: ChangedNamespace,
  change: RepositoryChange,
): TargetsDocument {
  const version = (document?.version ?? 0) + 1;
  const { document: next } = checkTargets(bytes, delegation.name, delegator, version);
  if (document !== undefined) assertReleasesKept(document, next);
  if (next.delegations.length > 0)
    throw new HostError(
      'denied',
      `the namespace ${namespace} cannot delegate to others; ask for a team instead`,
    );
  const latest = change.now + (change.view.root.document.days.namespaces + 1) * dayMs;
  if (Date.parse(next.expires) <= change.now || Date.parse(next.expires) > latest)
    throw new HostError(
      'usage',
      `the file of ${namespace} must expire within the time that the registry allows`,
      {
        hint: `sign it for ${change.view.root.document.days.namespaces} days`,
      },
    );
  return next;
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
  change.describe(binOf(name.namespace, change.view.bins), { ...files.summary, name: name.text, version });
}

function recordYank(change: RepositoryChange, { name, version }: ReleaseRecord, reason: string): void {
  change.record({ kind: 'yank', name: name.text, version, reason: checkedReason(reason), time: change.time });
}

/** The operator of a registry warns about a release. Publishers cannot do that to each other. */
export async function quarantineRelease(
  change: RepositoryChange,
  {
    name,
    version,
    reason,
  }: { readonly name: PackageName; readonly version: string; readonly reason: string },
): Promise<void> {
  const found = await namespaceIn(change, name.namespace);
  const path = releasePath({ name, version }, change.view.bins);
  if (found?.document === undefined || !Object.hasOwn(found.document.targets, path))
    throw new HostError('not_found', `the registry has no ${name.text} ${version}`);
  const old = await change.quarantine();
  if (old.some((it) => it.name === name.text && it.version === version)) return;
  const entry = { name: name.text, version, reason: checkedReason(reason), time: change.time };
  change.setQuarantine([...old, entry]);
  change.record({ kind: 'quarantine', ...entry });
}

/** Ends the quarantine of a release. */
export async function releaseFromQuarantine(
  change: RepositoryChange,
  {
    name,
    version,
    reason,
  }: { readonly name: PackageName; readonly version: string; readonly reason: string },
): Promise<void> {
  const old = await change.quarantine();
  const kept = old.filter((it) => it.name !== name.text || it.version !== version);
  if (kept.length === old.length)
    throw new HostError('not_found', `${name.text} ${version} is not under quarantine`);
  change.setQuarantine(kept);
  change.record({
    kind: 'release',
    name: name.text,
    version,
    reason: checkedReason(reason),
    time: change.time,
  });
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
