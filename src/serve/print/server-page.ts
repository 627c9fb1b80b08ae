import type { Plan, ServerDraft, ServerTrial } from '../../host/host.js';
import type { ServerChoice } from '../cli/server-choices.js';
import { fieldPrinter } from './fields.js';
import { changeText, credentialText, planFindings, unnamedHosts } from './plan.js';
import type { Style } from './style.js';
import { notOfferedTexts } from './tried-host.js';
import { visibleLine } from './visible.js';

export interface ServerPage {
  readonly plan: Plan;
  readonly draft: ServerDraft;
  /** Absent: it was not started. */
  readonly trial?: ServerTrial | undefined;
  readonly choices: readonly ServerChoice[];
}

const maxTools = 12;

/** The one page about a server that somebody adds: what it is, what it does, and what it gets. */
export function printServer(
  { plan, draft, trial, choices }: ServerPage,
  style: Style,
  columns: number,
): string {
  const { package: pkg, permissions, programs, dependencies, credentials } = plan;
  const { field, section } = fieldPrinter(style, columns, 8);
  const open = credentials.filter((it) => !draft.secrets.includes(it.name) && it.default === undefined);
  const settings = credentials.filter((it) => it.default !== undefined).map((it) => it.name);
  const lines = [
    style.bold(visibleLine(`${pkg.id} ${pkg.version}`)),
    '',
    ...(plan.operation === 'install' ? [] : field('Change', [changeText(plan)])),
    ...field('Source', dependencies.length === 0 ? [plan.resolved] : dependencies),
    ...field('Runs', programs.length === 0 ? ['nothing on this machine'] : programs),
    ...field('Sandbox', [plan.sandbox]),
    ...field('Trial', trialTexts(trial)),
    ...field('Tools', toolTexts(trial)),
    ...field('Folders', folderTexts(permissions.folders, choices)),
    ...field('Network', [...networkTexts(permissions.network, choices), ...notOfferedTexts(trial)]),
    ...field('Secrets', draft.secrets.length === 0 ? [] : [`${draft.secrets.join(', ')}: will be sealed`]),
    ...field('Settings', settings.length === 0 ? [] : [`${settings.join(', ')}: stored in clear`]),
    ...field(
      'Values',
      open.map((it) => credentialText(it, unnamedHosts(plan))),
    ),
    ...field('Not run', scriptTexts(trial?.scripts ?? [])),
    ...field('Note', draft.notes),
    ...planFindings(plan, style, section),
    '',
    ...field('Plan', [plan.digest]).map((it) => style.dim(it)),
  ];
  return `${lines.join('\n')}\n`;
}

function trialTexts(trial: ServerTrial | undefined): string[] {
  switch (trial?.status) {
    case undefined:
      return ['not started'];
    case 'skipped':
      return [];
    case 'started':
      return ['it started, without network and folders'];
    case 'failed':
      return [
        `it did not start without network, folders and missing values: ${trial.failure ?? 'no reason was given'}`,
      ];
  }
}

/** The names fit on a few lines; all tools with their descriptions are in `info`. */
function toolTexts(trial: ServerTrial | undefined): string[] {
  if (trial === undefined || trial.tools.length === 0) return [];
  const { length } = trial.tools;
  const names = trial.tools.slice(0, maxTools).map((it) => it.name);
  const rest = length > maxTools ? ` and ${length - maxTools} more` : '';
  return [`${length}: ${names.join(', ')}${rest}`];
}

function scriptTexts(scripts: readonly string[]): string[] {
  const [first, ...more] = scripts;
  if (first === undefined) return [];
  const option = `--allow-scripts ${more.length === 0 ? first : 'PACKAGE'}`;
  return [
    more.length === 0
      ? `${first} needs a build step that was not run.`
      : `${scripts.join(', ')} need build steps that were not run.`,
    `If something is missing: ${option} runs it in the sandbox.`,
  ];
}

function folderTexts(folders: readonly string[], choices: readonly ServerChoice[]): string[] {
  const chosen = choices.filter((it) => it.kind === 'folder');
  const texts = {
    read: 'reads',
    write: 'reads and changes',
    allow: 'reads',
    none: 'no access to',
  } as const;
  const own = folders.filter((it) => !chosen.some(({ name }) => it.slice(it.indexOf(':') + 1) === name));
  const lines = [
    ...own.map((it) => `reads ${it.slice(it.indexOf(':') + 1)} (its code)`),
    ...chosen.map((it) => `${texts[it.access]} ${it.name}`),
  ];
  return lines.length === 0 ? ['none'] : lines;
}

/** Hosts that nobody can choose are those of a URL. */
function networkTexts(network: readonly string[], choices: readonly ServerChoice[]): string[] {
  const chosen = choices.filter((it) => it.kind === 'host');
  const own = network.filter((it) => it !== 'none' && !chosen.some(({ name }) => name === it));
  const lines = [
    ...own,
    ...chosen.map(({ name, access }) => {
      const text = name === 'public' ? 'every public host' : name;
      return access === 'none' ? `not ${text}, which it tried to reach` : text;
    }),
  ];
  return lines.length === 0 ? ['none'] : lines;
}
