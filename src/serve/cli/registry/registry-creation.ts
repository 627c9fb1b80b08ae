import { basename, join } from 'node:path';
import { sha256 } from '../../../files/sha256.js';
import { HostError } from '../../../model/host-error.js';
import { registryKeyText } from '../../../registry/metadata/registry-key.js';
import {
  assertLogName,
  createRepository,
  defaultBins,
  defaultDays,
} from '../../../registry/repository/new-repository.js';
import type { Arguments } from '../command/command.js';
import { isDryRun, reportDryRun } from '../dry-run.js';
import type { Terminal } from '../terminal/terminal.js';
import { RegistryPlace } from './registry-place.js';
import { amountText, reportRegistry } from './registry-report.js';

const rootKeys = { count: 3, threshold: 2, most: 16 };

/** A new registry with all of its keys, in one command. */
export async function createRegistry(args: Arguments, terminal: Terminal): Promise<number> {
  const [, folder, ...more] = args.positionals;
  if (folder === undefined || more.length > 0)
    throw new HostError('usage', 'name the folder of the new registry: toolwharf registry init FOLDER');
  const place = await RegistryPlace.open(args, terminal, folder);
  const logName = args.value('name') ?? basename(place.folder);
  const days = { ...defaultDays, online: wholeNumber(args, 'days', defaultDays.online) };
  const count = wholeNumber(args, 'root-keys', rootKeys.count);
  const threshold = wholeNumber(args, 'threshold', Math.min(rootKeys.threshold, count));
  assertRootKeys(count, threshold);
  if (isDryRun(args))
    return reportDryRun(`create the registry ${logName} in ${place.folder}`, args, terminal);
  await place.repository.assertEmpty();
  assertLogName(logName);
  const rootNames = Array.from({ length: count }, (_, index) => `root-${index + 1}`);
  assertNoKeys(place, [...rootNames, 'snapshot', 'timestamp', 'index', 'quarantine', 'targets', 'log']);
  const key = async (name: string) => (await place.newKeys.create(name, keyPlace(args))).signer;
  const one = async (name: string) => [await key(name)];
  const root = await Promise.all(rootNames.map(key));
  const online = {
    snapshot: await one('snapshot'),
    timestamp: await one('timestamp'),
    index: await one('index'),
    quarantine: await one('quarantine'),
    log: (await key('log')).privateKey,
  };
  await createRepository(place.repository, {
    ...{ logName, online, days },
    root: { signers: root, threshold },
    targets: { signers: await one('targets'), threshold: 1 },
    bins: defaultBins,
    witnesses: { keys: [], threshold: 0 },
    now: Date.now(),
  });
  const fingerprint = sha256((await place.repository.view()).root.bytes);
  return reportRegistry(
    [
      `created ${place.folder}`,
      `its root has the SHA-256 ${fingerprint}; give it to those who use the registry`,
      `they write it into config.toml: [registries.NAME] with root = "${fingerprint.slice(0, 4)}…", and url or path`,
      `its keys are in ${place.newKeys.folder}: move ${rootNames.join(', ')} and targets to another machine`,
      `each change of the root needs ${threshold} of its ${amountText(count, 'key')}: keep copies in different places`,
      `next: toolwharf registry approve NAMESPACE KEY --registry ${folder}`,
    ],
    { did: 'created', folder: place.folder, keys: place.newKeys.folder, root: fingerprint },
    args,
    terminal,
  );
}

/** Keys that are there belong to another registry, or to an attempt that was interrupted: nothing uses those. */
function assertNoKeys({ newKeys, folder }: RegistryPlace, names: readonly string[]): void {
  const existing = names.find((it) => newKeys.has(it));
  if (existing === undefined) return;
  throw new HostError(
    'usage',
    `${newKeys.folder} has a key ${existing} already, and ${folder} has no registry`,
    {
      hint: 'name another folder for the new keys: --keys DIR; or delete those keys, if an earlier init was interrupted and no other registry has them',
    },
  );
}

/** Without a name: all keys that are here. With `create NAME`: a new one, such as that of a publisher. */
export async function registryKeys(args: Arguments, terminal: Terminal): Promise<number> {
  const [, verb, name, ...more] = args.positionals;
  const place = await RegistryPlace.open(args, terminal);
  // The keys of a registry are beside it. Beside any other folder, nobody would look for them.
  const isNamed = args.values('keys').length > 0 || args.value('registry') !== undefined;
  if (!isNamed && !terminal.isFolder(join(place.folder, 'metadata')))
    throw new HostError('usage', 'name the folder with the keys: --keys DIR', {
      hint: 'or name the folder of a registry, whose keys are beside it: --registry DIR',
    });
  if (verb === 'create' && name !== undefined && more.length === 0) {
    if (isDryRun(args))
      return reportDryRun(`create the key ${name} in ${place.newKeys.folder}`, args, terminal);
    const { signer } = await place.newKeys.create(name, keyPlace(args));
    const text = registryKeyText(signer.key);
    return reportRegistry(
      [text, `its private half is in ${place.newKeys.folder}; give only this line to others`],
      { did: 'created a key', name, key: text },
      args,
      terminal,
    );
  }
  if (verb !== undefined) throw new HostError('usage', 'use "registry keys" or "registry keys create NAME"');
  const keys = (await place.keys()).map((it) => ({
    name: it.name,
    place: it.place,
    key: registryKeyText(it.signer.key),
  }));
  return reportRegistry(
    keys.length === 0
      ? [`there are no keys in ${place.newKeys.folder}`]
      : keys.map(
          (it) => `${it.name.padEnd(12)}  ${it.key}${it.place === 'keychain' ? '  in the keychain' : ''}`,
        ),
    { did: 'listed keys', keys },
    args,
    terminal,
  );
}

/** Throws unless so many of the root keys can sign. */
export function assertRootKeys(count: number, threshold: number): void {
  if (threshold <= count && count <= rootKeys.most) return;
  throw new HostError('usage', `a root with ${count} keys cannot need ${threshold} signatures`, {
    hint: `use at most ${rootKeys.most} root keys, and a threshold that they can reach: --root-keys 3 --threshold 2`,
  });
}

export function keyPlace(args: Arguments): 'file' | 'keychain' {
  return args.has('keychain') ? 'keychain' : 'file';
}

export function wholeNumber(args: Arguments, name: string, other: number): number {
  const text = args.value(name);
  if (text === undefined) return other;
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1) return number;
  throw new HostError('usage', `--${name} must be a whole number from 1`);
}
