import { barrier } from './letters.js';

/** What stands where a secret was. */
export function placeholder(name: string): string {
  return `[redacted:${name}]`;
}

/**
 * The text with something in the place of placeholders that is no text: two pieces on their sides are not one, and their
 * own words mean nothing. Only those that are really used: anybody can write brackets around a secret.
 */
export function masked(text: string, placeholders: () => readonly string[]): string {
  if (!text.includes('[redacted:')) return text;
  return placeholders().reduce(
    (clean, it) => clean.replaceAll(it, String.fromCharCode(barrier).repeat(it.length)),
    text,
  );
}
