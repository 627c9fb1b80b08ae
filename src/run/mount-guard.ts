/** Follows the processes that see folders of the user, for one sandbox profile. */
export interface MountGuard {
  /** To be called when a process with these mounts starts. */
  started(process: { readonly exited: Promise<unknown> }): void;
  /** Whether more is protected now than the processes of this profile know. They must not get another call. */
  isOutdated(): boolean;
  /** Checks the writable folders after a call. Returns remarks for the answer. */
  settle(): Promise<readonly string[]>;
}
