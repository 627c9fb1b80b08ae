import type { Json } from '../../../model/json.js';
import { requestLimits, tryParseBounded } from '../../../model/json-bounds.js';
import { inexactNumber, inexactText } from '../../../model/json-number.js';

export type ParsedText =
  | { readonly value: Json }
  | { readonly problem: string; readonly line: number; readonly column: number };

/** Parses JSON that a person types, and says where the first mistake is. A key may occur once, and numbers must be exact. */
export function parseJsonText(text: string): ParsedText {
  const mistake = findMistake(text);
  if (mistake !== undefined) {
    const before = text.slice(0, mistake.at);
    const line = before.split('\n').length;
    return { problem: mistake.problem, line, column: mistake.at - before.lastIndexOf('\n') };
  }
  const inexact = inexactNumber(text);
  if (inexact !== undefined) {
    const before = text.slice(0, text.indexOf(inexact.text));
    const line = before.split('\n').length;
    return { problem: inexactText(inexact), line, column: before.length - before.lastIndexOf('\n') };
  }
  const value = tryParseBounded(text, requestLimits);
  return value === undefined
    ? { problem: 'is too large or too deeply nested', line: 1, column: 1 }
    : { value };
}

interface Mistake {
  readonly at: number;
  readonly problem: string;
}

const space = /[ \t\n\r]*/y;
const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const maxDepth = 200;

function findMistake(text: string): Mistake | undefined {
  let at = 0;
  const fail = (problem: string, where = at): never => {
    throw { at: where, problem } satisfies Mistake;
  };
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const skip = () => void match(space);
  const text_ = (expected: string): string => {
    if (text[at] !== '"') fail(`expected ${expected}`);
    return match(string) ?? fail('is a text that is not closed, or has a wrong escape sequence');
  };
  const close = (end: string): boolean => {
    skip();
    if (text[at] === end) {
      at++;
      return true;
    }
    if (text[at] !== ',') fail(at >= text.length ? `ends before "${end}"` : `expected "," or "${end}"`);
    at++;
    return false;
  };
  const value = (depth: number): void => {
    skip();
    if (depth > maxDepth) fail('is nested too deeply');
    switch (text[at]) {
      case '{': {
        at++;
        skip();
        if (text[at] === '}') {
          at++;
          return;
        }
        const keys = new Set<string>();
        do {
          skip();
          const start = at;
          const key = String(tryParseBounded(text_('a key in double quotes'), requestLimits));
          if (keys.has(key)) fail(`has the key ${JSON.stringify(key)} twice`, start);
          keys.add(key);
          skip();
          if (text[at++] !== ':') fail('expected ":" after the key', at - 1);
          value(depth + 1);
        } while (!close('}'));
        return;
      }
      case '[':
        at++;
        skip();
        if (text[at] === ']') {
          at++;
          return;
        }
        do value(depth + 1);
        while (!close(']'));
        return;
      case '"':
        text_('a text');
        return;
      default:
        if (match(scalar) === undefined) fail(at >= text.length ? 'ends too early' : 'expected a value');
    }
  };
  try {
    value(0);
    skip();
    if (at < text.length) fail('has more text after the value');
    return undefined;
  } catch (error) {
    if (error instanceof Error) throw error;
    return error as Mistake;
  }
}
