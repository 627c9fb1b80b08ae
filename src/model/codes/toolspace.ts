import type { Severity } from '../diagnostic.js';

export const toolspaceCodes = {} as const satisfies Record<string, Severity>;
