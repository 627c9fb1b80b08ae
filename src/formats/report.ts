import { type DiagnosticCode, diagnosticCodes } from '../model/codes.js';
import type { Diagnostic, Range, RelatedPlace } from '../model/diagnostic.js';
import { type JsonPath, toPointer } from '../model/json.js';
import type { Document, Spot } from './document/document.js';

/** Optional parts of a diagnostic. */
export interface DiagnosticDetails {
  readonly hint?: string | undefined;
  /** Which part of a member the range covers. Default: its value. */
  readonly spot?: Spot;
  readonly related?: readonly RelatedPlace[];
}

/** Collects the diagnostics of one manifest. The severity follows from the code. */
export class Report {
  readonly file: string;
  readonly #document: Document;
  readonly #diagnostics: Diagnostic[] = [];
  readonly #reported = new Set<string>();

  constructor(file: string, document: Document) {
    this.file = file;
    this.#document = document;
  }

  /** Adds a diagnostic about a field of the manifest. */
  at(code: DiagnosticCode, path: JsonPath, message: string, details: DiagnosticDetails = {}): void {
    this.#diagnostics.push({
      code,
      severity: diagnosticCodes[code],
      message,
      file: this.file,
      range: this.#document.locate(path, details.spot),
      pointer: toPointer(path),
      ...(details.hint === undefined ? {} : { hint: details.hint }),
      ...(details.related === undefined ? {} : { related: details.related }),
    });
  }

  /** Adds a diagnostic about a place outside the manifest's value, such as a line of source code. */
  inFile(code: DiagnosticCode, file: string, range: Range, message: string, hint?: string): void {
    this.#diagnostics.push(makeDiagnostic(code, file, range, message, hint));
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
}

/** Creates a diagnostic with the severity of its code. */
export function makeDiagnostic(
  code: DiagnosticCode,
  file: string,
  range: Range,
  message: string,
  hint?: string,
): Diagnostic {
  const severity = diagnosticCodes[code];
  return { code, severity, message, file, range, ...(hint === undefined ? {} : { hint }) };
}
