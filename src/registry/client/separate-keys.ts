// One stolen key must not do the work of two roles. The root file checks its own four; here are the others.
import { HostError } from '../../model/host-error.js';
import { logKeyOf } from '../log/log-head.js';
import type { RootDocument, TargetsDocument } from '../metadata/metadata-document.js';
import { registryKeyId, registryKeyOf } from '../metadata/registry-key.js';

/** What each of the registry's own keys is for, by its id. */
export function ownKeys(root: RootDocument, targets: TargetsDocument): Map<string, string> {
  const found = new Map<string, string>();
  const add = (id: string, role: string) => {
    const other = found.get(id);
    if (other !== undefined && other !== role)
      throw new HostError('integrity', `the registry is damaged: one key is for ${other} and for ${role}`, {
        hint: 'tell its operator: each role needs keys of its own',
      });
    found.set(id, role);
  };
  for (const [role, { keyids }] of Object.entries(root.roles)) for (const id of keyids) add(id, role);
  add(registryKeyId(registryKeyOf(logKeyOf(root.logKey).publicKey)), 'the log');
  for (const role of ['index', 'quarantine'])
    for (const id of targets.delegations.find((it) => it.name === role)?.keyids ?? []) add(id, role);
  return found;
}
