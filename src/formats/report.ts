import { type DiagnosticCode, diagnosticCodes } from '../model/codes.js';
import type { Diagnostic, Range, RelatedPlace } from '../model/diagnostic.js';
import { type JsonPath, toPointer } from '../model/json.js';
import type { Document, Spot } from './document/document.js';

export interface FindingDetails {
  readonly hint?: string | undefined;
  /** Which part of a member to point at; its value unless told. */
  readonly spot?: Spot;
  readonly related?: readonly RelatedPlace[];
}

/** Collects the findings of one manifest file; severities come from the catalog of codes. */
export class Report {
  readonly file: string;
  readonly #document: Document;
  readonly #found: Diagnostic[] = [];
  readonly #settled = new Set<string>();

  constructor(file: string, document: Document) {
    this.file = file;
    this.#document = document;
  }

  /** A finding at a place of the document. */
  at(code: DiagnosticCode, path: JsonPath, message: string, details: FindingDetails = {}): void {
    this.#found.push({
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

  /** A finding that is not a part of the document's value, such as a line of source code. */
  inFile(code: DiagnosticCode, file: string, range: Range, message: string, hint?: string): void {
    this.#found.push(finding(code, file, range, message, hint));
  }

  /** Everything there is to say of a place has been said. */
  settle(path: JsonPath): void {
    this.#settled.add(toPointer(path));
  }

  isSettled(path: JsonPath): boolean {
    return this.#settled.has(toPointer(path));
  }

  get hasErrors(): boolean {
    return this.#found.some((it) => it.severity === 'error');
  }

  get diagnostics(): readonly Diagnostic[] {
    return this.#found;
  }
}

export function finding(
  code: DiagnosticCode,
  file: string,
  range: Range,
  message: string,
  hint?: string,
): Diagnostic {
  const severity = diagnosticCodes[code];
  return { code, severity, message, file, range, ...(hint === undefined ? {} : { hint }) };
}
