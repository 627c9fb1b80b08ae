import { type CommonCode, commonCodes } from '../model/codes.js';
import type { Diagnostic, Range, RelatedPlace } from '../model/diagnostic.js';
import { type JsonPath, toPointer } from '../model/json.js';
import type { Severity } from '../model/severity.js';
import type { Document, Spot } from './document/document.js';

/** Optional parts of a diagnostic. */
export interface DiagnosticDetails {
  readonly hint?: string | undefined;
  /** Which part of a member the range covers. Default: its value. */
  readonly spot?: Spot;
  readonly related?: readonly RelatedPlace[];
}

/**
 * Collects the diagnostics of one file. The severity follows from the code. `Own`: the codes of the format, besides
 * those that all formats share.
 */
export class Report<Own extends string = never> {
  readonly file: string;
  readonly #document: Document;
  readonly #codes: Readonly<Record<string, Severity>>;
  readonly #diagnostics: Diagnostic[] = [];
  readonly #reported = new Set<string>();

  constructor(file: string, document: Document, ownCodes: Readonly<Record<Own, Severity>>) {
    this.file = file;
    this.#document = document;
    this.#codes = ownCodes;
  }

  /** Adds a diagnostic about a field of the manifest. */
  at(code: Own | CommonCode, path: JsonPath, message: string, details: DiagnosticDetails = {}): void {
    this.#diagnostics.push({
      code,
      severity: this.#severityOf(code),
      message,
      file: this.file,
      range: this.#document.locate(path, details.spot),
      pointer: toPointer(path),
      ...(details.hint === undefined ? {} : { hint: details.hint }),
      ...(details.related === undefined ? {} : { related: details.related }),
    });
  }

  /** Adds a diagnostic about a place outside the manifest's value, such as a line of source code. */
  inFile(code: Own | CommonCode, file: string, range: Range, message: string, hint?: string): void {
    const severity = this.#severityOf(code);
    this.#diagnostics.push({ code, severity, message, file, range, ...(hint === undefined ? {} : { hint }) });
  }

  /** Adds the syntax errors of the document. `rangeOf` converts offsets of its text to a range of the file. */
  addSyntaxProblems(rangeOf: (start: number, end: number) => Range): void {
    for (const { code, start, end, message, hint } of this.#document.problems)
      this.inFile(code, this.file, rangeOf(start, end), message, hint);
  }

  /** Adds diagnostics that reading another file of the bundle gave. */
  add(diagnostics: readonly Diagnostic[]): void {
    this.#diagnostics.push(...diagnostics);
  }

  /** Whether a text is a code that this report accepts. */
  accepts(code: string): boolean {
    return Object.hasOwn(this.#codes, code) || Object.hasOwn(commonCodes, code);
  }

  /** Marks a field as reported, so that later checks can skip it. */
  markReported(path: JsonPath): void {
    this.#reported.add(toPointer(path));
  }

  isReported(path: JsonPath): boolean {
    return this.#reported.has(toPointer(path));
  }

  get hasErrors(): boolean {
    return this.#diagnostics.some((it) => it.severity === 'error');
  }

  get diagnostics(): readonly Diagnostic[] {
    return this.#diagnostics;
  }

  #severityOf(code: Own | CommonCode): Severity {
    return this.#codes[code] ?? commonCodes[code as CommonCode];
  }
}

/** Creates a diagnostic that belongs to no format. */
export function makeDiagnostic(
  code: CommonCode,
  file: string,
  range: Range,
  message: string,
  hint?: string,
): Diagnostic {
  const severity = commonCodes[code];
  return { code, severity, message, file, range, ...(hint === undefined ? {} : { hint }) };
}
