import type { Severity } from '../diagnostic.js';

export const findagentCodes = {} as const satisfies Record<string, Severity>;
