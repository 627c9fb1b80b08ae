import { HostError } from '../model/host-error.js';
import { chainStart, entryLeaf } from './audit-hash.js';
import { emptyTree, parseEdge, type TreeEdge, withLeaf } from './merkle-tree.js';
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

const emptyHead: AuditHead = { seq: 0, hash: chainStart, tree: emptyTree, before: emptyTree };

/** The head after one more entry. */
export function nextHead({ tree }: AuditHead, hash: string): AuditHead {
  return { seq: tree.size + 1, hash, tree: withLeaf(tree, entryLeaf(hash)), before: tree };
}

/** Finds the head of the stored entries from their hashes. */
export class HeadReading {
  /** Number of the entry after which reading starts: the last mentioned checkpoint, so that the time does not grow with the log. */
  readonly start: number;
  readonly #visit: ((head: AuditHead) => void) | undefined;
  #head: AuditHead;

  /** `row`: undefined to start at the first entry. `visit` gets the head after every entry that is read. */
  constructor(
    row: Pick<AuditTreeTable, 'checkpoint' | 'edge'> | undefined,
    visit?: (head: AuditHead) => void,
  ) {
    // The edge can be computed again, if it cannot be read.
    const tree =
      row === undefined || row.checkpoint === 0
        ? emptyTree
        : (parseEdge(row.checkpoint - 1, row.edge) ?? emptyTree);
    this.start = tree.size;
    this.#visit = visit;
    this.#head = { ...emptyHead, seq: tree.size, tree, before: tree };
  }

  /** The next entry. */
  add({ seq, hash }: { readonly seq: number; readonly hash: string }): void {
    if (seq !== this.#head.seq + 1) throw missingEntry(this.#head.seq + 1);
    this.#head = nextHead(this.#head, hash);
    this.#visit?.(this.#head);
  }

  end(): AuditHead {
    // The last entry of the checkpoint must be there.
    if (this.start > 0 && this.#head.seq === this.start) throw missingEntry(this.start + 1);
    return this.#head;
  }
}

/** There are entries, but no name of the log. */
export function namelessLog(): HostError {
  return new HostError('integrity', 'the name of the audit log was removed from the database', {
    hint: brokenLogHint,
  });
}

/** The host does not continue such a log: new entries would hide the loss. */
export function missingEntry(seq: number, why = ''): HostError {
  return new HostError('integrity', `entry ${seq} of the audit log${why} is missing`, {
    hint: brokenLogHint,
  });
}

export const brokenLogHint =
  'find out what happened: toolwharf audit verify; to start a new audit log, move the database, the checkpoints and audit.key to another folder';
