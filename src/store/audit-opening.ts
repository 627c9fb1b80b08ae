import { createPublicKey } from 'node:crypto';
import { HostError } from '../model/host-error.js';
import type { ComparedLog } from './audit-anchor.js';
import { entryLeaf } from './audit-hash.js';
import { type AuditHead, brokenLogHint, missingEntry } from './audit-head.js';
import { AuditLog } from './audit-log.js';
import { type LogName, logNameAt, type RollbackFinding } from './audit-rollback.js';
import type { AuditStatements } from './audit-statements.js';
import { isCheckpointOf, originOf, type SignedCheckpoint } from './checkpoint.js';
import { type CheckpointPaths, Checkpoints } from './checkpoints.js';
import type { Database } from './database.js';
import { emptyTree, treeRoot, withLeaf } from './merkle-tree.js';

export interface OpenedAuditLog {
  readonly audit: AuditLog;
  readonly checkpoints: Checkpoints;
  /** What anchors are compared with. `rootAt` is asynchronous: it may read all entries. */
  readonly compared: Omit<ComparedLog, 'rootAt'> & { rootAt(size: number): Promise<string | undefined> };
  /** Checkpoints that the log mentions and that are gone. */
  readonly lost: RollbackFinding | undefined;
  /** Whether the last checkpoint covers all entries. */
  readonly isSealed: boolean;
}

/**
 * Opens the audit log for writing. Throws `integrity` if its entries do not match its last checkpoint: the host does not
 * continue such a log. `newLogName` gives the random name of a log that begins.
 */
export async function openAuditLog(
  database: Database,
  paths: CheckpointPaths,
  now: () => number,
  newLogName: () => string,
): Promise<OpenedAuditLog> {
  const row = await database.audit.begin(newLogName);
  const checkpoints = await Checkpoints.open(paths, row.checkpoint > 0);
  try {
    const { last } = checkpoints;
    const names = await database.audit.logNames(row.log);
    if (last !== undefined) assertOwn(last, names, checkpoints, paths);
    const origins = new Set(names.map((it) => originOf(it.log)));
    const { head, atLast } = await matchingHead(database.audit, last);
    const origin = [...origins].at(-1) as string;
    const isMentioned = last === undefined || last.size <= row.checkpoint;
    const unmentioned =
      isMentioned || atLast === undefined
        ? undefined
        : { size: last.size, digest: last.digest, before: atLast.before };
    const audit = new AuditLog(database, now, { checkpoints, origin, unmentioned });
    return {
      audit,
      checkpoints,
      compared: {
        origins,
        entries: head.seq,
        publicKey: createPublicKey(checkpoints.key),
        rootAt: async (size) => (size === last?.size ? last.root : rootOfEntries(database, size)),
      },
      lost: lostCheckpoints(row.checkpoint, last, paths),
      isSealed: last?.size === head.seq,
    };
  } catch (error) {
    await checkpoints.close();
    throw error;
  }
}

/** The root of the tree of the first `size` entries, in base64; undefined if there are fewer. Lets others work meanwhile. */
async function rootOfEntries(database: Database, size: number): Promise<string | undefined> {
  let tree = emptyTree;
  while (tree.size < size) {
    const { size: after } = tree;
    const page = await database.audit.hashesAfter(after);
    if (page.length === 0) return undefined;
    for (const { hash } of page.slice(0, size - after)) tree = withLeaf(tree, entryLeaf(hash));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return treeRoot(tree).toString('base64');
}

/** The last checkpoint must be from this log, and from its key. */
function assertOwn(
  last: SignedCheckpoint,
  names: readonly LogName[],
  { key }: Checkpoints,
  paths: CheckpointPaths,
): void {
  if (last.origin !== originOf(logNameAt(names, last.size)))
    throw new HostError(
      'integrity',
      `the checkpoints in ${paths.folder} are from another audit log, with ${last.size} entries: the database was deleted or replaced, or two state directories share this folder`,
      { hint: `restore the database; or, to start a new audit log, move ${paths.folder} to another folder` },
    );
  if (!isCheckpointOf(last, createPublicKey(key)))
    throw new HostError('integrity', `${paths.key} is not the key that signed the last checkpoint`, {
      hint: brokenLogHint,
    });
}

/** The head, and the head at the last checkpoint. */
async function matchingHead(
  audit: AuditStatements,
  last: SignedCheckpoint | undefined,
  rebuild = false,
): Promise<{ readonly head: AuditHead; readonly atLast: AuditHead | undefined }> {
  let atLast: AuditHead | undefined;
  const head = await audit.head({
    rebuild,
    visit: (it) => {
      if (it.seq === last?.size) atLast = it;
    },
  });
  if (last === undefined) return { head, atLast };
  if (last.size > head.seq)
    throw missingEntry(last.size, `, which the checkpoint of ${last.size} entries covers,`);
  if (atLast !== undefined && treeRoot(atLast.tree).toString('base64') === last.root) return { head, atLast };
  // The stored edge may be wrong or start after the checkpoint; the entries decide.
  if (!rebuild) return matchingHead(audit, last, true);
  throw new HostError(
    'integrity',
    `the entries of the audit log up to ${last.size} were changed: they do not match the checkpoint of ${last.size} entries`,
    { hint: brokenLogHint },
  );
}

function lostCheckpoints(
  mentioned: number,
  last: SignedCheckpoint | undefined,
  { folder }: CheckpointPaths,
): RollbackFinding | undefined {
  if ((last?.size ?? 0) >= mentioned) return undefined;
  const found =
    last === undefined ? 'there is no checkpoint' : `the last checkpoint is of ${last.size} entries`;
  return {
    kind: 'checkpoints',
    place: folder,
    message: `checkpoints of the audit log were removed: an entry mentions one of ${mentioned} entries, but ${found} in ${folder}`,
  };
}
