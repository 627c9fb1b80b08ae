// Publications that need the signatures of several people: each signs on a machine of its own, and somebody sends the file.
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { replaceFile } from '../../../files/atomic-file.js';
import { HostError } from '../../../model/host-error.js';
import { namespaceOf, sendLocally } from '../../../registry/publisher/local-publication.js';
import {
  changesOf,
  maxPublicationBytes,
  type PublicationChanges,
  readPublication,
  type SignedPublication,
  signPublication,
  writePublication,
} from '../../../registry/publisher/signed-publication.js';
import { stateDirectory } from '../command/arguments.js';
import type { Arguments, Option } from '../command/command.js';
import { loadConfig, settingsFrom } from '../config/config.js';
import { isDryRun, reportDryRun } from '../dry-run.js';
import type { Terminal } from '../terminal/terminal.js';
import { publisherSigners, RegistryPlace } from './registry-place.js';
import { reportRegistry } from './registry-report.js';
import { chosenRegistry, registryTokenOf } from './server-choice.js';

export const saveOption: Option = {
  name: 'save',
  value: 'FILE',
  text: 'sign it, and write it to a file for the signatures of others, instead of publishing it',
};

/** Writes a publication for the signatures of others, and says what comes next. */
export function reportSaved(
  publication: SignedPublication,
  file: string,
  args: Arguments,
  terminal: Terminal,
): number {
  const lines = savePublication(publication, file, terminal);
  return reportRegistry(lines, { did: 'saved', file, namespace: publication.namespace }, args, terminal);
}

/** Adds the signatures of the keys that are here, after a person saw what they sign. */
export async function signSaved(args: Arguments, terminal: Terminal): Promise<number> {
  const file = oneFile(args, 'sign');
  const publication = loadPublication(file, terminal);
  const changes = await changesHere(publication, args, terminal);
  const lines = describeChanges(publication, changes);
  if (isDryRun(args)) return reportDryRun(`sign: ${lines.join('; ')}`, args, terminal);
  const signers = await publisherSigners(args, terminal);
  if (!args.has('yes')) await confirmSigning(lines, args, terminal);
  const signed = signPublication(publication, signers);
  savePublication(signed, file, terminal);
  const after = await changesHere(signed, args, terminal);
  return reportRegistry(
    [
      ...(args.has('yes') ? lines : []),
      `${file} has ${after.signatures} of the ${after.needed} signatures that it needs`,
      after.signatures < after.needed
        ? 'another member of the team signs it'
        : `next: toolwharf registry send ${file}`,
    ],
    {
      ...{ did: 'signed', file, namespace: publication.namespace },
      ...{ signatures: after.signatures, needed: after.needed },
      releases: after.added.map((it) => ({
        name: it.name.text,
        version: it.version,
        sha256: it.bundle.sha256,
      })),
      withdrawn: after.withdrawn.map((it) => ({ name: it.name.text, version: it.version })),
    },
    args,
    terminal,
  );
}

/** Publishes what enough people signed. */
export async function sendSaved(args: Arguments, terminal: Terminal): Promise<number> {
  const file = oneFile(args, 'send');
  const publication = loadPublication(file, terminal);
  const chosen = await target(args, terminal);
  const lines = describeChanges(publication, await changesHere(publication, args, terminal));
  if (isDryRun(args)) return reportDryRun(`publish: ${lines.join('; ')}`, args, terminal);
  if (chosen.kind === 'server')
    await terminal.sendToServer({
      ...{ publication, setting: chosen.setting, signers: [] },
      ...{ state: chosen.state, policy: chosen.policy },
      token: registryTokenOf(args, terminal),
    });
  else {
    const place = await RegistryPlace.open(args, terminal, chosen.folder);
    await sendLocally(publication, {
      ...{ repository: place.repository, data: place.data, now: Date.now },
      ...{ online: await place.online(), formats: await terminal.loadFormats() },
    });
  }
  return reportRegistry(lines, { did: 'sent', file, namespace: publication.namespace }, args, terminal);
}

/** The file of a publication, whose content only its reader checks. */
export function loadPublication(file: string, { cwd }: Pick<Terminal, 'cwd'>): SignedPublication {
  let text: string;
  try {
    const path = resolve(cwd, file);
    if (statSync(path).size > maxPublicationBytes)
      throw new HostError('usage', `${file} is too large for a publication`);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof HostError) throw error;
    throw new HostError('usage', `${file} cannot be read`, { cause: error, hint: 'check the path' });
  }
  return readPublication(text);
}

/** Writes it to a file. The lines say what comes next. */
export function savePublication(
  publication: SignedPublication,
  file: string,
  { cwd }: Pick<Terminal, 'cwd'>,
): readonly string[] {
  try {
    replaceFile(resolve(cwd, file), writePublication(publication), { mode: 0o600, flush: 'folder' });
  } catch (error) {
    throw new HostError('usage', `${file} cannot be written`, { cause: error, hint: 'check the folder' });
  }
  return [
    `signed, and written to ${file}; nothing was published`,
    `next: others sign it with "toolwharf registry sign ${file} --keys DIR", then "toolwharf registry send ${file}"`,
  ];
}

/** The registry that a text names, with what is needed to reach it. */
export async function registryNamed(to: string, args: Arguments, terminal: Terminal) {
  const { policy } = settingsFrom(await loadConfig(args, terminal), args, terminal);
  const chosen = chosenRegistry(to, policy.registries ?? [], terminal);
  return { ...chosen, policy, state: stateDirectory(args, terminal.environment, terminal.cwd) };
}

/** With --save, nothing is sent, so no token is needed to send it. */
export function deliveryOf(args: Arguments, terminal: Terminal) {
  if (args.value('save') === undefined) return { token: registryTokenOf(args, terminal) };
  const isNamed =
    args.value('token-file') !== undefined || terminal.environment.TOOLWHARF_REGISTRY_TOKEN !== undefined;
  return { collects: true, token: isNamed ? registryTokenOf(args, terminal) : undefined };
}

async function target(args: Arguments, terminal: Terminal) {
  const to = args.value('to') ?? args.value('registry');
  if (to !== undefined) return registryNamed(to, args, terminal);
  throw new HostError('usage', 'say which registry it is for: --to REGISTRY', {
    hint: 'a name of [registries.NAME] in your configuration, or the folder of a registry',
  });
}

async function changesHere(
  publication: SignedPublication,
  args: Arguments,
  terminal: Terminal,
): Promise<PublicationChanges> {
  const chosen = await target(args, terminal);
  const { namespace } = publication;
  if (chosen.kind === 'server') {
    const changes = await terminal.publicationChanges(publication, chosen.setting, chosen);
    if (changes !== undefined) return changes;
    throw new HostError('denied', `nobody was approved for the namespace ${namespace}`, {
      hint: 'ask the operator of the registry: toolwharf registry approve NAMESPACE KEY',
    });
  }
  const { repository } = await RegistryPlace.open(args, terminal, chosen.folder);
  const { found, view } = await namespaceOf(repository, namespace, Date.now());
  return changesOf(publication, found, view);
}

function describeChanges(
  { namespace }: SignedPublication,
  { added, withdrawn, expires }: PublicationChanges,
): string[] {
  return [
    ...added.map((it) => `publishes ${it.name.text} ${it.version}, SHA-256 ${it.bundle.sha256}`),
    ...withdrawn.map((it) => `withdraws ${it.name.text} ${it.version}: ${it.yanked}`),
    `the file of ${namespace} is then valid until ${expires}`,
  ];
}

async function confirmSigning(lines: readonly string[], args: Arguments, terminal: Terminal): Promise<void> {
  if (!terminal.stdinIsTerminal || args.has('no-input'))
    throw new HostError('approval_required', 'a person must see what is signed', {
      hint: `${lines.join('; ')}; sign it with --yes`,
    });
  terminal.err(lines.map((it) => `${it}\n`).join(''));
  if (!(await terminal.confirm('Sign this?')))
    throw new HostError('approval_denied', 'nothing was signed', {
      hint: 'run it again to decide otherwise',
    });
}

function oneFile(args: Arguments, verb: string): string {
  const [, file, ...more] = args.positionals;
  if (file !== undefined && more.length === 0) return file;
  throw new HostError('usage', `name one file: toolwharf registry ${verb} FILE --to REGISTRY`, {
    hint: 'make it with --save FILE: toolwharf publish, or toolwharf registry yank or renew',
  });
}
