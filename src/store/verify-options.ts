/** What to verify the log with, besides what is stored with it. */
export interface VerifyOptions {
  /** Path of a public key to use instead of the stored one. */
  readonly publicKey?: string | undefined;
  /** Path of a checkpoint or an anchor that was kept elsewhere. */
  readonly anchor?: string | undefined;
  /** Called now and then while the entries are checked. */
  readonly onEntries?: ((entries: number, of: number) => Promise<void>) | undefined;
}
