import { HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';

/**
 * The text that signatures cover: sorted keys, no white space, integers only. Dialects of canonical JSON differ in how
 * they write control characters, so a value with one has no canonical text here.
 */
export function canonicalText(value: Json): string {
  if (isOrdered(value)) {
    const text = JSON.stringify(value);
    // Without a backslash nothing was escaped, so this is the canonical text, made many times faster.
    if (!text.includes('\\') && isPlainText(text)) return text;
  }
  return orderedText(value);
}

/** Whether a text can be part of signed metadata. */
export function isPlainText(text: string): boolean {
  return !/[\p{Cc}\p{Cs}]/u.test(text);
}

/** Whether all keys are sorted, and all numbers are integers. */
function isOrdered(value: Json): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value) && !Object.is(value, -0);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isOrdered);
  let last = '';
  for (const key of Object.keys(value)) {
    const member = (value as JsonObject)[key];
    if (key < last || member === undefined || !isOrdered(member)) return false;
    last = key;
  }
  return true;
}

function orderedText(value: Json): string {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'number':
      if (!Number.isSafeInteger(value)) throw notCanonical('a number that is not an integer');
      return String(value);
    case 'boolean':
      return String(value);
    default:
      if (value === null) return 'null';
      if (!isObject(value)) return `[${(value as readonly Json[]).map(orderedText).join(',')}]`;
      return `{${Object.keys(value)
        .sort()
        .map((key) => `${quoted(key)}:${orderedText(value[key] as Json)}`)
        .join(',')}}`;
  }
}

function quoted(text: string): string {
  if (!isPlainText(text)) throw notCanonical('a control character');
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}

function notCanonical(what: string): HostError {
  return new HostError('integrity', `registry metadata contains ${what}, which cannot be signed`);
}
