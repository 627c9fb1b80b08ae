import { resolve } from 'node:path';
import type { Operator, RemoteHost, RemoteSession } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import { changeProgress } from '../cli/change-progress.js';
import type { Arguments } from '../cli/command/command.js';
import { isDryRun } from '../cli/dry-run.js';
import { openLifecycleSession } from '../cli/lifecycle-session.js';
import { terminalOperator } from '../cli/terminal/operator.js';
import type { Terminal } from '../cli/terminal/terminal.js';
import { terminalStyle } from '../cli/terminal/terminal-style.js';
import { withHost } from '../cli/with-host.js';
import type { ConnectMachine } from '../clients/connection.js';
import { checkWritable, type SettingsFile } from '../clients/settings-file.js';
import { errorTable } from '../errors.js';
import { visibleLine } from '../print/visible.js';
import { agreesToImport, allowFlag, asksPerson } from './import-agreement.js';
import { alsoConfigured, type ReadEntries, readEntries } from './import-entries.js';
import { grantsFor, ownEntryName, packageNames } from './import-options.js';
import {
  type ImportedEntry,
  type ImportReport,
  outsideEntry,
  plannedEntry,
  printImportPlan,
} from './import-report.js';
import { existingFile, type ImportTarget } from './import-target.js';
import { moveEntries } from './moved-entries.js';
import { type OwnHost, ownEntry, ownHost } from './own-entry.js';
import {
  type PlannedImport,
  type PlannedServer,
  type PlanningOptions,
  planImport,
  reasonOf,
  replanned,
} from './planned-import.js';

export interface ImportOutcome {
  readonly report: ImportReport;
  readonly exit: number;
}

/** Plans all servers of a file, asks once, installs them, then changes the file. */
export async function runImport(
  target: ImportTarget,
  machine: ConnectMachine,
  args: Arguments,
  terminal: Terminal,
): Promise<ImportOutcome> {
  const file = existingFile(target);
  const own = ownHost(machine, args, terminal);
  const read = readEntries(file, target, args, terminal, own);
  const present = ownEntry({ file: file.path, text: file.text }, target.client, own);
  const name = present ?? ownEntryName(args, read.entries);
  const about = {
    ...{ client: target.client, scope: target.scope, file: target.file },
    ...alsoConfigured(target, own),
  };
  if (read.servers.length === 0)
    return { report: { ...about, status: 'unchanged', servers: read.outside.map(outsideEntry) }, exit: 0 };
  return withHost(args, terminal, async (host) => {
    const run = new ImportRun({ target, machine, args, terminal, file, read, own, name, about, host });
    return run.start();
  });
}

interface RunParts {
  readonly target: ImportTarget;
  readonly machine: ConnectMachine;
  readonly args: Arguments;
  readonly terminal: Terminal;
  readonly file: SettingsFile;
  readonly read: ReadEntries;
  readonly own: OwnHost;
  /** Name of our entry. */
  readonly name: string;
  readonly about: Pick<ImportReport, 'client' | 'scope' | 'file' | 'alsoIn'>;
  readonly host: RemoteHost;
}

class ImportRun {
  readonly #parts: RunParts;

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  async start(): Promise<ImportOutcome> {
    const { args, terminal, host, about, file, read } = this.#parts;
    const isDry = isDryRun(args);
    const session = await openLifecycleSession(host, args, terminal, isDry ? 'look' : 'use');
    if (isDry) {
      const plan = this.#whole(await planImport(read.servers, this.#planning(session, undefined)));
      this.#show(plan);
      return { report: this.#planned(plan, 'planned'), exit: 0 };
    }
    checkWritable(file);
    const by = await terminalOperator(host, args, terminal);
    const planning = this.#planning(session, args.has('agree') || args.has('no-trial') ? undefined : by);
    let plan = this.#whole(await planImport(read.servers, planning));
    this.#show(plan);
    if (plan.servers.length === 0)
      return { report: { ...about, status: 'unchanged', servers: plan.outside.map(outsideEntry) }, exit: 1 };
    const choice = await agreesToImport(plan, args, terminal);
    if (choice === null)
      return { report: this.#planned(plan, 'declined'), exit: errorTable.approval_required.exit };
    if (choice.size > 0) plan = await replanned(plan, choice, planning);
    return this.#carryOut(plan, session, by);
  }

  async #carryOut(plan: PlannedImport, session: RemoteSession, by: Operator): Promise<ImportOutcome> {
    const { about, host, terminal, args } = this.#parts;
    const installed: PlannedServer[] = [];
    const failed: ImportedEntry[] = [];
    let exit = 0;
    for (const server of plan.servers) {
      try {
        await this.#install(server, session, by);
        installed.push(server);
      } catch (error) {
        if (terminal.signal.aborted) throw stopped(installed, error);
        if (!(error instanceof HostError)) throw error;
        failed.push({
          entry: server.entry,
          status: 'failed',
          package: server.package,
          reason: reasonOf(error),
        });
        exit ||= errorTable[error.code].exit;
        if (!args.has('quiet'))
          terminal.err(`${visibleLine(`${server.entry} failed: ${reasonOf(error)}`)}\n`);
      }
    }
    if (terminal.signal.aborted) throw stopped(installed, undefined);
    const moved = await moveEntries({ ...this.#parts, moved: installed }, host, by);
    const states = new Map((await session.packages()).packages.map((it) => [it.id, it]));
    const changed = moved.changed.map(
      (entry): ImportedEntry => ({
        ...{ entry, status: 'failed', reason: 'it changed in the file during the import; run it again' },
      }),
    );
    const done = installed
      .filter((it) => moved.moved.some((other) => other.entry === it.entry))
      .map((it): ImportedEntry => {
        const now = states.get(it.package);
        return {
          ...plannedEntry(it),
          status: 'moved',
          ...(now === undefined ? {} : { state: now.state, version: now.version ?? undefined }),
          ...(now === undefined || now.state === 'ready' ? {} : { needs: now.reasons }),
        } as ImportedEntry;
      });
    return {
      report: {
        ...about,
        ...{ status: 'imported', digest: plan.digest, name: moved.name, backup: moved.backup },
        servers: [...done, ...failed, ...changed, ...plan.outside.map(outsideEntry)],
      },
      exit: exit || (changed.length > 0 ? errorTable.integrity.exit : 0),
    };
  }

  async #install({ entry, allow, installs }: PlannedServer, { installations }: RemoteSession, by: Operator) {
    const { args, terminal } = this.#parts;
    if (installs === undefined) return;
    if (!args.has('quiet')) terminal.err(`${visibleLine(`install ${entry}`)} …\n`);
    const { draft, plan } = installs;
    await installations.install({
      ...{ source: draft.source, allow, agree: plan.digest, values: draft.values, by },
      ...{ signal: terminal.signal, skipSmoke: args.has('skip-smoke') },
    });
  }

  #planning(session: RemoteSession, trialBy: Operator | undefined): PlanningOptions {
    const { args, terminal, target, read } = this.#parts;
    const count = read.servers.length;
    return {
      ...{ file: target.file, installations: session.installations, signal: terminal.signal, trialBy },
      ...{ scripts: args.values('allow-scripts'), settings: args.values('setting') },
      root: resolve(terminal.cwd, args.value('root') ?? '.'),
      allowFor: grantsFor(args, read.entries, (path) => resolve(terminal.cwd, path)),
      names: packageNames(args, read.entries),
      grantsWanted: asksPerson(args, terminal),
      onServer: (entry, number) => {
        if (!args.has('quiet') && trialBy !== undefined)
          terminal.err(`${visibleLine(`try ${entry}, ${number} of ${count}`)} …\n`);
      },
      onProgress: changeProgress(args, terminal),
    };
  }

  /** With the entries that were not planned at all. */
  #whole(plan: PlannedImport): PlannedImport {
    return { ...plan, outside: [...plan.outside, ...this.#parts.read.outside] };
  }

  #show(plan: PlannedImport): void {
    const { args, terminal, target } = this.#parts;
    if (args.has('json') || args.has('quiet')) return;
    terminal.out(`${printImportPlan(plan, target, terminalStyle(args, terminal), terminal.columns)}\n`);
    const flags = plan.servers.flatMap((it) => it.notGranted.map((grant) => allowFlag(it.entry, grant)));
    if (flags.length > 0) terminal.err(`${visibleLine(`not granted: ${flags.join(' ')}`)}\n`);
  }

  #planned(plan: PlannedImport, status: 'planned' | 'declined'): ImportReport {
    const servers = [...plan.servers.map(plannedEntry), ...plan.outside.map(outsideEntry)];
    return { ...this.#parts.about, status, digest: plan.digest, servers };
  }
}

function stopped(installed: readonly PlannedServer[], cause: unknown): HostError {
  const names = installed.map((it) => it.package);
  return new HostError(
    'canceled',
    `the import was stopped; the client's file was not changed${
      names.length === 0 ? '' : `, and these packages are installed: ${names.join(', ')}`
    }`,
    { hint: 'run it again to go on', cause },
  );
}
