// Numbers in JSON text that a double cannot hold. JSON.parse changes them without a word.
import { type JsonPath, toPointer } from './json.js';
import { endOfString, requestLimits, tryParseBounded } from './json-bounds.js';

/** A number that would be changed by parsing. */
export interface InexactNumber {
  /** As it is written. */
  readonly text: string;
  /** JSON Pointer of its place. */
  readonly pointer: string;
}

/** No other number can be inexact. Digits of strings match too, so the text is then read from the start. */
const suspicious = /[\d.]{16}|\d[eE][+-]?\d{3}/;
const numberToken = /-?\d[\d.eE+-]*/y;

/** For messages, after a subject: "the body" + this. */
export function inexactText({ text, pointer }: InexactNumber): string {
  const shown = text.length > 40 ? `${text.slice(0, 39)}…` : text;
  const place = pointer === '' ? '' : ` at ${pointer}`;
  return `contains the number ${shown}${place}, which cannot be represented exactly`;
}

/** The hint for such a message. */
export const inexactHint = 'send it as text, in quotes';

/** The first number of a valid JSON text whose value would change; undefined if all are exact. */
export function inexactNumber(text: string): InexactNumber | undefined {
  if (!suspicious.test(text)) return undefined;
  /** For each open object its current key, as JSON; for each open list the current index. */
  const open: (string | number)[] = [];
  let isKey = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    switch (character) {
      case '"': {
        const end = endOfString(text, at + 1);
        if (isKey) open[open.length - 1] = text.slice(at, end + 1);
        at = end;
        break;
      }
      case '{':
        open.push('""');
        isKey = true;
        break;
      case '[':
        open.push(0);
        isKey = false;
        break;
      case '}':
      case ']':
        open.pop();
        isKey = false;
        break;
      case ':':
        isKey = false;
        break;
      case ',': {
        const last = open.at(-1);
        isKey = typeof last === 'string';
        if (typeof last === 'number') open[open.length - 1] = last + 1;
        break;
      }
      default: {
        numberToken.lastIndex = at;
        const found = numberToken.exec(text)?.[0];
        if (found === undefined) break;
        if (!isExact(found)) return { text: found, pointer: toPointer(pathOf(open)) };
        at += found.length - 1;
      }
    }
  }
  return undefined;
}

function pathOf(open: readonly (string | number)[]): JsonPath {
  return open.map((it) => (typeof it === 'string' ? String(tryParseBounded(it, requestLimits)) : it));
}

/**
 * A whole number must keep all its digits, and be printed without an exponent. A fraction is rounded as every program
 * with doubles does it, but it must not become zero or infinite, and above 2^53 its digits count too.
 */
function isExact(written: string): boolean {
  const value = Number(written);
  if (!Number.isFinite(value)) return false;
  if (/^-?\d+$/.test(written)) return value === 0 || String(value) === written;
  if (value === 0) return !/[1-9]/.test(written.replace(/[eE].*$/, ''));
  return Math.abs(value) < 2 ** 53 || normalized(written) === normalized(String(value));
}

/** The digits without zeros at both ends, with the exponent of the last one. */
function normalized(written: string): string {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(written) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  return `${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}
