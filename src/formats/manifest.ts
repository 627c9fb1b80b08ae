import type { Bundle } from '../model/bundle.js';
import type { Diagnostic } from '../model/diagnostic.js';
import type { Document } from './document/document.js';
import { SourceText } from './document/source-text.js';
import { Report } from './report.js';
import { readTextFile } from './text-file.js';

/** A parsed manifest with a report that already contains its syntax errors. */
export type Manifest =
  | { readonly ok: true; readonly text: string; readonly document: Document; readonly report: Report }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Reads and parses a manifest that is a whole file in one syntax. */
export function openManifest(bundle: Bundle, parse: (text: string) => Document): Manifest {
  const read = readTextFile(bundle, bundle.manifest);
  if (!read.ok) return { ok: false, diagnostics: read.diagnostics };
  const document = parse(read.text);
  const report = new Report(read.file, document);
  const source = new SourceText(read.text);
  for (const { code, start, end, message, hint } of document.problems) {
    report.inFile(code, read.file, source.range(start, end), message, hint);
  }
  return { ok: true, text: read.text, document, report };
}
