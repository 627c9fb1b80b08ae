import type { Severity } from '../severity.js';

/** Violations of a format's published schema, unknown fields, and JSON Schemas inside a manifest. */
export const schemaCodes = {
  'schema.type': 'error',
  'schema.required': 'error',
  'schema.enum': 'error',
  'schema.const': 'error',
  'schema.pattern': 'error',
  'schema.format': 'error',
  'schema.length': 'error',
  'schema.count': 'error',
  'schema.range': 'error',
  'schema.duplicate-item': 'error',
  'schema.closed': 'error',
  'schema.invalid': 'error',
  'field.unknown': 'warning',
  'field.near-miss': 'error',
  'field.not-acted-on': 'info',
  'field.alias': 'info',
  'inner-schema.invalid': 'error',
  'inner-schema.too-large': 'error',
  'inner-schema.remote-ref': 'error',
  'inner-schema.regex': 'warning',
} as const satisfies Record<string, Severity>;
