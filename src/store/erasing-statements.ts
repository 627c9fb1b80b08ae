/** Deletes sealed arguments, so that the database keeps no copy where it can avoid that. */
export interface ErasingStatements {
  repeatableCall(call: string): Promise<void>;
  /** Rows older than `before`, in milliseconds since 1970. Returns their number. */
  sealedArguments(before: number): Promise<number>;
}
