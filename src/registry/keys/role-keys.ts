// Which of the keys at hand can do what, according to the metadata.
import { HostError } from '../../model/host-error.js';
import type { RegistryView } from '../client/registry-view.js';
import { logKeyOf } from '../log/log-head.js';
import { type RegistrySigner, registryKeyOf } from '../metadata/registry-key.js';
import type { RoleKeys } from '../metadata/signed-file.js';
import { type OnlineSigners, signersFor } from '../repository/repository-signers.js';

/** The online keys among those at hand. Throws with the roles that have too few. */
export function onlineSignersOf(view: RegistryView, signers: readonly RegistrySigner[]): OnlineSigners {
  assertOnlineKeys(view, signers);
  return onlineSignersAfter(view, signers, {});
}

/** Throws with the roles whose keys are not here. `replaced`: roles that get new keys, so that the old ones may be lost. */
export function assertOnlineKeys(
  view: RegistryView,
  signers: readonly RegistrySigner[],
  replaced: readonly string[] = [],
): void {
  const missing = missingOnlineRoles(view, signers).filter((it) => !replaced.includes(it));
  if (missing.length === 0) return;
  throw new HostError('denied', `the keys for ${missing.join(', ')} of the registry are not here`, {
    hint: 'use the folder with the online keys; if they are lost, replace them: toolwharf registry rotate ROLE…',
  });
}

/** The online roles for which too few of the keys are at hand. */
export function missingOnlineRoles(
  view: RegistryView,
  signers: readonly RegistrySigner[],
): readonly string[] {
  const found = onlineKeysOf(view, signers);
  return onlineRoles.filter((it) => (it === 'log' ? found.log === undefined : !found[it].isEnough));
}

/** The online keys at hand. Where they are lost, those that replace them. Call `assertOnlineKeys` first. */
export function onlineSignersAfter(
  view: RegistryView,
  signers: readonly RegistrySigner[],
  next: Readonly<Partial<Record<(typeof onlineRoles)[number], readonly RegistrySigner[]>>>,
): OnlineSigners {
  const found = onlineKeysOf(view, signers);
  const of = (role: Exclude<(typeof onlineRoles)[number], 'log'>) =>
    found[role].isEnough ? found[role].able : (next[role] ?? []);
  const log = found.log ?? next.log?.[0]?.privateKey;
  if (log === undefined) throw new Error('the caller made sure that there is a key for the log');
  return {
    snapshot: of('snapshot'),
    timestamp: of('timestamp'),
    index: of('index'),
    quarantine: of('quarantine'),
    log,
  };
}

const onlineRoles = ['snapshot', 'timestamp', 'index', 'quarantine', 'log'] as const;

function onlineKeysOf(view: RegistryView, signers: readonly RegistrySigner[]) {
  const { roles, logKey } = view.root.document;
  const of = (role: RoleKeys | undefined) => {
    const able = role === undefined ? [] : signersFor(role, signers);
    return { able, isEnough: role !== undefined && able.length >= role.threshold };
  };
  const delegation = (name: string) => view.targets.document.delegations.find((it) => it.name === name);
  const logPublic = registryKeyOf(logKeyOf(logKey).publicKey).keyval.public;
  return {
    snapshot: of(roles.snapshot),
    timestamp: of(roles.timestamp),
    index: of(delegation('index')),
    quarantine: of(delegation('quarantine')),
    log: signers.find((it) => it.key.keyval.public === logPublic)?.privateKey,
  };
}

/** Those of the keys at hand that may sign for the targets role. */
export function targetsSignersOf(view: RegistryView, signers: readonly RegistrySigner[]): RegistrySigner[] {
  return signersFor(view.root.document.roles.targets, signers);
}
