import { isObject, type Json, type JsonPath } from '../model/json.js';
import { codePointName, findHidden, findLookalikes, type HiddenKind } from '../model/unicode.js';
import { nameOf, show } from './check.js';
import type { Report } from './report.js';

const words: Record<HiddenKind, string> = {
  control: 'a control character',
  invisible: 'an invisible character',
  bidi: 'a character that turns the reading direction',
  tag: 'a tag character, which no screen shows and every model reads',
};

/** Reports characters in any text of the manifest that a reader cannot see or would take for another. */
export function checkText(report: Report, value: Json | undefined): void {
  visit(report, value, []);
}

function visit(report: Report, value: Json | undefined, path: JsonPath): void {
  if (typeof value === 'string') {
    checkString(report, value, path, 'value');
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (!isPlain(item)) visit(report, item, [...path, index]);
    }
  } else if (isObject(value)) {
    for (const key in value) {
      const member = value[key] as Json;
      if (isPlain(key) && isPlain(member)) continue;
      const at = [...path, key];
      checkString(report, key, at, 'key');
      visit(report, member, at);
    }
  }
}

/** Most values need no second look, and no place of their own. */
function isPlain(value: Json): boolean {
  return typeof value === 'string' ? plain.test(value) : typeof value !== 'object' || value === null;
}

/** Nothing below U+0080 but controls can hide, and most text stays there. */
const plain = /^[\t\n\r\x20-\x7e]*$/;

function checkString(report: Report, text: string, path: JsonPath, spot: 'key' | 'value'): void {
  if (plain.test(text)) return;
  const seen = new Set<number>();
  for (const hidden of findHidden(text)) {
    if (seen.has(hidden.codePoint)) continue;
    seen.add(hidden.codePoint);
    const message = `${nameOf(path)} holds ${codePointName(hidden.codePoint)}, ${words[hidden.kind]}`;
    report.at(`text.${hidden.kind}`, path, message, {
      hint: 'delete it; type the text anew if you cannot see it',
      spot,
    });
  }
  for (const lookalike of findLookalikes(text)) {
    const letter = `${codePointName(lookalike.codePoint)}, a ${lookalike.script} letter`;
    const message = `${show(lookalike.word)} in ${nameOf(path)} mixes Latin letters with ${letter}`;
    report.at('text.lookalike', path, message, { hint: 'use letters of one script in a word', spot });
  }
}
