import type { PackageReport, PackageState } from '../../host/host.js';
import type { Style } from './style.js';
import { visibleLine } from './visible.js';
import { clip, pad, width, wrap } from './width.js';

const paints: Record<PackageState['state'], keyof Style> = {
  ready: 'good',
  'needs-setup': 'warning',
  unavailable: 'warning',
  'needs-review': 'warning',
  disabled: 'dim',
  broken: 'error',
  killed: 'error',
};

/** Below this width, version and format are left out. */
const narrow = 80;

/** A table that fits the terminal: one line per package, with its reasons below in full, because they say what to do. */
export function printPackages(report: PackageReport, style: Style, columns: number): string {
  const { packages, summary } = report;
  if (packages.length === 0)
    return `no packages found (looked at ${count(summary.scanned, 'file')})\n  create one: toolwharf init patch; or name a folder with packages: toolwharf list DIR\n`;
  const name = (it: PackageState) => visibleLine(it.id ?? it.path);
  const isNarrow = columns < narrow;
  const widest = Math.min(
    isNarrow ? 24 : columns < 100 ? 32 : 40,
    Math.max(...packages.map((it) => width(name(it)))),
  );
  // Ready packages come first; otherwise the order of the folders is kept.
  const ordered = [
    ...packages.filter((it) => it.state === 'ready'),
    ...packages.filter((it) => it.state !== 'ready'),
  ];
  const lines = ordered.flatMap((it) => {
    const facts = isNarrow ? '' : `${pad(it.version, 8)} ${pad(it.format, 10)} `;
    const head = `${pad(clip(name(it), widest), widest)}  ${visibleLine(facts)}`;
    const state = style[paints[it.state]](pad(it.state, 12));
    const tools = it.tools.map((tool) => tool.name).join(', ');
    const room = Math.max(10, columns - width(head) - 13);
    return [
      `${head}${state} ${clip(visibleLine(tools), room)}`.trimEnd(),
      ...it.reasons.flatMap((reason) =>
        wrap(visibleLine(reason), Math.max(20, columns - 4)).map((line, index) =>
          style.dim(`${index === 0 ? '  ' : '    '}${line}`),
        ),
      ),
    ];
  });
  lines.push('', `${count(packages.length, 'package')}: ${readyText(packages)}`);
  // The same for all packages, so it is said once.
  if (packages.some((it) => it.sandbox === 'degraded'))
    lines.push(style.dim('their sandbox is degraded: toolwharf doctor says why'));
  return `${lines.join('\n')}\n`;
}

function readyText(packages: readonly PackageState[]): string {
  const ready = packages.filter((it) => it.state === 'ready').length;
  const others = packages.length - ready;
  return others === 0
    ? `${ready} ready`
    : `${ready} ready, ${others} ${others === 1 ? 'needs' : 'need'} attention`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
