// The checks of TUF 1.0 (section 5, client workflow) for one file each, as plain functions. Expiry is checked by callers:
// the writer of a registry reads its own expired files to renew them.
import { sha256 } from '../../files/sha256.js';
import { HostError } from '../../model/host-error.js';
import {
  type Delegation,
  type FileEntry,
  type RootDocument,
  readRoot,
  readSnapshot,
  readTargetsDocument,
  readTimestamp,
  type SnapshotDocument,
  type TargetsDocument,
  type TimestampDocument,
} from './metadata-document.js';
import {
  assertSigned,
  damagedMetadata,
  type KeyTable,
  type RoleKeys,
  readSignedFile,
} from './signed-file.js';

/** A document that was checked, with its file. */
export interface Checked<Document> {
  readonly document: Document;
  readonly bytes: Buffer;
}

/** The most bytes that each file may have. */
export const metadataLimits = {
  root: 512 * 1024,
  timestamp: 64 * 1024,
  snapshot: 8 * 1024 * 1024,
  targets: 8 * 1024 * 1024,
} as const;

/** The first root file: it is trusted because a person chose it, and must be signed by its own keys. */
export function checkFirstRoot(bytes: Buffer): Checked<RootDocument> {
  const file = readSignedFile(bytes, 'the root file');
  const document = readRoot(file);
  assertSigned(file, document.roles.root, document.keys, 'the root file');
  return { document, bytes };
}

/** The next root file: signed by enough keys of the old one and of itself, and exactly one version newer. */
export function checkNextRoot(
  bytes: Buffer,
  { document: old }: Checked<RootDocument>,
): Checked<RootDocument> {
  const file = readSignedFile(bytes, 'the root file');
  const document = readRoot(file);
  const what = `the root file ${document.version}`;
  assertSigned(file, old.roles.root, old.keys, what);
  assertSigned(file, document.roles.root, document.keys, what);
  if (document.version !== old.version + 1)
    throw rollback(`the root file has the version ${document.version} instead of ${old.version + 1}`);
  return { document, bytes };
}

/** `old`: the timestamp that was trusted before, if its key is still the same. */
export function checkTimestamp(
  bytes: Buffer,
  { document: root }: Checked<RootDocument>,
  old?: Checked<TimestampDocument>,
): Checked<TimestampDocument> {
  const file = readSignedFile(bytes, 'the timestamp file');
  assertSigned(file, root.roles.timestamp, root.keys, 'the timestamp file');
  const document = readTimestamp(file);
  if (old !== undefined) {
    const before = old.document;
    if (document.version < before.version)
      throw rollback(
        `the timestamp has the version ${document.version}, and ${before.version} was seen before`,
      );
    if (document.snapshot.version < before.snapshot.version)
      throw rollback(
        `the timestamp names the snapshot ${document.snapshot.version}, and ${before.snapshot.version} was seen before`,
      );
    if (document.version === before.version && !bytes.equals(old.bytes) && file.text !== textOf(old.bytes))
      throw rollback(`there are two timestamps with the version ${document.version}`);
  }
  return { document, bytes };
}

/** `old`: the snapshot that was trusted before, if its key is still the same. */
export function checkSnapshot(
  bytes: Buffer,
  {
    root,
    timestamp,
  }: { readonly root: Checked<RootDocument>; readonly timestamp: Checked<TimestampDocument> },
  old?: Checked<SnapshotDocument>,
): Checked<SnapshotDocument> {
  const expected = timestamp.document.snapshot;
  assertFile(bytes, expected, 'the snapshot file');
  const file = readSignedFile(bytes, 'the snapshot file');
  assertSigned(file, root.document.roles.snapshot, root.document.keys, 'the snapshot file');
  const document = readSnapshot(file);
  if (document.version !== expected.version)
    throw mixed(
      `the snapshot has the version ${document.version}, and the timestamp names ${expected.version}`,
    );
  for (const [role, version] of old?.document.versions ?? []) {
    const now = document.versions.get(role);
    if (now === undefined) throw rollback(`the role ${role} is missing in the snapshot`);
    if (now < version)
      throw rollback(
        `the role ${role} has the version ${now} in the snapshot, and ${version} was seen before`,
      );
  }
  return { document, bytes };
}

/** Who may sign a role, according to the file that delegates to it. */
export interface Delegator {
  readonly keys: KeyTable;
  readonly role: RoleKeys;
}

export function topTargetsDelegator({ document }: Checked<RootDocument>): Delegator {
  return { keys: document.keys, role: document.roles.targets };
}

export function delegatorOf(document: TargetsDocument, delegation: Delegation): Delegator {
  return { keys: document.keys, role: delegation };
}

/** A file of targets, of the version that the snapshot names. */
export function checkTargets(
  bytes: Buffer,
  role: string,
  delegator: Delegator,
  version: number,
): Checked<TargetsDocument> {
  const what = `the file of the role ${role}`;
  const file = readSignedFile(bytes, what);
  assertSigned(file, delegator.role, delegator.keys, what);
  const document = readTargetsDocument(file, role);
  if (document.version !== version)
    throw mixed(`${what} has the version ${document.version}, and the snapshot names ${version}`);
  return { document, bytes };
}

export function assertFile(bytes: Uint8Array, expected: FileEntry, what: string): void {
  if (bytes.length !== expected.length)
    throw damagedMetadata(what, `it has ${bytes.length} bytes instead of ${expected.length}`);
  const found = sha256(bytes);
  if (found !== expected.sha256)
    throw damagedMetadata(what, `its hash is ${found} instead of ${expected.sha256}`);
}

export function isExpired({ expires }: { readonly expires: string }, now: number): boolean {
  return Date.parse(expires) <= now;
}

/** Whether another set of keys may sign a role than before. */
export function keysChanged(old: RoleKeys, now: RoleKeys): boolean {
  return old.threshold !== now.threshold || [...old.keyids].sort().join() !== [...now.keyids].sort().join();
}

function textOf(bytes: Buffer): string {
  return readSignedFile(bytes, 'the timestamp file').text;
}

function rollback(problem: string): HostError {
  return new HostError('integrity', `the registry went back: ${problem}`, {
    hint: 'somebody may be showing an old copy; ask the operator of the registry',
  });
}

function mixed(problem: string): HostError {
  return new HostError('integrity', `files of the registry do not belong together: ${problem}`, {
    hint: 'try again; if it stays, tell the operator of the registry',
  });
}
