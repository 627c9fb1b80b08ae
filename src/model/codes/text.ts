import type { Severity } from '../diagnostic.js';

/** Characters that show a reader something else than they say. */
export const textCodes = {
  'text.control': 'error',
  'text.invisible': 'error',
  'text.bidi': 'error',
  'text.tag': 'error',
  'text.lookalike': 'warning',
} as const satisfies Record<string, Severity>;
