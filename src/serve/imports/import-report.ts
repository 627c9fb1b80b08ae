import type { Client, ConfigScope } from '../clients/client.js';
import type { Style } from '../print/style.js';
import { notOfferedTexts } from '../print/tried-host.js';
import { visibleLine } from '../print/visible.js';
import { wrap } from '../print/width.js';
import type { OutsideEntry, PlannedImport, PlannedServer } from './planned-import.js';

/** What became of one entry, or would become of it. */
export interface ImportedEntry {
  readonly entry: string;
  readonly status: 'planned' | 'moved' | 'failed' | 'outside' | 'restored';
  readonly package?: string;
  readonly version?: string;
  /** Why it stays in the file. */
  readonly reason?: string;
  readonly allowed?: readonly string[];
  readonly notGranted?: readonly string[];
  /** Names of sealed values. */
  readonly secrets?: readonly string[];
  readonly notes?: readonly string[];
  /** State of the package now. */
  readonly state?: string;
  /** What the package needs to be ready. */
  readonly needs?: readonly string[];
}

export interface ImportReport {
  readonly client: Client;
  readonly scope: ConfigScope;
  readonly file: string;
  readonly status: 'planned' | 'imported' | 'unchanged' | 'declined' | 'restored';
  readonly servers: readonly ImportedEntry[];
  readonly digest?: string | undefined;
  /** Name of our entry in the file. */
  readonly name?: string | undefined;
  /** Path of the backup for `--undo`. */
  readonly backup?: string | undefined;
  /** Files of the same client with further servers. */
  readonly alsoIn?: readonly {
    readonly scope: ConfigScope;
    readonly file: string;
    readonly servers: readonly string[];
  }[];
}

export function importDocument({ client, ...report }: ImportReport): string {
  return `${JSON.stringify({ schema: 'toolwharf/import@1', client: client.name, ...report })}\n`;
}

export function plannedEntry({
  entry,
  package: id,
  installs,
  allow,
  notGranted,
  secrets,
  notes,
}: PlannedServer): ImportedEntry {
  return {
    ...{ entry, status: 'planned', package: id },
    ...(installs === undefined ? {} : { version: installs.plan.package.version }),
    ...{ allowed: allow, notGranted, secrets, notes },
  };
}

export function outsideEntry({ entry, reason }: OutsideEntry): ImportedEntry {
  return { entry, status: 'outside', reason };
}

/** All servers on one page, for the person who agrees. */
export function printImportPlan(
  plan: PlannedImport,
  { client, file }: { readonly client: Client; readonly file: string },
  style: Style,
  columns: number,
): string {
  const field = (name: string, values: readonly string[]) =>
    values.flatMap((value, index) =>
      wrap(visibleLine(value), Math.max(20, columns - 15)).map(
        (line, part) => `  ${style.bold((index === 0 && part === 0 ? name : '').padEnd(12))} ${line}`,
      ),
    );
  const count = plan.servers.length;
  const lines = [
    `${style.bold(visibleLine(client.title))}  ${visibleLine(file)}`,
    `${count} ${count === 1 ? 'server moves' : 'servers move'} to Toolwharf`,
  ];
  for (const it of plan.servers) {
    const { installs } = it;
    const renamed = it.package === it.entry ? '' : ` as ${it.package}`;
    lines.push('', style.bold(visibleLine(`${it.entry}${renamed}`)));
    if (installs !== undefined) {
      const { permissions, dependencies, programs, sandbox, warnings, credentials } = installs.plan;
      const settings = credentials.filter((at) => at.default !== undefined).map((at) => at.name);
      const folders = permissions.folders.map((at) =>
        at.startsWith('write:') ? `reads and changes ${at.slice(6)}` : `reads ${at.slice(5)}`,
      );
      lines.push(
        ...field('Server', dependencies),
        ...field('Runs', programs),
        ...field('Trial', trialTexts(it)),
        ...field('Network', [
          permissions.network.length === 0 ? 'none' : permissions.network.join(', '),
          ...notOfferedTexts(it.trial),
        ]),
        ...field('Your files', folders.length === 0 ? ['none'] : folders),
        ...field('Sealed', it.secrets.length === 0 ? [] : [it.secrets.join(', ')]),
        ...field('In clear', settings.length === 0 ? [] : [settings.join(', ')]),
        ...field('Not granted', it.notGranted),
        ...field('Sandbox', sandbox === 'enforced' ? [] : [sandbox]),
        ...field('Warning', warnings),
      );
    }
    lines.push(...field('Note', it.notes));
  }
  if (plan.outside.length > 0)
    lines.push(
      ...['', style.bold('Stay in the file')],
      ...plan.outside.flatMap(({ entry, reason }) =>
        wrap(visibleLine(`${entry}: ${reason}`), Math.max(20, columns - 4)).map(
          (line, index) => `  ${index === 0 ? '!' : ' '} ${line}`,
        ),
      ),
    );
  lines.push('', style.dim(`import ${plan.digest}`));
  return `${lines.join('\n')}\n`;
}

const maxNames = 8;

function trialTexts({ trial }: PlannedServer): string[] {
  if (trial === undefined || trial.status === 'skipped') return [];
  const scripts = trial.scripts.map((it) => `${it} has a build step that was not run: --allow-scripts ${it}`);
  if (trial.status === 'failed')
    return [
      `did not start without network and folders: ${trial.failure ?? 'no reason was given'}`,
      ...scripts,
    ];
  const names = trial.tools.slice(0, maxNames).map((it) => it.name);
  const more = trial.tools.length > maxNames ? `, and ${trial.tools.length - maxNames} more` : '';
  const count = `${trial.tools.length} ${trial.tools.length === 1 ? 'tool' : 'tools'}`;
  return [`started; ${count}: ${names.join(', ')}${more}`, ...scripts];
}

/** What happened, for a person. */
export function importText(report: ImportReport): {
  readonly result: string;
  readonly notes: readonly string[];
} {
  const { client, servers, file } = report;
  const moved = servers.filter((it) => it.status === 'moved');
  const failed = servers.filter((it) => it.status === 'failed');
  const outside = servers.filter((it) => it.status === 'outside');
  const isUndo = report.status === 'restored';
  const lines = [
    ...moved.map(
      (it) =>
        `✓ ${it.entry}${it.package === it.entry ? '' : ` as ${it.package}`}  ${it.state ?? 'installed'}`,
    ),
    ...failed.map(
      (it) => `✗ ${it.entry} ${isUndo ? 'does not come back' : 'stays in the file'}: ${it.reason}`,
    ),
    ...outside.map((it) => `! ${it.entry} stays in the file: ${it.reason}`),
  ];
  const head = {
    imported: `${moved.length} of ${servers.length} servers of ${client.title} are in Toolwharf now`,
    unchanged: `nothing to import from ${file}`,
    restored: `restored ${file}`,
    declined: 'nothing was changed',
    planned: '',
  }[report.status];
  const needs = moved.flatMap((it) => (it.needs ?? []).map((need) => `${it.package}: ${need}`));
  const again = `toolwharf import ${client.name === 'file' ? file : client.name}`;
  const flag = client.name === 'file' || report.scope === client.scopes[0] ? '' : ` --scope ${report.scope}`;
  const kept = isUndo ? servers.flatMap((it) => it.package ?? []) : [];
  const notes = [
    ...needs,
    ...kept.map((it) => `${it} is still installed; to remove it: toolwharf revoke ${it}`),
    ...(report.alsoIn ?? []).map(
      (it) =>
        `${it.file} also has ${it.servers.join(', ')}: toolwharf import ${client.name} --scope ${it.scope}`,
    ),
    ...(report.backup === undefined ? [] : [`next: ${client.next}`, `to undo this: ${again}${flag} --undo`]),
  ];
  return { result: [head, ...lines].map(visibleLine).join('\n'), notes: notes.map(visibleLine) };
}
