/** What the operator said about one tool. */
export interface ToolHiding {
  /** Results of at least this many characters are hidden; null: none. */
  readonly from: number | null;
  /** Inputs that accept hidden results. */
  readonly inputs: ReadonlySet<string>;
}
