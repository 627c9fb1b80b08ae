// What the operator of a registry decides: who publishes where, which releases are warned about, which keys are used.
import { HostError } from '../../../model/host-error.js';
import { targetsSignersOf } from '../../../registry/keys/role-keys.js';
import { parseRegistryKeyText } from '../../../registry/metadata/registry-key.js';
import { parsePackageName, type ReleaseName } from '../../../registry/names/package-name.js';
import { withdrawalOf } from '../../../registry/publisher/local-publication.js';
import { approveNamespace } from '../../../registry/repository/namespace-approval.js';
import { yankRelease } from '../../../registry/repository/release-publishing.js';
import { quarantineRelease, releaseFromQuarantine } from '../../../registry/repository/release-quarantine.js';
import type { Arguments } from '../command/command.js';
import { isDryRun, reportDryRun } from '../dry-run.js';
import type { Terminal } from '../terminal/terminal.js';
import { wholeNumber } from './registry-creation.js';
import { publisherSigners, RegistryPlace } from './registry-place.js';
import { reportRegistry } from './registry-report.js';
import { deliveryOf, loadPublication, registryNamed, reportSaved } from './registry-signing.js';

export async function approvePublisher(args: Arguments, terminal: Terminal): Promise<number> {
  const [, namespace, ...texts] = args.positionals;
  if (namespace === undefined || texts.length === 0)
    throw new HostError('usage', 'name a namespace and the keys of its publisher', {
      hint: 'toolwharf registry approve NAMESPACE ed25519:… ; a publisher creates one: toolwharf registry keys create NAME',
    });
  const keys = texts.map((it) => {
    const key = parseRegistryKeyText(it);
    if (key === undefined)
      throw new HostError('usage', `${JSON.stringify(it)} is not a key`, {
        hint: 'a key is "ed25519:" and 64 hexadecimal digits, as "registry keys" prints it',
      });
    return key;
  });
  const threshold = wholeNumber(args, 'threshold', 1);
  const place = await RegistryPlace.open(args, terminal);
  const file = args.value('signed');
  const ownerFile = file === undefined ? undefined : loadPublication(file, terminal);
  if (ownerFile !== undefined && ownerFile.namespace !== namespace)
    throw new HostError('usage', `${file} is for the namespace ${ownerFile.namespace}, not ${namespace}`);
  if (isDryRun(args)) return reportDryRun(`approve ${keys.length} keys for ${namespace}`, args, terminal);
  const signers = await place.signers();
  await place.repository.change(await place.online(), async (change) =>
    approveNamespace(change, {
      ...{ namespace, keys, threshold },
      targetsSigners: targetsSignersOf(change.view, signers),
      replace: args.has('replace'),
      ownerSigners: signers,
      ownerFile: ownerFile === undefined ? undefined : Buffer.from(ownerFile.metadata),
    }),
  );
  return reportRegistry(
    [`approved: ${texts.join(', ')} may publish in ${namespace}`],
    { did: 'approved', namespace, keys: texts, threshold },
    args,
    terminal,
  );
}

/** `quarantine` warns about a release, `release` ends that, `yank` withdraws one as its publisher. */
export async function decideRelease(args: Arguments, terminal: Terminal): Promise<number> {
  const [verb = '', text, ...more] = args.positionals;
  if (text === undefined || more.length > 0)
    throw new HostError('usage', `name a release: toolwharf registry ${verb} NAME@VERSION --reason TEXT`);
  const release = releaseOfText(text);
  const reason = args.value('reason');
  if (reason === undefined) throw new HostError('usage', 'say why, for those who use it: --reason TEXT');
  const change = { ...release, reason };
  const done = { yank: 'withdrawn', quarantine: 'under quarantine' }[verb] ?? 'no longer under quarantine';
  const report = () =>
    reportRegistry([`${text} is ${done}: ${reason}`], { did: verb, release: text, reason }, args, terminal);
  const [to, save] = [args.value('to'), args.value('save')];
  if (save !== undefined && verb !== 'yank')
    throw new HostError('usage', `--save is for yank: ${verb} needs no signatures of publishers`);
  if (to !== undefined && verb !== 'yank')
    throw new HostError('usage', `--to is for yank: ${verb} is for the operator, who has the registry`, {
      hint: 'name its folder: --registry DIR',
    });
  const chosen = to === undefined ? undefined : await registryNamed(to, args, terminal);
  if (chosen?.kind === 'server') {
    if (isDryRun(args)) return reportDryRun(`yank ${text} at ${to}: ${reason}`, args, terminal);
    const publication = await terminal.yankAtServer({
      ...{ release: change, setting: chosen.setting, state: chosen.state, policy: chosen.policy },
      signers: await publisherSigners(args, terminal),
      ...deliveryOf(args, terminal),
    });
    return publication === undefined ? report() : reportSaved(publication, save ?? '', args, terminal);
  }
  const place = await RegistryPlace.open(args, terminal, chosen?.folder);
  if (isDryRun(args)) return reportDryRun(`${verb} ${text}: ${reason}`, args, terminal);
  if (verb === 'yank' && save !== undefined) {
    const signers = await place.signers();
    const publication = await withdrawalOf(change, { repository: place.repository, signers, now: Date.now });
    return reportSaved(publication, save, args, terminal);
  }
  const online = await place.online();
  if (verb === 'yank')
    await yankRelease(place.repository, change, { online, signers: await place.signers() });
  else if (verb === 'quarantine')
    await place.repository.change(online, (it) => quarantineRelease(it, change));
  else await place.repository.change(online, (it) => releaseFromQuarantine(it, change));
  return report();
}

export function releaseOfText(text: string): ReleaseName {
  const at = text.lastIndexOf('@');
  if (at > 0 && at < text.length - 1)
    return { name: parsePackageName(text.slice(0, at)), version: text.slice(at + 1) };
  throw new HostError('usage', `${JSON.stringify(text)} names no release`, { hint: 'write NAME@VERSION' });
}
