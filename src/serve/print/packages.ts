import type { PackageReport, PackageState } from '../../host/host.js';
import { shellQuote } from '../../model/shell-quote.js';
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

/** From this number on, what is the same for several packages that need review is said once, at the end. */
const many = 3;

/**
 * A table that fits the terminal: one line per package, with its reasons below in full, because they say what to do.
 * `named`: the paths that the person gave.
 */
export function printPackages(
  report: PackageReport,
  style: Style,
  columns: number,
  named: readonly string[] = [],
): string {
  const { packages, summary } = report;
  if (packages.length === 0)
    return `no packages found (looked at ${count(summary.scanned, 'file')})\n  create one: toolwharf init patch; or name a folder with packages: toolwharf list DIR\n`;
  const name = (it: PackageState) => visibleLine(it.id ?? it.path);
  const isNarrow = columns < narrow;
  const widest = Math.min(
    isNarrow ? 24 : columns < 100 ? 32 : 40,
    Math.max(...packages.map((it) => width(name(it)))),
  );
  const versions = Math.min(16, Math.max(8, ...packages.map((it) => width(it.version ?? ''))));
  // Ready packages come first; otherwise the order of the folders is kept.
  const ordered = [
    ...packages.filter((it) => it.state === 'ready'),
    ...packages.filter((it) => it.state !== 'ready'),
  ];
  const shared = sharedReasons(packages);
  const lines = ordered.flatMap((it) => {
    const facts = isNarrow ? '' : `${pad(clip(it.version ?? '', versions), versions)} ${pad(it.format, 10)} `;
    const head = `${pad(clip(name(it), widest), widest)}  ${visibleLine(facts)}`;
    const state = style[paints[it.state]](pad(it.state, 12));
    const tools = it.tools.map((tool) => tool.name).join(', ');
    const room = Math.max(10, columns - width(head) - 13);
    return [
      `${head}${state} ${clip(visibleLine(tools), room)}`.trimEnd(),
      ...ownReasons(it, shared).flatMap((reason) =>
        wrap(visibleLine(reason), Math.max(20, columns - 4)).map((line, index) =>
          style.dim(`${index === 0 ? '  ' : '    '}${line}`),
        ),
      ),
    ];
  });
  lines.push('', `${count(packages.length, 'package')}: ${readyText(packages)}`);
  for (const [reason, number] of shared) {
    const text = `${count(number, 'package')} need review, each because: ${visibleLine(reason)}`;
    lines.push(
      ...wrap(text, Math.max(20, columns - 4)).map((line, index) => `${index === 0 ? '' : '    '}${line}`),
    );
  }
  if (shared.size > 0)
    for (const path of named.length === 0 ? ['.'] : named)
      lines.push(`  review them: toolwharf review ${visibleLine(shellQuote(path))}`);
  // The same for all packages, so it is said once.
  if (packages.some((it) => it.sandbox === 'degraded'))
    lines.push(style.dim('their sandbox is degraded: toolwharf doctor says why'));
  return `${lines.join('\n')}\n`;
}

/** Reasons of at least three packages that need review, and how many packages have each. */
function sharedReasons(packages: readonly PackageState[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { state, reasons } of packages)
    if (state === 'needs-review')
      for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return new Map([...counts].filter(([, number]) => number >= many));
}

/** Without what is said at the end: shared reasons, and the command that reviews only this package. */
function ownReasons({ reasons }: PackageState, shared: ReadonlyMap<string, number>): readonly string[] {
  if (!reasons.some((it) => shared.has(it))) return reasons;
  return reasons.filter((it) => !shared.has(it) && !it.includes('toolwharf review '));
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
