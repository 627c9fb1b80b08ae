// What people who have keys of a registry sign again before it expires.
import { HostError } from '../../../model/host-error.js';
import { targetsSignersOf } from '../../../registry/keys/role-keys.js';
import { renewalOf } from '../../../registry/publisher/local-publication.js';
import type { SignedPublication } from '../../../registry/publisher/signed-publication.js';
import { renewNamespace } from '../../../registry/repository/release-publishing.js';
import { renewRepository } from '../../../registry/repository/repository-renewal.js';
import { signersFor } from '../../../registry/repository/repository-signers.js';
import type { Arguments } from '../command/command.js';
import { isDryRun, reportDryRun } from '../dry-run.js';
import type { Terminal } from '../terminal/terminal.js';
import { publisherSigners, RegistryPlace } from './registry-place.js';
import { dueLines, reportRegistry } from './registry-report.js';
import { deliveryOf, registryNamed, reportSaved } from './registry-signing.js';

/** Signs what expires soon again: files of the registry, or those of a namespace as its publisher. */
export async function renewRegistry(args: Arguments, terminal: Terminal): Promise<number> {
  const [, namespace, ...more] = args.positionals;
  if (more.length > 0) throw new HostError('usage', 'renew one namespace at a time');
  if (namespace !== undefined) return renewOwnNamespace(namespace, args, terminal);
  if (args.value('to') !== undefined)
    throw new HostError(
      'usage',
      '--to is for a namespace: toolwharf registry renew NAMESPACE --to REGISTRY',
      {
        hint: 'a registry is renewed in its folder: --registry DIR',
      },
    );
  const place = await RegistryPlace.open(args, terminal);
  if (isDryRun(args)) return reportDryRun('sign again what expires soon', args, terminal);
  const online = await place.online();
  const before = await place.repository.view();
  const signers = await place.signers();
  const { renewed, due } = await renewRepository(place.repository, {
    rootSigners: signersFor(before.root.document.roles.root, signers),
    targetsSigners: targetsSignersOf(before, signers),
    online,
    now: Date.now(),
  });
  const { timestamp } = await place.repository.view();
  return reportRegistry(
    [
      `renewed until ${timestamp.document.expires}`,
      ...renewed.map((it) => `renewed ${it}, for a longer time`),
      ...dueLines(due),
    ],
    {
      did: 'renewed',
      expires: timestamp.document.expires,
      renewed,
      due: due.map((it) => ({ ...it })),
    },
    args,
    terminal,
  );
}

async function renewOwnNamespace(namespace: string, args: Arguments, terminal: Terminal): Promise<number> {
  const [to, save] = [args.value('to'), args.value('save')];
  const chosen = to === undefined ? undefined : await registryNamed(to, args, terminal);
  if (isDryRun(args)) return reportDryRun(`sign the file of ${namespace} again`, args, terminal);
  const saved =
    chosen?.kind === 'server'
      ? await terminal.renewAtServer({
          ...{ namespace, setting: chosen.setting, state: chosen.state, policy: chosen.policy },
          signers: await publisherSigners(args, terminal),
          ...deliveryOf(args, terminal),
        })
      : await renewInFolder(namespace, await RegistryPlace.open(args, terminal, chosen?.folder), save);
  if (saved !== undefined) return reportSaved(saved, save ?? '', args, terminal);
  return reportRegistry(
    [`renewed the namespace ${namespace}`],
    { did: 'renewed', namespace },
    args,
    terminal,
  );
}

async function renewInFolder(
  namespace: string,
  place: RegistryPlace,
  save: string | undefined,
): Promise<SignedPublication | undefined> {
  const signers = await place.signers();
  if (save !== undefined)
    return renewalOf(namespace, { repository: place.repository, signers, now: Date.now });
  await renewNamespace(place.repository, namespace, { online: await place.online(), signers });
  return undefined;
}
