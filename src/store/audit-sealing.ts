import type { Checkpoints } from './checkpoints.js';
import type { TreeEdge } from './merkle-tree.js';

/** A checkpoint that no entry mentions yet. */
export interface Unmentioned {
  readonly size: number;
  readonly digest: string;
  /** The tree without the last entry of the checkpoint. */
  readonly before: TreeEdge;
}

/** The checkpoints of an audit log, and how far they go. */
export interface Sealing {
  readonly checkpoints: Checkpoints;
  /** The name of the log. */
  readonly origin: string;
  /** The newest checkpoint, if no entry mentions it. */
  readonly unmentioned?: Unmentioned | undefined;
}
