import { readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { HostError } from '../../../model/host-error.js';
import { compareWithHead } from '../../../registry/client/registry-client.js';
import { checkRepository } from '../../../registry/repository/repository-check.js';
import { mirrorRegistry } from '../../../registry/repository/repository-mirror.js';
import { folderTransport } from '../../../registry/transport/folder-transport.js';
import { errorTable } from '../../errors.js';
import type { Arguments } from '../command/command.js';
import { isDryRun, reportDryRun } from '../dry-run.js';
import type { Terminal } from '../terminal/terminal.js';
import { RegistryPlace } from './registry-place.js';
import { reportRegistry } from './registry-report.js';

/** Reads every file of a registry and compares it with what was signed. Exit 6 if anything differs. */
export async function verifyRegistry(args: Arguments, terminal: Terminal): Promise<number> {
  const place = await RegistryPlace.open(
    args,
    terminal,
    args.positionals[1] ?? args.value('registry') ?? '.',
  );
  const report = await checkRepository(await place.repository.view());
  const { problems, expired, namespaces, releases, entries } = report;
  reportRegistry(
    [
      ...problems.map((it) => `problem: ${it}`),
      ...expired.map((it) => `expired: ${it}`),
      problems.length === 0
        ? `the registry is intact: ${releases} releases in ${namespaces} namespaces, ${entries} entries in its log`
        : `${problems.length} problems`,
    ],
    { did: 'verified', ok: problems.length === 0, problems, expired, namespaces, releases, entries },
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
      hint: 'both are folders; a registry on a web server is copied with any program that copies files',
    });
  const folder = resolve(terminal.cwd, from);
  if (!terminal.isFolder(folder))
    throw new HostError('not_found', `there is no folder ${from}`, { hint: 'name the folder of a registry' });
  if (isDryRun(args)) return reportDryRun(`copy ${from} to ${to}`, args, terminal);
  const place = await RegistryPlace.open(args, terminal, to);
  const report = await mirrorRegistry({
    from: folderTransport(folder),
    root: await readFile(join(folder, 'metadata', '1.root.json')),
    to: place.repository,
    now: Date.now(),
    acceptExpired: args.has('accept-expired'),
  });
  return reportRegistry(
    [
      `copied ${report.releases} releases: ${report.files} new files, ${report.bytes.toLocaleString('en')} bytes`,
    ],
    { did: 'mirrored', releases: report.releases, files: report.files, bytes: report.bytes },
    args,
    terminal,
  );
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
  const shared = file === undefined ? undefined : await compareWithHead(view, readHead(file, terminal));
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
function readHead(file: string, { cwd }: Terminal): string {
  try {
    const path = resolve(cwd, file);
    if (statSync(path).size <= maxHeadBytes) return readFileSync(path, 'utf8');
  } catch (error) {
    throw new HostError('usage', `${file} cannot be read`, { cause: error });
  }
  throw new HostError('usage', `${file} is too large for the head of a log`);
}
