import type { Severity } from '../diagnostic.js';

export const talosCodes = {} as const satisfies Record<string, Severity>;
