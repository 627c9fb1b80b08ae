// All diagnostic codes, one file per family. Codes are permanent: they are never renamed or reused.
// docs/diagnostics.md has an entry for each.
import { fileCodes } from './codes/file.js';
import { findagentCodes } from './codes/findagent.js';
import { nexoCodes } from './codes/nexo.js';
import { patchCodes } from './codes/patch.js';
import { schemaCodes } from './codes/schema.js';
import { syntaxCodes } from './codes/syntax.js';
import { talosCodes } from './codes/talos.js';
import { textCodes } from './codes/text.js';
import { toolspaceCodes } from './codes/toolspace.js';
import type { Severity } from './severity.js';

/** The severity of each diagnostic code. */
export const diagnosticCodes = {
  ...fileCodes,
  ...syntaxCodes,
  ...schemaCodes,
  ...textCodes,
  ...patchCodes,
  ...talosCodes,
  ...toolspaceCodes,
  ...findagentCodes,
  ...nexoCodes,
} as const satisfies Record<string, Severity>;

/** The permanent name of one kind of problem. */
export type DiagnosticCode = keyof typeof diagnosticCodes;
