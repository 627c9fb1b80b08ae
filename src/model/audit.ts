/** The result of recomputing the chain of the record. */
export interface AuditVerdict {
  readonly ok: boolean;
  readonly entries: number;
  /** Sequence number of the first line that does not fit. */
  readonly firstBad?: number;
}
