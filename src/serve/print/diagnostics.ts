import type { Diagnostic } from '../../model/diagnostic.js';
import type { Severity } from '../../model/severity.js';
import { sourceExcerpt } from './excerpt.js';
import type { Style } from './style.js';
import { visible, visibleLine } from './visible.js';

export interface DiagnosticsPrinter {
  readonly style: Style;
  readonly columns: number;
  /** The text of a file that was checked; undefined when it cannot be read. */
  source(file: string): string | undefined;
}

/** Diagnostics in compiler style: message, location, the marked source line, and how to fix it. */
export function printDiagnostics(diagnostics: readonly Diagnostic[], printer: DiagnosticsPrinter): string {
  const lines = new Map<string, readonly string[]>();
  const lineOf = (file: string, line: number): string | undefined => {
    let known = lines.get(file);
    if (known === undefined) {
      known = (printer.source(file) ?? '').split('\n');
      lines.set(file, known);
    }
    return known[line - 1]?.replace(/\r$/, '');
  };
  return diagnostics.map((it) => printOne(it, printer, lineOf)).join('\n');
}

function printOne(
  it: Diagnostic,
  printer: DiagnosticsPrinter,
  lineOf: (file: string, line: number) => string | undefined,
): string {
  const { style } = printer;
  const paint = style[it.severity];
  const gutter = ' '.repeat(String(it.range.line).length);
  const bar = style.dim(`${gutter} |`);
  const head = `${paint(style.bold(`${it.severity}[${it.code}]`))} ${style.bold(visibleLine(it.message))}`;
  const place = `${gutter}${style.dim('-->')} ${visibleLine(it.file)}:${it.range.line}:${it.range.column}`;
  const parts = [head, place];
  const source = lineOf(it.file, it.range.line);
  if (source !== undefined && source.trim() !== '') {
    const shown = sourceExcerpt(source, it.range, Math.max(30, printer.columns - gutter.length - 4));
    parts.push(bar, `${style.dim(`${it.range.line} |`)} ${shown.source}`, `${bar} ${paint(shown.marks)}`);
  }
  for (const related of it.related ?? []) {
    parts.push(
      `${gutter} ${style.dim('=')} note: ${visibleLine(related.message)}: ${visibleLine(related.file)}:${related.range.line}:${related.range.column}`,
    );
  }
  if (it.hint !== undefined) parts.push(`${gutter} ${style.dim('=')} help: ${visible(it.hint)}`);
  return `${parts.join('\n')}\n`;
}

export interface Counts {
  readonly files: number;
  readonly errors: number;
  readonly warnings: number;
}

export function countOf(diagnostics: readonly Diagnostic[], severity: Severity): number {
  return diagnostics.filter((it) => it.severity === severity).length;
}

/** `3 manifests checked: 1 error, 2 warnings`. */
export function printSummary(counts: Counts, style: Style): string {
  const checked = `${plural(counts.files, 'manifest')} checked`;
  if (counts.errors === 0 && counts.warnings === 0) return style.good(`${checked}: no problems`);
  const found = [
    counts.errors > 0 ? plural(counts.errors, 'error') : '',
    counts.warnings > 0 ? plural(counts.warnings, 'warning') : '',
  ];
  const paint = counts.errors > 0 ? style.error : style.warning;
  return paint(`${checked}: ${found.filter((it) => it !== '').join(', ')}`);
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
