import type { Severity } from '../severity.js';

/** Problems with the syntax of a file: JSON, YAML, TOML or JavaScript. */
export const syntaxCodes = {
  'syntax.json': 'error',
  'syntax.yaml': 'error',
  'syntax.toml': 'error',
  'syntax.javascript': 'error',
  'syntax.duplicate-key': 'error',
  'syntax.forbidden-key': 'error',
  'syntax.too-deep': 'error',
  'syntax.too-many-values': 'error',
  'syntax.yaml-feature': 'error',
  'syntax.not-json-value': 'error',
} as const satisfies Record<string, Severity>;
