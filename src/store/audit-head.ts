import { HostError } from '../model/host-error.js';
import { chainStart, entryLeaf } from './audit-hash.js';
import { emptyTree, parseEdge, type TreeEdge, withLeaf } from './merkle-tree.js';
import type { SqliteConnection } from './sqlite.js';
import type { AuditTreeTable } from './state-tables.js';

/** The newest entry of the audit log, with the tree of all entries. */
export interface AuditHead {
  /** 0 if there are no entries. */
  readonly seq: number;
  readonly hash: string;
  readonly tree: TreeEdge;
  /** The tree without the newest entry. */
  readonly before: TreeEdge;
}

const pageSize = 5000;
const emptyHead: AuditHead = { seq: 0, hash: chainStart, tree: emptyTree, before: emptyTree };

/** The head after one more entry. */
export function nextHead({ tree }: AuditHead, hash: string): AuditHead {
  return { seq: tree.size + 1, hash, tree: withLeaf(tree, entryLeaf(hash)), before: tree };
}

export function readAuditTree(
  connection: SqliteConnection,
): Pick<AuditTreeTable, 'log' | 'checkpoint' | 'edge'> | undefined {
  const [row] = connection.all('select log, checkpoint, edge from audit_tree', []);
  return (
    row && {
      log: String(row.log),
      checkpoint: Number(row.checkpoint),
      edge: row.edge as unknown as Uint8Array,
    }
  );
}

/**
 * Reads the head of the stored entries. Starts at the last mentioned checkpoint, so that the time does not grow with the
 * log; with `rebuild`, at the first entry. `visit` gets the head after every entry that is read.
 */
export function readAuditHead(
  connection: SqliteConnection,
  { rebuild = false, visit }: { readonly rebuild?: boolean; readonly visit?: (head: AuditHead) => void } = {},
): AuditHead {
  const row = rebuild ? undefined : readAuditTree(connection);
  const start =
    row === undefined || row.checkpoint === 0 ? emptyTree : parseEdge(row.checkpoint - 1, row.edge);
  // The edge can be computed again.
  if (start === undefined) return readAuditHead(connection, { rebuild: true, ...(visit && { visit }) });
  let head: AuditHead = { ...emptyHead, seq: start.size, tree: start, before: start };
  for (const { seq, hash } of hashesAfter(connection, start.size)) {
    if (seq !== head.seq + 1) throw missingEntry(head.seq + 1);
    head = nextHead(head, hash);
    visit?.(head);
  }
  // The last entry of the checkpoint must be there.
  if (start.size > 0 && head.seq === start.size) throw missingEntry(start.size + 1);
  return head;
}

/** Hashes of the entries after `seq`, in order. */
export function* hashesAfter(
  connection: SqliteConnection,
  seq: number,
): Generator<{ readonly seq: number; readonly hash: string }> {
  let after = seq;
  for (;;) {
    const page = readHashes(connection, after);
    yield* page;
    after = page.at(-1)?.seq ?? after;
    if (page.length < pageSize) return;
  }
}

/** The next hashes after `seq`, in order, at most some thousands. */
export function readHashes(
  connection: SqliteConnection,
  seq: number,
): { readonly seq: number; readonly hash: string }[] {
  const sql = 'select seq, hash from audit where seq > ? order by seq limit ?';
  return connection.all(sql, [seq, pageSize]) as unknown as { seq: number; hash: string }[];
}

/** The host does not continue such a log: new entries would hide the loss. */
export function missingEntry(seq: number, why = ''): HostError {
  return new HostError('integrity', `entry ${seq} of the audit log${why} is missing`, {
    hint: brokenLogHint,
  });
}

export const brokenLogHint =
  'find out what happened: toolwharf audit verify; to start a new audit log, move the database, the checkpoints and audit.key to another folder';
