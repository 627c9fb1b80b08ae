import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { sha256 } from '../../../files/sha256.js';
import { HostError } from '../../../model/host-error.js';
import { rootFingerprintPattern } from '../../../model/registry-setting.js';
import { firstRoot } from '../../../registry/client/first-root.js';
import { compareWithHead } from '../../../registry/client/registry-client.js';
import type { RegistryView } from '../../../registry/client/registry-view.js';
import { openLogHead } from '../../../registry/log/log-head.js';
import { isUnfinished } from '../../../registry/repository/pending-files.js';
import type { RegistryRepository } from '../../../registry/repository/registry-repository.js';
import { checkRepository } from '../../../registry/repository/repository-check.js';
import { mirrorRegistry } from '../../../registry/repository/repository-mirror.js';
import { dueFiles } from '../../../registry/repository/repository-renewal.js';
import { folderTransport } from '../../../registry/transport/folder-transport.js';
import { errorTable } from '../../errors.js';
import { stateDirectory } from '../command/arguments.js';
import type { Arguments } from '../command/command.js';
import { loadConfig, settingsFrom } from '../config/config.js';
import { isDryRun, reportDryRun } from '../dry-run.js';
import type { Terminal } from '../terminal/terminal.js';
import { RegistryPlace } from './registry-place.js';
import { amountText, dueLines, reportRegistry } from './registry-report.js';
import { configuredAs } from './server-choice.js';

/**
 * Reads every file of a registry and compares it with what was signed. Exit 6 if anything differs. All signatures lead back
 * to the root file in the folder itself, so its hash is compared with what the operator of the registry says.
 */
export async function verifyRegistry(args: Arguments, terminal: Terminal): Promise<number> {
  const place = await RegistryPlace.open(
    args,
    terminal,
    args.positionals[1] ?? args.value('registry') ?? '.',
  );
  const expected = expectedRoot(args);
  const root = sha256(await firstRoot(folderTransport(place.folder), expected, 'check the path'));
  const view = await place.repository.view();
  const unfinished = isUnfinished(place.folder);
  const report = await checkRepository(view, { isUnfinished: unfinished });
  // What cannot be read is among the problems already.
  const due = report.problems.length === 0 ? await dueFiles(view, Date.now()) : [];
  const { problems, expired, namespaces, releases, entries } = report;
  reportRegistry(
    [
      ...problems.map((it) => `problem: ${it}`),
      ...expired.map((it) => `expired: ${it}`),
      problems.length === 0
        ? `the registry is intact: ${amountText(releases, 'release')} in ${amountText(namespaces, 'namespace')}, ${amountText(entries, 'entry', 'entries')} in its log`
        : amountText(problems.length, 'problem'),
      ...rootLines(root, expected),
      ...(unfinished
        ? ['a change was interrupted; the next one finishes it, such as "toolwharf registry renew"']
        : []),
      ...dueLines(due),
    ],
    {
      unfinished,
      ...{
        did: 'verified',
        ok: problems.length === 0,
        problems,
        expired,
        namespaces,
        releases,
        entries,
        root,
      },
      due: due.map((it) => ({ ...it })),
    },
    args,
    terminal,
  );
  return problems.length === 0 ? 0 : errorTable.integrity.exit;
}

/** A verified copy of a registry in a folder, such as for a machine without network. */
export async function mirrorToFolder(args: Arguments, terminal: Terminal): Promise<number> {
  const [, from, to, ...more] = args.positionals;
  if (from === undefined || to === undefined || more.length > 0)
    throw new HostError('usage', 'name a registry and a folder: toolwharf registry mirror FROM TO', {
      hint: 'FROM is a registry of your configuration, or a folder; TO is a folder',
    });
  const expected = expectedRoot(args);
  const { policy } = settingsFrom(await loadConfig(args, terminal), args, terminal);
  const setting = configuredAs(from, policy.registries ?? []);
  const folder = resolve(terminal.cwd, from);
  if (setting === undefined && !terminal.isFolder(folder))
    throw new HostError('not_found', `${from} is neither a registry of your configuration nor a folder`, {
      hint: 'add it to your configuration: [registries.NAME] with url and root; or name a folder',
    });
  if (isDryRun(args)) return reportDryRun(`copy ${from} to ${to}`, args, terminal);
  const { repository } = await RegistryPlace.open(args, terminal, to);
  const acceptExpired = args.has('accept-expired');
  const { root, ...report } =
    setting === undefined
      ? await mirrorOf(folder, { repository, expected, acceptExpired })
      : await terminal.mirrorConfigured({
          ...{ setting, policy, repository, acceptExpired },
          state: stateDirectory(args, terminal.environment, terminal.cwd),
        });
  return reportRegistry(
    [
      `copied ${amountText(report.releases, 'release')}: ${amountText(report.files, 'new file')}, ${report.bytes.toLocaleString('en')} bytes`,
      ...(setting === undefined ? rootLines(root, expected) : []),
    ],
    { did: 'mirrored', releases: report.releases, files: report.files, bytes: report.bytes, root },
    args,
    terminal,
  );
}

/** The SHA-256 that the root file must have; undefined: any, which the person compares. */
function expectedRoot(args: Arguments): string | undefined {
  const expected = args.value('root');
  if (expected === undefined || rootFingerprintPattern.test(expected)) return expected;
  throw new HostError('usage', `--root ${expected} is not a SHA-256`, {
    hint: 'it has 64 hexadecimal digits, as "registry init" printed it',
  });
}

function rootLines(root: string, expected: string | undefined): string[] {
  return expected === undefined
    ? [`its root has the SHA-256 ${root}: compare it with the one that its operator gave you`]
    : [];
}

interface FolderMirror {
  readonly repository: RegistryRepository;
  /** SHA-256 of the root file; undefined: any, which the person compares. */
  readonly expected: string | undefined;
  readonly acceptExpired: boolean;
}

async function mirrorOf(folder: string, { repository, expected, acceptExpired }: FolderMirror) {
  const from = folderTransport(folder);
  const file = await firstRoot(from, expected);
  const report = await mirrorRegistry({ from, root: file, to: repository, now: Date.now(), acceptExpired });
  return { ...report, root: sha256(file) };
}

/** The newest head of the log, for comparing it with what others see. */
export async function registryHead(args: Arguments, terminal: Terminal): Promise<number> {
  const place = await RegistryPlace.open(
    args,
    terminal,
    args.positionals[1] ?? args.value('registry') ?? '.',
  );
  const view = await place.repository.view();
  const { head } = view;
  const file = args.value('compare');
  const shared = file === undefined ? undefined : await compareWithHead(view, readHead(file, view, terminal));
  const agrees =
    shared === undefined
      ? []
      : ['', `the log agrees with the head in ${file}, which has ${shared.size} entries`];
  return reportRegistry(
    [...head.note.trimEnd().split('\n'), ...agrees],
    {
      did: shared === undefined ? 'showed the head' : 'compared the head',
      origin: head.origin,
      size: head.size,
      root: head.root.toString('base64'),
      note: head.note,
    },
    args,
    terminal,
  );
}

const maxHeadBytes = 100_000;

/** A head of the log as somebody else saw it: the signed note. */
function readHead(file: string, { root }: RegistryView, { cwd }: Terminal): string {
  const note = textOf(resolve(cwd, file), file);
  try {
    openLogHead(note, { ...root.document, witnesses: { keys: [], threshold: 0 } });
    return note;
  } catch (error) {
    throw new HostError('integrity', `${file} has no head that the log of this registry signed`, {
      cause: error,
      hint: 'the other person writes it with "toolwharf registry heads FOLDER > head.txt", for the same registry',
    });
  }
}

function textOf(path: string, file: string): string {
  try {
    if (statSync(path).size <= maxHeadBytes) return readFileSync(path, 'utf8');
  } catch (error) {
    throw new HostError('usage', `${file} cannot be read`, { cause: error, hint: 'check the path' });
  }
  throw new HostError('usage', `${file} is too large for the head of a log`);
}
