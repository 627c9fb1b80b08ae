import type { Plan, PlannedCredential } from '../../host/host.js';
import { fieldPrinter } from './fields.js';
import { sizeText } from './size-text.js';
import type { Style } from './style.js';
import { visibleLine } from './visible.js';
import { wrap } from './width.js';

/** A plan as a page that a person reads before agreeing: what it is, what runs, what it reaches, what is needed. */
export function printPlan(plan: Plan, style: Style, columns: number): string {
  const { package: pkg, permissions } = plan;
  const { field, section } = fieldPrinter(style, columns);
  const lines = [
    `${style.bold(visibleLine(`${pkg.id} ${pkg.version}`))}  ${visibleLine(`${pkg.name}, ${pkg.format}`)}`,
    ...wrap(visibleLine(pkg.description), columns),
    '',
    ...field('Change', [changeText(plan)]),
    ...field('Source', sourceTexts(plan)),
    ...field('Content', [
      `${plan.files.count} ${plan.files.count === 1 ? 'file' : 'files'}, ${sizeText(plan.files.bytes)}`,
    ]),
    ...field('Runs', plan.programs.length === 0 ? ['nothing on this machine'] : plan.programs),
    ...field('Runs with', plan.runtimes),
    ...field('Fetches', plan.dependencies),
    ...field('Network', permissions.network.length === 0 ? ['none'] : [permissions.network.join(', ')]),
    ...field('Your files', filesTexts(permissions)),
    ...field('Scopes', plan.scopes.map(scopeText)),
    ...field('Granted', plan.grants),
    ...field(
      'Values',
      plan.credentials.map((it) => credentialText(it, unnamedHosts(plan))),
    ),
    ...field('Cost', costLines(plan)),
    ...field('Test', [plan.smoke ?? 'none']),
    ...field('Kill switch', [plan.killSwitch ?? 'none']),
    ...field('Sandbox', [plan.sandbox]),
    ...field(
      'Tools',
      pkg.tools.map((it) => `${it.name}  ${it.effect}  ${it.description}`),
    ),
    ...planFindings(plan, style, section),
    '',
    style.dim(`plan ${plan.digest}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** What a person must know before agreeing: changes, reasons why it cannot run, and warnings. */
export function planFindings(
  { changes, blockers, warnings }: Plan,
  style: Style,
  section: ReturnType<typeof fieldPrinter>['section'],
): string[] {
  return [
    ...(changes === undefined
      ? []
      : [
          ...section('Changes that need your agreement', '!', changes.breaking).map((it) =>
            style.warning(it),
          ),
          ...section('New', '+', changes.additive),
          ...section('Other changes', '~', changes.cosmetic),
        ]),
    ...section('It cannot run here', '✗', blockers).map((it) => style.warning(it)),
    ...section('Warnings', '!', warnings),
  ];
}

/** A manifest that the host wrote says nothing that the other fields do not say. */
function sourceTexts({ source, resolved }: Plan): string[] {
  if (source.startsWith('mcp:')) return [resolved];
  return resolved === source ? [source] : [source, resolved];
}

export function changeText({ operation, from, package: { version } }: Plan): string {
  switch (operation) {
    case 'install':
      return 'install it for the first time';
    case 'unchanged':
      return `none: generation ${from?.generation} is exactly this`;
    case 'update':
      return `update from ${from?.version} (generation ${from?.generation}) to ${version}`;
  }
}

function filesTexts({ filesystem, folders }: Plan['permissions']): string[] {
  const named = folders.map((it) =>
    it.startsWith('write:') ? `reads and changes ${it.slice(6)}` : `reads ${it.slice(5)}`,
  );
  return filesystem === 'none' && named.length > 0 ? named : [filesText(filesystem), ...named];
}

function filesText(access: Plan['permissions']['filesystem']): string {
  switch (access) {
    case 'none':
      return 'none';
    case 'read-only':
      return 'reads the workspace';
    case 'read-write':
      return 'reads and changes the workspace';
  }
}

function scopeText({ resource, verbs, rationale, providerScope }: Plan['scopes'][number]): string {
  const provider = providerScope === undefined ? '' : ` (${providerScope})`;
  return `${verbs.join(', ')} ${resource}${provider}: ${rationale}`;
}

/** Where a secret may go whose recipients the manifest does not name. */
export function unnamedHosts({ permissions, grants, killSwitch }: Plan): string {
  if (permissions.network.length > 0 || grants.some((it) => it.startsWith('net:'))) return 'the hosts above';
  return killSwitch?.includes('sends DELETE') ? 'its kill switch only' : 'no host';
}

export function credentialText(it: PlannedCredential, unnamed: string): string {
  const kind = it.secret ? 'secret' : 'setting';
  const need = it.isSet
    ? 'already set'
    : it.default !== undefined
      ? `default: ${it.default}`
      : it.required
        ? 'needed'
        : 'optional';
  const to = it.secret ? `; may go to ${it.hosts.length === 0 ? unnamed : it.hosts.join(', ')}` : '';
  return `${it.name}  ${kind}, ${need}${to}`;
}

function costLines({ cost }: Plan): string[] {
  if (cost === undefined) return [];
  const dollars = (cents: number) => `$${(cents / 100).toFixed(2)}`;
  const parts = [
    ...(cost.installFeeCents === undefined ? [] : [`${dollars(cost.installFeeCents)} once`]),
    ...(cost.monthlyFeeCents === undefined ? [] : [`${dollars(cost.monthlyFeeCents)} per month`]),
    ...(cost.usageModel === undefined || cost.usageModel === 'none'
      ? []
      : [`usage is charged ${cost.usageModel}`]),
  ];
  const { estimate } = cost;
  return [
    ...(parts.length === 0 ? [] : [parts.join(', ')]),
    ...(estimate === undefined
      ? cost.estimateUrl === undefined
        ? []
        : [`estimate: ${cost.estimateUrl} (read it with --estimate)`]
      : [
          `estimate of ${new Date(estimate.readAt).toISOString().slice(0, 16).replace('T', ' ')}: ${estimate.text}`,
        ]),
  ];
}
