import type { Bundle } from '../model/bundle.js';
import type { Diagnostic } from '../model/diagnostic.js';
import type { Json } from '../model/json.js';
import type { Severity } from '../model/severity.js';
import type { Document } from './document/document.js';
import { SourceText } from './document/source-text.js';
import { Report } from './report.js';
import { readTextFile } from './text-file.js';

/** A parsed file with a report that already contains its syntax errors. */
export type OpenedFile<Own extends string> =
  | {
      readonly ok: true;
      readonly text: string;
      readonly document: Document;
      readonly value: Json;
      readonly report: Report<Own>;
    }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

export interface OpenFileOptions<Own extends string> {
  readonly parse: (text: string) => Document;
  /** The codes of the format. */
  readonly codes: Readonly<Record<Own, Severity>>;
  /** Which file of the bundle. Default: the manifest. */
  readonly path?: string;
}

/** Reads and parses a file that is as a whole in one syntax. It is not `ok` if syntax errors leave no value. */
export function openFile<Own extends string>(
  bundle: Bundle,
  { parse, codes, path = bundle.manifest }: OpenFileOptions<Own>,
): OpenedFile<Own> {
  const read = readTextFile(bundle, path);
  if (!read.ok) return { ok: false, diagnostics: read.diagnostics };
  const document = parse(read.text);
  const report = new Report(read.file, document, codes);
  const source = new SourceText(read.text);
  report.addSyntaxProblems((start, end) => source.range(start, end));
  const { value } = document;
  if (value === undefined) return { ok: false, diagnostics: report.diagnostics };
  return { ok: true, text: read.text, document, value, report };
}
