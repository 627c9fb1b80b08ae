import type { Severity } from '../severity.js';

/** Problems with the file itself, before its content is parsed. */
export const fileCodes = {
  'file.missing': 'error',
  'file.unreadable': 'error',
  'file.not-regular': 'error',
  'file.link-escape': 'error',
  'file.too-large': 'error',
  'file.empty': 'error',
  'file.not-utf8': 'error',
  'file.byte-order-mark': 'error',
  'file.unknown-format': 'error',
  'file.path-escape': 'error',
  'file.too-many': 'error',
  'file.sha256': 'error',
} as const satisfies Record<string, Severity>;
