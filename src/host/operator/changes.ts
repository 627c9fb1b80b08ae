/**
 * What changed in a host. `approvals`: held calls and standing rules. `calls`: calls and the rest of the audit log. `kills`:
 * stopped targets. `requests`: packages that agents asked for. `outcomes`: unknown outcomes and rollbacks. `values`:
 * secrets and settings. `clients`: tokens and sets. `packages`: anything about packages.
 */
export type ChangeTopic =
  | 'approvals'
  | 'calls'
  | 'kills'
  | 'requests'
  | 'outcomes'
  | 'values'
  | 'clients'
  | 'packages';

/** Tells what changed, so that a page can read it again. Only in the process of the host. */
export interface Changes {
  /** Returns a function that stops the listener. */
  onChange(listener: (topics: readonly ChangeTopic[]) => void): () => void;
}
