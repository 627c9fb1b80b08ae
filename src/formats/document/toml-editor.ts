import { stringify } from 'smol-toml';
import { parseTOML } from 'toml-eslint-parser';
import { canonicalJson, isObject, type Json, type JsonObject } from '../../model/json.js';
import type { ManifestEditor, ReadManifest, ValueChange } from '../manifest-editor.js';
import { parseToml } from './toml.js';
import { editToml, type TomlValue } from './toml-edit.js';
import { changesBetween } from './value-changes.js';

/** A manifest that is one TOML file. A text with comments is only changed where that touches nothing else. */
export const tomlEditor: ManifestEditor = {
  read: readToml,

  write(text, value) {
    const before = readToml(text);
    if (!before.ok) return before;
    const changes = changesBetween(before.value, value);
    if (changes.length === 0) return { ok: true, text };
    const edited = editAll(text, changes);
    if (edited !== undefined && isSame(edited, value)) return { ok: true, text: edited };
    if (parseTOML(text).comments.length > 0)
      return {
        ok: false,
        reason: 'this change has to rewrite the file, which would lose its comments; make it in the source',
      };
    const whole = `${stringify(value)}\n`.replace(/\n+$/, '\n');
    return isSame(whole, value)
      ? { ok: true, text: whole }
      : { ok: false, reason: 'TOML cannot represent this value; change it in the source' };
  },
};

function readToml(text: string): ReadManifest {
  const { value, problems } = parseToml(text);
  const [problem] = problems;
  if (value === undefined || problem !== undefined)
    return { ok: false, reason: problem?.message ?? 'it is not TOML' };
  return isObject(value) ? { ok: true, value } : { ok: false, reason: 'it is not a table' };
}

function isSame(text: string, value: JsonObject): boolean {
  const read = readToml(text);
  return read.ok && canonicalJson(read.value) === canonicalJson(value);
}

/** Undefined if a change cannot be made at its place. */
function editAll(text: string, changes: readonly ValueChange[]): string | undefined {
  let now = text;
  for (const { path, value } of changes) {
    if (!path.every((it) => typeof it === 'string') || !isTomlValue(value)) return undefined;
    const edit = editToml(now, path, value);
    if (!edit.ok) return undefined;
    now = edit.text;
  }
  return now;
}

function isTomlValue(value: Json | undefined): value is TomlValue | undefined {
  if (Array.isArray(value)) return value.every((it) => typeof it === 'string');
  return value === undefined || (typeof value !== 'object' && value !== null);
}
