import { barrier } from './normalized-text.js';

/** The text that replaces a secret. */
export function placeholder(name: string): string {
  return `[redacted:${name}]`;
}

/**
 * Replaces placeholders by barriers of the same length: their own letters are not searched, and the text before is not
 * joined with the text after. Only the given placeholders count: anybody can write brackets around a secret.
 */
export function maskPlaceholders(text: string, placeholders: () => readonly string[]): string {
  if (!text.includes('[redacted:')) return text;
  return placeholders().reduce(
    (masked, it) => masked.replaceAll(it, String.fromCharCode(barrier).repeat(it.length)),
    text,
  );
}
