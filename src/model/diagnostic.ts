import type { Severity } from './severity.js';

/** A place in a file. Lines and columns start at 1, columns count UTF-16 code units, the end is exclusive. */
export interface Range {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** Another place that helps to understand a diagnostic. */
export interface RelatedPlace {
  readonly message: string;
  readonly file: string;
  readonly range: Range;
}

/** One problem in a file, as data. */
export interface Diagnostic {
  /** The permanent name of this kind of problem. The part before the dot is the family or the format. */
  readonly code: string;
  readonly severity: Severity;
  /** What is wrong. */
  readonly message: string;
  readonly file: string;
  readonly range: Range;
  /** JSON Pointer to the field, if the problem is in a field. */
  readonly pointer?: string;
  /** How to fix it. */
  readonly hint?: string;
  readonly related?: readonly RelatedPlace[];
}

/** The range of a problem that concerns the whole file. */
export const startOfFile: Range = Object.freeze({ line: 1, column: 1, endLine: 1, endColumn: 1 });

const rank: Record<Severity, number> = { error: 0, warning: 1, info: 2 };

/** The order of a report: by file, position, severity and code. */
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
