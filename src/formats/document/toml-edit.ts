// Changes one value of a TOML text. Everything else stays as it is: comments, order, spaces and line ends.
import { type AST, parseTOML } from 'toml-eslint-parser';

export type TomlValue = string | number | boolean | readonly string[];

/** `conflict`: why the value cannot be changed without touching something else. */
export type TomlEdit =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly conflict: string; readonly offset: number };

type Container = AST.TOMLTopLevelTable | AST.TOMLTable | AST.TOMLInlineTable;

interface Found {
  readonly entry: AST.TOMLKeyValue;
  readonly container: Container;
}

/** Sets the value at a path of names, or removes it if `value` is undefined. The text must be valid TOML. */
export function editToml(text: string, path: readonly string[], value: TomlValue | undefined): TomlEdit {
  const program = parseTOML(text);
  const [top] = program.body;
  const found = findEntry(top, path);
  if (found === undefined) return value === undefined ? done(text) : insert(text, top, path, value);
  const { range } = value === undefined ? found.entry : found.entry.value;
  const inside = program.comments.find((it) => it.range[0] >= range[0] && it.range[1] <= range[1]);
  if (inside !== undefined)
    return { ok: false, conflict: 'there is a comment inside the value', offset: inside.range[0] };
  return done(
    value === undefined ? removed(text, found) : splice(text, range[0], range[1], tomlLiteral(value)),
  );
}

/** A string is a basic string: JSON has the same escapes. */
export function tomlLiteral(value: TomlValue): string {
  if (typeof value !== 'object') return typeof value === 'string' ? quoted(value) : String(value);
  const line = `[${value.map(quoted).join(', ')}]`;
  return line.length <= 100 ? line : `[\n${value.map((it) => `  ${quoted(it)},\n`).join('')}]`;
}

function quoted(value: string): string {
  return JSON.stringify(value).replaceAll('\u007F', '\\u007F');
}

/** Names that are not bare keys are quoted. */
function keyText(path: readonly string[]): string {
  return path.map((it) => (/^[\w-]+$/.test(it) ? it : quoted(it))).join('.');
}

function findEntry(top: AST.TOMLTopLevelTable, path: readonly string[]): Found | undefined {
  for (const it of top.body) {
    const found =
      it.type === 'TOMLKeyValue'
        ? inEntry(it, top, [], path)
        : it.kind === 'standard'
          ? it.body.map((entry) => inEntry(entry, it, it.resolvedKey, path)).find((one) => one !== undefined)
          : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function inEntry(
  entry: AST.TOMLKeyValue,
  container: Container,
  above: readonly (string | number)[],
  path: readonly string[],
): Found | undefined {
  const own = [...above, ...namesOf(entry)];
  if (!own.every((it, index) => it === path[index])) return undefined;
  if (own.length === path.length) return { entry, container };
  if (entry.value.type !== 'TOMLInlineTable') return undefined;
  const table = entry.value;
  return table.body.map((it) => inEntry(it, table, own, path)).find((it) => it !== undefined);
}

function namesOf(entry: AST.TOMLKeyValue): string[] {
  return entry.key.keys.map((it) => (it.type === 'TOMLBare' ? it.name : it.value));
}

/** Into the table that holds most of the path; else with a table of its own at the end. */
function insert(
  text: string,
  top: AST.TOMLTopLevelTable,
  path: readonly string[],
  value: TomlValue,
): TomlEdit {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const tables = top.body.filter(
    (it): it is AST.TOMLTable => it.type === 'TOMLTable' && it.kind === 'standard',
  );
  const holds = (it: AST.TOMLTable) =>
    it.resolvedKey.length < path.length && it.resolvedKey.every((step, index) => step === path[index]);
  const table = tables.filter(holds).sort((a, b) => b.resolvedKey.length - a.resolvedKey.length)[0];
  const depth = table?.resolvedKey.length ?? 0;
  const line = `${keyText(path.slice(depth))} = ${tomlLiteral(value).replaceAll('\n', eol)}`;
  const body: readonly (AST.TOMLKeyValue | AST.TOMLTable)[] = (table ?? top).body;
  const entries = body.filter((it): it is AST.TOMLKeyValue => it.type === 'TOMLKeyValue');
  const related = entries.filter((it) => namesOf(it)[0] === path[depth]);
  const inline = related.find((it) => it.value.type === 'TOMLInlineTable');
  if (inline?.value.type === 'TOMLInlineTable')
    return intoInline(text, inline, inline.value, path, depth, value);
  if (table !== undefined || path.length === 1 || related.length > 0) {
    const last = related.at(-1) ?? entries.at(-1);
    if (last !== undefined) return done(lineAfter(text, last.range[1], line, eol));
    if (table !== undefined) return done(lineAfter(text, table.key.range[1], line, eol));
    const [first] = top.body;
    return done(first === undefined ? atEnd(text, line, eol) : beforeBlock(text, first.range[0], line, eol));
  }
  const header = `[${keyText(path.slice(0, -1))}]${eol}${keyText(path.slice(-1))} = ${tomlLiteral(value).replaceAll('\n', eol)}`;
  return done(atEnd(text, text.trim() === '' ? header : `${eol}${header}`, eol));
}

function intoInline(
  text: string,
  entry: AST.TOMLKeyValue,
  table: AST.TOMLInlineTable,
  path: readonly string[],
  depth: number,
  value: TomlValue,
): TomlEdit {
  const names = keyText(path.slice(depth + namesOf(entry).length));
  const literal = tomlLiteral(value).replace(/\n\s*/g, ' ').replace(', ]', ']');
  const last = table.body.at(-1);
  return done(
    last === undefined
      ? splice(text, table.range[0], table.range[1], `{ ${names} = ${literal} }`)
      : splice(text, last.range[1], last.range[1], `, ${names} = ${literal}`),
  );
}

/** With its line, and with a comment at the end of that line. */
function removed(text: string, { entry, container }: Found): string {
  const [start, end] = entry.range;
  if (container.type === 'TOMLInlineTable') {
    const at = container.body.indexOf(entry);
    const next = container.body[at + 1];
    if (next !== undefined) return splice(text, start, next.range[0], '');
    const before = container.body[at - 1];
    return splice(text, before === undefined ? start : before.range[1], end, '');
  }
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const to = text.indexOf('\n', end);
  return splice(text, from, to === -1 ? text.length : to + 1, '');
}

function lineAfter(text: string, offset: number, line: string, eol: string): string {
  const end = text.indexOf('\n', offset);
  return end === -1 ? `${text}${eol}${line}${eol}` : splice(text, end + 1, end + 1, `${line}${eol}`);
}

/** Before the comment that belongs to what is at the offset. */
function beforeBlock(text: string, offset: number, line: string, eol: string): string {
  let at = text.lastIndexOf('\n', offset - 1) + 1;
  for (;;) {
    const above = text.lastIndexOf('\n', at - 2) + 1;
    if (at === 0 || !text.slice(above, at).trimStart().startsWith('#')) break;
    at = above;
  }
  return splice(text, at, at, `${line}${eol}${eol}`);
}

function atEnd(text: string, line: string, eol: string): string {
  return `${text}${text === '' || text.endsWith('\n') ? '' : eol}${line}${eol}`;
}

function splice(text: string, start: number, end: number, replacement: string): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

function done(text: string): TomlEdit {
  return { ok: true, text };
}
