import type { Bundle } from '../model/bundle.js';
import type { Diagnostic } from '../model/diagnostic.js';
import type { Document } from './document/document.js';
import { SourceText } from './document/text.js';
import { Report } from './report.js';
import { readText } from './source.js';

/** The manifest of a bundle, read, with what is wrong with its notation on report already. */
export type Manifest =
  | { readonly ok: true; readonly text: string; readonly document: Document; readonly report: Report }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** For formats whose manifest is a file of its own in one notation. */
export function openManifest(bundle: Bundle, notation: (text: string) => Document): Manifest {
  const read = readText(bundle, bundle.manifest);
  if (!read.ok) return { ok: false, diagnostics: read.diagnostics };
  const document = notation(read.text);
  const report = new Report(read.file, document);
  const source = new SourceText(read.text);
  for (const { code, start, end, message, hint } of document.problems) {
    report.inFile(code, read.file, source.range(start, end), message, hint);
  }
  return { ok: true, text: read.text, document, report };
}
