// What the operator of a registry decides: who publishes where, which releases are warned about, which keys are used.
import { HostError } from '../../../model/host-error.js';
import { targetsSignersOf } from '../../../registry/keys/role-keys.js';
import { parseRegistryKeyText, type RegistrySigner } from '../../../registry/metadata/registry-key.js';
import { parsePackageName, type ReleaseName } from '../../../registry/names/package-name.js';
import { approveNamespace } from '../../../registry/repository/namespace-approval.js';
import {
  quarantineRelease,
  releaseFromQuarantine,
} from '../../../registry/repository/release-publication.js';
import { yankRelease } from '../../../registry/repository/release-publishing.js';
import { signersFor } from '../../../registry/repository/repository-signers.js';
import { type Rotation, rotateRole } from '../../../registry/repository/role-rotation.js';
import { stateDirectory } from '../command/arguments.js';
import type { Arguments } from '../command/command.js';
import { loadConfig, settingsFrom } from '../config/config.js';
import { isDryRun, reportDryRun } from '../dry-run.js';
import type { Terminal } from '../terminal/terminal.js';
import { keyPlace, wholeNumber } from './registry-creation.js';
import { publisherSigners, RegistryPlace } from './registry-place.js';
import { reportRegistry } from './registry-report.js';
import { chosenRegistry, registryTokenOf } from './server-choice.js';

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
  if (isDryRun(args)) return reportDryRun(`approve ${keys.length} keys for ${namespace}`, args, terminal);
  const signers = await place.signers();
  await place.repository.change(await place.online(), async (change) =>
    approveNamespace(change, {
      ...{ namespace, keys, threshold },
      targetsSigners: targetsSignersOf(change.view, signers),
      replace: args.has('replace'),
      ownerSigners: signers,
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
  const to = args.value('to');
  if (to !== undefined && verb !== 'yank')
    throw new HostError('usage', `--to is for yank: ${verb} is for the operator, who has the registry`, {
      hint: 'name its folder: --registry DIR',
    });
  const chosen = to === undefined ? undefined : await registryNamed(to, args, terminal);
  if (chosen?.kind === 'server') {
    if (isDryRun(args)) return reportDryRun(`yank ${text} at ${to}: ${reason}`, args, terminal);
    await terminal.yankAtServer({
      ...{ release: change, setting: chosen.setting, state: chosen.state, policy: chosen.policy },
      signers: await publisherSigners(args, terminal),
      token: registryTokenOf(args, terminal),
    });
    return report();
  }
  const place = await RegistryPlace.open(args, terminal, chosen?.folder);
  if (isDryRun(args)) return reportDryRun(`${verb} ${text}: ${reason}`, args, terminal);
  const online = await place.online();
  if (verb === 'yank')
    await yankRelease(place.repository, change, { online, signers: await place.signers() });
  else if (verb === 'quarantine')
    await place.repository.change(online, (it) => quarantineRelease(it, change));
  else await place.repository.change(online, (it) => releaseFromQuarantine(it, change));
  return report();
}

async function registryNamed(to: string, args: Arguments, terminal: Terminal) {
  const { policy } = settingsFrom(await loadConfig(args, terminal), args, terminal);
  const chosen = chosenRegistry(to, policy.registries ?? [], terminal);
  return { ...chosen, policy, state: stateDirectory(args, terminal.environment, terminal.cwd) };
}

const roles = ['root', 'targets', 'snapshot', 'timestamp', 'index', 'quarantine', 'log'] as const;

/** New keys for a role. The old ones stay in their folder until somebody deletes them. */
export async function rotateRegistryRole(args: Arguments, terminal: Terminal): Promise<number> {
  const [, role, ...more] = args.positionals;
  const known = roles.find((it) => it === role);
  if (known === undefined || more.length > 0)
    throw new HostError('usage', 'name the role whose keys are replaced', {
      hint: `use ${roles.join(', ')}`,
    });
  const place = await RegistryPlace.open(args, terminal);
  if (isDryRun(args)) return reportDryRun(`create new keys for ${known} and use them`, args, terminal);
  const view = await place.repository.view();
  const signers = await place.signers();
  const count = known === 'root' ? view.root.document.roles.root.keyids.length : 1;
  const stamp = new Date().toISOString().slice(0, 10);
  const next: RegistrySigner[] = [];
  for (let number = 1; number <= count; number++) {
    const name = `${known}-${stamp}-${view.root.document.version + 1}${count === 1 ? '' : `-${number}`}`;
    next.push((await place.newKeys.create(name, keyPlace(args))).signer);
  }
  const threshold = known === 'root' ? view.root.document.roles.root.threshold : 1;
  const rotation: Rotation = {
    role: known,
    ...(known === 'log' ? { nextLog: next[0]?.privateKey } : { next: { signers: next, threshold } }),
    rootSigners: signersFor(view.root.document.roles.root, signers),
    targetsSigners: targetsSignersOf(view, signers),
    online: await place.online(),
    now: Date.now(),
  };
  await rotateRole(place.repository, rotation);
  return reportRegistry(
    [`${known} has new keys; keep the old ones until all readers have seen the change`],
    { did: 'rotated', role: known },
    args,
    terminal,
  );
}

/** Signs what expires soon again. */
export async function renewRegistry(args: Arguments, terminal: Terminal): Promise<number> {
  const place = await RegistryPlace.open(args, terminal);
  if (isDryRun(args)) return reportDryRun('sign the timestamp and the snapshot again', args, terminal);
  await place.repository.change(await place.online(), async () => {});
  const { timestamp } = await place.repository.view();
  return reportRegistry(
    [`renewed until ${timestamp.document.expires}`],
    { did: 'renewed', expires: timestamp.document.expires },
    args,
    terminal,
  );
}

export function releaseOfText(text: string): ReleaseName {
  const at = text.lastIndexOf('@');
  if (at > 0 && at < text.length - 1)
    return { name: parsePackageName(text.slice(0, at)), version: text.slice(at + 1) };
  throw new HostError('usage', `${JSON.stringify(text)} names no release`, { hint: 'write NAME@VERSION' });
}
