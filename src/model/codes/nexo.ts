import type { Severity } from '../diagnostic.js';

export const nexoCodes = {} as const satisfies Record<string, Severity>;
