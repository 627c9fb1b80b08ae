import type { Bundle } from '../model/bundle.js';
import type { DiagnosticCode } from '../model/codes.js';
import { type Diagnostic, startOfFile } from '../model/diagnostic.js';
import { maxBytes } from './document/document.js';
import { finding } from './report.js';

export type ReadText =
  | { readonly ok: true; readonly file: string; readonly text: string }
  | { readonly ok: false; readonly file: string; readonly diagnostics: readonly Diagnostic[] };

const refusals: Record<string, DiagnosticCode> = {
  unreadable: 'file.unreadable',
  'not-regular': 'file.not-regular',
  'link-escape': 'file.link-escape',
  'too-large': 'file.too-large',
};

/** Made once: it keeps nothing between two texts. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a file of the bundle, or the one reason why there is none. */
export function readText(bundle: Bundle, path: string): ReadText {
  const file = bundle.display(path);
  const fail = (code: DiagnosticCode, message: string, hint?: string): ReadText => ({
    ok: false,
    file,
    diagnostics: [finding(code, file, startOfFile, message, hint)],
  });
  const entry = bundle.read(path);
  if (entry.kind === 'missing') return fail('file.missing', 'there is no such file');
  if (entry.kind === 'folder') return fail('file.not-regular', 'this is a folder, not a file');
  if (entry.kind === 'refused') return fail(refusals[entry.reason] ?? 'file.unreadable', entry.detail);
  if (entry.bytes.length > maxBytes) {
    return fail(
      'file.too-large',
      `the file has ${entry.bytes.length.toLocaleString('en')} bytes; at most 1 MiB is read`,
    );
  }
  const bytes = entry.bytes;
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return fail(
      'file.byte-order-mark',
      'the file begins with a byte order mark',
      'save it as UTF-8 without BOM',
    );
  }
  try {
    const text = utf8.decode(bytes);
    if (text.trim() === '')
      return fail('file.empty', 'the file is empty', 'run "toolwharf init" for a working start');
    return { ok: true, file, text };
  } catch {
    return fail('file.not-utf8', 'the file is not UTF-8 text', 'save it in the UTF-8 encoding');
  }
}
