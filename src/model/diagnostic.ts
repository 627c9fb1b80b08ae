import type { DiagnosticCode } from './codes.js';

export type Severity = 'error' | 'warning' | 'info';

/** Lines and columns count from 1, columns in UTF-16 code units; the end is exclusive. */
export interface Range {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** Another place that explains a finding. */
export interface RelatedPlace {
  readonly message: string;
  readonly file: string;
  readonly range: Range;
}

/** One finding about a file. Printing it is somebody else's work. */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  readonly severity: Severity;
  readonly message: string;
  readonly file: string;
  readonly range: Range;
  /** JSON Pointer, where the format has one. */
  readonly pointer?: string;
  readonly hint?: string;
  readonly related?: readonly RelatedPlace[];
}

export const startOfFile: Range = Object.freeze({ line: 1, column: 1, endLine: 1, endColumn: 1 });

const rank: Record<Severity, number> = { error: 0, warning: 1, info: 2 };

/** By file, then place, then gravity, then code: the order in which people read a report. */
export function compareDiagnostics(a: Diagnostic, b: Diagnostic): number {
  return (
    compareText(a.file, b.file) ||
    a.range.line - b.range.line ||
    a.range.column - b.range.column ||
    rank[a.severity] - rank[b.severity] ||
    compareText(a.code, b.code) ||
    compareText(a.message, b.message)
  );
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
