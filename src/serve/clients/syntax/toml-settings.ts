import { type AST, parseTOML } from 'toml-eslint-parser';
import { SourceText } from '../../../formats/document/source-text.js';
import { parseToml } from '../../../formats/document/toml.js';
import { editToml, type TomlValue } from '../../../formats/document/toml-edit.js';
import { isObject, type Json } from '../../../model/json.js';
import { checkedEdits } from './checked-edit.js';
import { type SettingsPath, SettingsProblem, type SettingsSyntax } from './settings-syntax.js';

export const tomlSettings: SettingsSyntax = checkedEdits({
  title: 'TOML',
  find(text, path) {
    const { value, problems } = parseToml(text);
    const [problem] = problems;
    if (problem !== undefined || value === undefined)
      throw new SettingsProblem(
        problem?.message ?? 'not TOML',
        new SourceText(text).range(problem?.start ?? 0),
      );
    let found: Json | undefined = value;
    for (const step of names(path)) found = isObject(found) ? found[step] : undefined;
    return found;
  },
  set: (text, path, value) => leaves(names(path), value).reduce(setLeaf, text),
  remove: (text, path) => removeAt(text, names(path)),
});

function names(path: SettingsPath): string[] {
  return path.map((step) => {
    if (typeof step === 'string') return step;
    throw new Error('lists of named entries are supported only in YAML');
  });
}

interface Leaf {
  readonly path: readonly string[];
  readonly value: TomlValue;
}

/** A table is written as its values, each in its place. */
function leaves(path: readonly string[], value: Json): Leaf[] {
  if (isObject(value)) return Object.entries(value).flatMap(([name, it]) => leaves([...path, name], it));
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return [{ path, value }];
  if (Array.isArray(value) && value.every((it) => typeof it === 'string'))
    return [{ path, value: value as string[] }];
  throw new Error('this value cannot be written as TOML');
}

function setLeaf(text: string, { path, value }: Leaf): string {
  const edit = editToml(text, path, value);
  if (edit.ok) return edit.text;
  throw new SettingsProblem(edit.conflict, new SourceText(text).range(edit.offset));
}

/** Removes a value, or a table with everything below it, one part at a time. */
function removeAt(text: string, path: readonly string[]): string {
  const [top] = parseTOML(text).body;
  const isBelow = (key: readonly (string | number)[]) => path.every((step, at) => key[at] === step);
  for (const it of top.body) {
    if (it.type === 'TOMLTable' && isBelow(it.resolvedKey)) return removeAt(withoutTable(text, it), path);
    const above = it.type === 'TOMLTable' ? it.resolvedKey : [];
    for (const entry of it.type === 'TOMLTable' ? it.body : [it]) {
      const key = [
        ...above,
        ...entry.key.keys.map((one) => (one.type === 'TOMLBare' ? one.name : one.value)),
      ];
      const isInline = entry.value.type === 'TOMLInlineTable' && key.every((step, at) => step === path[at]);
      if (!isBelow(key) && !isInline) continue;
      const target = isBelow(key) ? key : path;
      const edit = editToml(text, target.map(String), undefined);
      if (!edit.ok) throw new SettingsProblem(edit.conflict, new SourceText(text).range(edit.offset));
      return edit.text === text ? text : removeAt(edit.text, path);
    }
  }
  return text;
}

/** With its lines, and with the empty lines before it. */
function withoutTable(text: string, table: AST.TOMLTable): string {
  const end = table.body.at(-1)?.range[1] ?? table.range[1];
  const lineEnd = text.indexOf('\n', end);
  const start = text.lastIndexOf('\n', table.range[0] - 1) + 1;
  const before = text
    .slice(0, start)
    .replace(/(?:\r?\n[ \t]*)+$/, (blank) => (/^\r/.test(blank) ? '\r\n' : '\n'));
  const rest = lineEnd === -1 ? '' : text.slice(lineEnd + 1);
  return before.trim() === '' ? rest.replace(/^(?:[ \t]*\r?\n)+/, '') : before + rest;
}
