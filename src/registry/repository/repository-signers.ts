import type { KeyObject } from 'node:crypto';
import type { RegistrySigner } from '../metadata/registry-key.js';
import type { RoleKeys } from '../metadata/signed-file.js';

/** The keys that a registry needs for every change. They are on the machine that publishes. */
export interface OnlineSigners {
  readonly snapshot: readonly RegistrySigner[];
  readonly timestamp: readonly RegistrySigner[];
  /** Signs the search index. */
  readonly index: readonly RegistrySigner[];
  /** Signs the list of releases under quarantine. */
  readonly quarantine: readonly RegistrySigner[];
  readonly log: KeyObject;
}

/** Those of the signers that may sign for a role. */
export function signersFor(role: RoleKeys, signers: readonly RegistrySigner[]): RegistrySigner[] {
  return signers.filter((it) => role.keyids.includes(it.keyId));
}
