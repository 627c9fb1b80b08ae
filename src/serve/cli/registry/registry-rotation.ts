// New keys for the roles of a registry, also if the old ones are lost.
import { HostError } from '../../../model/host-error.js';
import { assertOnlineKeys, onlineSignersAfter, targetsSignersOf } from '../../../registry/keys/role-keys.js';
import type { RegistrySigner } from '../../../registry/metadata/registry-key.js';
import { signersFor } from '../../../registry/repository/repository-signers.js';
import {
  assertMayRotate,
  type RegistryRole,
  registryRoles,
  rotateRoles,
} from '../../../registry/repository/role-rotation.js';
import type { Arguments } from '../command/command.js';
import { isDryRun, reportDryRun } from '../dry-run.js';
import type { Terminal } from '../terminal/terminal.js';
import { assertRootKeys, keyPlace, wholeNumber } from './registry-creation.js';
import { RegistryPlace } from './registry-place.js';
import { reportRegistry } from './registry-report.js';

/** New keys for roles. The old ones stay in their folder until somebody deletes them. */
export async function rotateRegistryRoles(args: Arguments, terminal: Terminal): Promise<number> {
  const [, ...named] = args.positionals;
  const roles = registryRoles.filter((it) => named.includes(it));
  if (named.length === 0 || roles.length !== new Set(named).size)
    throw new HostError('usage', 'name the roles whose keys are replaced', {
      hint: `use ${registryRoles.join(', ')}`,
    });
  const place = await RegistryPlace.open(args, terminal);
  if (!isDryRun(args)) await place.repository.finish();
  const view = await place.repository.view();
  const signers = await place.signers();
  const { root } = view.root.document.roles;
  const rotation = {
    rootSigners: signersFor(root, signers),
    targetsSigners: targetsSignersOf(view, signers),
  };
  // A key that is not used is never made.
  assertMayRotate(view, roles, rotation);
  assertOnlineKeys(view, signers, roles);
  if (isDryRun(args))
    return reportDryRun(`create new keys for ${roles.join(', ')} and use them`, args, terminal);
  const rootCount = wholeNumber(args, 'root-keys', root.keyids.length);
  const threshold = wholeNumber(args, 'threshold', Math.min(root.threshold, rootCount));
  assertRootKeys(rootCount, threshold);
  const next: Partial<Record<RegistryRole, RegistrySigner[]>> = {};
  const stamp = `${new Date().toISOString().slice(0, 10)}-${view.snapshot.document.version + 1}`;
  for (const role of roles) {
    const names = freeNames(place, `${role}-${stamp}`, role === 'root' ? rootCount : 1);
    const made: RegistrySigner[] = [];
    for (const name of names) made.push((await place.newKeys.create(name, keyPlace(args))).signer);
    next[role] = made;
  }
  const { log, ...others } = next;
  await rotateRoles(place.repository, {
    ...rotation,
    next: Object.fromEntries(
      Object.entries(others).map(([role, own]) => [
        role,
        { signers: own, threshold: role === 'root' ? threshold : 1 },
      ]),
    ),
    nextLog: log?.[0]?.privateKey,
    online: onlineSignersAfter(view, signers, next),
    now: Date.now(),
  });
  return reportRegistry(
    [
      `${roles.join(', ')}: new keys are in ${place.newKeys.folder}`,
      'keep the old ones until all readers have seen the change',
      'if "registry serve" runs, start it again: it has the old keys',
    ],
    { did: 'rotated', roles, keys: place.newKeys.folder },
    args,
    terminal,
  );
}

/** Names that no key has. A rotation that was interrupted left keys that nothing uses, under the same names. */
function freeNames({ newKeys }: RegistryPlace, name: string, count: number): readonly string[] {
  for (let attempt = 1; ; attempt++) {
    const base = attempt === 1 ? name : `${name}.${attempt}`;
    const names = count === 1 ? [base] : Array.from({ length: count }, (_, it) => `${base}-${it + 1}`);
    if (!names.some((it) => newKeys.has(it))) return names;
  }
}
