/** The result of checking the record against itself and against its checkpoints. */
export interface AuditVerdict {
  readonly ok: boolean;
  /** Lines that fit, from the first on. */
  readonly entries: number;
  /** Checkpoints that fit. */
  readonly checkpoints: number;
  /** The newest line that a checkpoint saw: up to it nothing can be cut off unnoticed. */
  readonly sealed: number;
  /** Number of the first line that does not fit. */
  readonly firstBad?: number;
  /** What is wrong and where, in a sentence. */
  readonly problem?: string;
}
