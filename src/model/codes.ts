// The diagnostic codes that all formats share, one file per family. Each format has its own codes in its folder.
// Codes are permanent: they are never renamed or reused. docs/diagnostics.md has an entry for each.
import { fileCodes } from './codes/file.js';
import { schemaCodes } from './codes/schema.js';
import { syntaxCodes } from './codes/syntax.js';
import { textCodes } from './codes/text.js';
import type { Severity } from './severity.js';

/** The severity of each code. */
export const commonCodes = {
  ...fileCodes,
  ...syntaxCodes,
  ...schemaCodes,
  ...textCodes,
} as const satisfies Record<string, Severity>;

export type CommonCode = keyof typeof commonCodes;
