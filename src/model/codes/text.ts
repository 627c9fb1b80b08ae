import type { Severity } from '../severity.js';

/** Characters that make text look different from what it contains. */
export const textCodes = {
  'text.control': 'error',
  'text.invisible': 'error',
  'text.bidi': 'error',
  'text.tag': 'error',
  'text.lookalike': 'warning',
} as const satisfies Record<string, Severity>;
