import type { Bundle, RejectionReason } from '../model/bundle.js';
import type { CommonCode } from '../model/codes.js';
import { type Diagnostic, startOfFile } from '../model/diagnostic.js';
import { maxBytes } from './document/document.js';
import { makeDiagnostic } from './report.js';

/** The text of a file, or the diagnostic that says why it cannot be read. */
export type TextFile =
  | { readonly ok: true; readonly file: string; readonly text: string }
  | { readonly ok: false; readonly file: string; readonly diagnostics: readonly Diagnostic[] };

const rejectionCodes: Record<RejectionReason, CommonCode> = {
  unreadable: 'file.unreadable',
  'not-regular': 'file.not-regular',
  'link-escape': 'file.link-escape',
  'too-large': 'file.too-large',
};

/** Shared: a decoder has no state between two complete texts. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads a UTF-8 file of the bundle. */
export function readTextFile(bundle: Bundle, path: string): TextFile {
  const file = bundle.display(path);
  const fail = (code: CommonCode, message: string, hint?: string): TextFile => ({
    ok: false,
    file,
    diagnostics: [makeDiagnostic(code, file, startOfFile, message, hint)],
  });
  const entry = bundle.read(path);
  if (entry.kind === 'missing') return fail('file.missing', 'the file does not exist');
  if (entry.kind === 'folder') return fail('file.not-regular', 'this is a folder, not a file');
  if (entry.kind === 'rejected') return fail(rejectionCodes[entry.reason], entry.detail);
  if (entry.bytes.length > maxBytes) {
    return fail(
      'file.too-large',
      `the file has ${entry.bytes.length.toLocaleString('en')} bytes; the limit is 1 MiB`,
    );
  }
  const bytes = entry.bytes;
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return fail(
      'file.byte-order-mark',
      'the file starts with a byte order mark',
      'save it as UTF-8 without a byte order mark',
    );
  }
  try {
    const text = utf8.decode(bytes);
    if (text.trim() === '')
      return fail('file.empty', 'the file is empty', 'run "toolwharf init" to create a working example');
    return { ok: true, file, text };
  } catch {
    return fail('file.not-utf8', 'the file is not UTF-8 text', 'save it in UTF-8 encoding');
  }
}
