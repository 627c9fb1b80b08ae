import { applyEdits, type FormattingOptions, modify } from 'jsonc-parser';
import { isObject } from '../../model/json.js';
import { inexactNumber, inexactText } from '../../model/json-number.js';
import type { ManifestEditor, ReadManifest } from '../manifest-editor.js';
import { parseJson } from './json.js';
import { changesBetween } from './value-changes.js';

/** A manifest that is one JSON file. */
export const jsonEditor: ManifestEditor = {
  read: readJson,

  write(text, value) {
    const before = readJson(text);
    if (!before.ok) return before;
    const formattingOptions = formattingOf(text);
    let now = text;
    for (const change of changesBetween(before.value, value))
      now = applyEdits(now, modify(now, [...change.path], change.value, { formattingOptions }));
    return { ok: true, text: now };
  },
};

function readJson(text: string): ReadManifest {
  const { value, problems } = parseJson(text);
  const [problem] = problems;
  if (problem !== undefined || value === undefined)
    return { ok: false, reason: problem?.message ?? 'it is not JSON' };
  const inexact = inexactNumber(text);
  if (inexact !== undefined) return { ok: false, reason: `it ${inexactText(inexact)}` };
  return isObject(value) ? { ok: true, value } : { ok: false, reason: 'it is not an object' };
}

function formattingOf(text: string): FormattingOptions {
  const [, indent = '  '] = /^([ \t]+)"/m.exec(text) ?? [];
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}
