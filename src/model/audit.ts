/** How far the audit log is, without verifying it. */
export interface AuditStatus {
  /** Number of the newest entry; 0 if there is none. */
  readonly entries: number;
  /** The newest signed checkpoint; null if there is none yet. */
  readonly checkpoint: {
    /** Number of entries that it covers. */
    readonly size: number;
    /** When the newest of these entries was written; milliseconds since 1970. */
    readonly at: number;
  } | null;
}

/** The result of verifying the audit log against its hash chain, its checkpoints and its anchors. */
export interface AuditVerdict {
  readonly ok: boolean;
  /** Number of valid entries, counted from the first. */
  readonly entries: number;
  /** Number of valid checkpoints. */
  readonly checkpoints: number;
  /** Number of the newest entry that a checkpoint covers. Removing entries up to it is always detected. */
  readonly sealed: number;
  /** Number of anchors outside the state directory that agree with the log. */
  readonly anchors: number;
  /** Number of rollbacks that were found and acknowledged earlier. */
  readonly acknowledged: number;
  /** Number of the first invalid entry. */
  readonly firstBad?: number;
  /** A sentence that says what is wrong and where. */
  readonly problem?: string;
  /** What could not be checked, such as an anchor in a locked keychain. */
  readonly warnings?: readonly string[];
}
