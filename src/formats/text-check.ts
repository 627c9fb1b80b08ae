import { isObject, type Json, type JsonPath } from '../model/json.js';
import { codePointName, findHidden, findLookalikes, type HiddenKind } from '../model/unicode.js';
import { pathName, show } from './check.js';
import { SourceText } from './document/source-text.js';
import type { Report } from './report.js';

const descriptions: Record<HiddenKind, string> = {
  control: 'a control character',
  invisible: 'an invisible character',
  bidi: 'a character that changes the reading direction',
  tag: 'a tag character: people cannot see it, but models read it',
};

/** Reports characters in the manifest that readers cannot see or may mistake for another character. */
export function checkText(report: Report, value: Json | undefined): void {
  visit(report, value, []);
}

/** Reports characters that people cannot see in a file whose text models read. `subject`: how the message names the text. */
export function checkPromptText(report: Report, file: string, text: string, subject: string): void {
  const source = new SourceText(text);
  const reported = new Set<number>();
  for (const { kind, index, codePoint } of findHidden(text)) {
    if (reported.has(codePoint)) continue;
    reported.add(codePoint);
    const range = source.range(index, index + String.fromCodePoint(codePoint).length);
    const message = `${subject} contains ${codePointName(codePoint)}, which readers cannot see`;
    report.inFile(`text.${kind}`, file, range, message, deletionHint);
  }
}

const deletionHint = 'delete it; if you cannot see it, type the text again';

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

/** Fast path for values that need no check, so that no path is built for them. */
function isPlain(value: Json): boolean {
  return typeof value === 'string' ? printableAscii.test(value) : typeof value !== 'object' || value === null;
}

/** In ASCII only control characters are hidden, and most text is ASCII. */
const printableAscii = /^[\t\n\r\x20-\x7e]*$/;

function checkString(report: Report, text: string, path: JsonPath, spot: 'key' | 'value'): void {
  if (printableAscii.test(text)) return;
  const reported = new Set<number>();
  for (const hidden of findHidden(text)) {
    if (reported.has(hidden.codePoint)) continue;
    reported.add(hidden.codePoint);
    const message = `${pathName(path)} contains ${codePointName(hidden.codePoint)}, ${descriptions[hidden.kind]}`;
    report.at(`text.${hidden.kind}`, path, message, {
      hint: deletionHint,
      spot,
    });
  }
  for (const lookalike of findLookalikes(text)) {
    const letter = `${codePointName(lookalike.codePoint)}, a ${lookalike.script} letter`;
    const message = `${show(lookalike.word)} in ${pathName(path)} mixes Latin letters with ${letter}`;
    report.at('text.lookalike', path, message, {
      hint: 'use letters of only one script within a word',
      spot,
    });
  }
}
