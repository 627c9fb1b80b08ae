// Which of the keys at hand can do what, according to the metadata.
import { HostError } from '../../model/host-error.js';
import type { RegistryView } from '../client/registry-view.js';
import { logKeyOf } from '../log/log-head.js';
import { type RegistrySigner, registryKeyOf } from '../metadata/registry-key.js';
import { type OnlineSigners, signersFor } from '../repository/repository-signers.js';

/** The online keys among those at hand. Throws with the roles that have too few. */
export function onlineSignersOf(view: RegistryView, signers: readonly RegistrySigner[]): OnlineSigners {
  const { roles, logKey } = view.root.document;
  const missing: string[] = [];
  const of = (
    name: string,
    role: { readonly keyids: readonly string[]; readonly threshold: number } | undefined,
  ) => {
    const able = role === undefined ? [] : signersFor(role, signers);
    if (role === undefined || able.length < role.threshold) missing.push(name);
    return able;
  };
  const delegation = (name: string) => view.targets.document.delegations.find((it) => it.name === name);
  const logPublic = registryKeyOf(logKeyOf(logKey).publicKey).keyval.public;
  const log = signers.find((it) => it.key.keyval.public === logPublic)?.privateKey;
  const online = {
    snapshot: of('snapshot', roles.snapshot),
    timestamp: of('timestamp', roles.timestamp),
    index: of('index', delegation('index')),
    quarantine: of('quarantine', delegation('quarantine')),
  };
  if (log === undefined) missing.push('log');
  if (missing.length > 0 || log === undefined)
    throw new HostError('denied', `the keys for ${missing.join(', ')} of the registry are not here`, {
      hint: 'use the folder with the online keys',
    });
  return { ...online, log };
}

/** Those of the keys at hand that may sign for the targets role. */
export function targetsSignersOf(view: RegistryView, signers: readonly RegistrySigner[]): RegistrySigner[] {
  return signersFor(view.root.document.roles.targets, signers);
}
