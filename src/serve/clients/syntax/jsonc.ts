// Changes one member of a JSON file with comments, and nothing else. jsonc-parser only parses: its own edits would move
// comments away from what they describe.
import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { SourceText } from '../../../formats/document/source-text.js';
import type { Json } from '../../../model/json.js';

export interface JsoncError {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export type ParsedJsonc =
  | { readonly ok: true; readonly root: Node | undefined }
  | { readonly ok: false; readonly error: JsoncError };

/** Accepts comments and trailing commas. `root` is undefined if the text has no value. */
export function parseJsonc(text: string): ParsedJsonc {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (first === undefined) return { ok: true, root };
  return { ok: false, error: jsoncErrorAt(text, first.offset, errorText(printParseErrorCode(first.error))) };
}

export function jsoncErrorAt(text: string, offset: number, message: string): JsoncError {
  const { line, column } = new SourceText(text).range(offset);
  return { line, column, message };
}

/** `CloseBraceExpected` becomes `close brace expected`. */
function errorText(code: string): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}

export function objectMembers(object: Node): readonly Node[] {
  return object.type === 'object' ? (object.children ?? []) : [];
}

export function keyOf(member: Node): string {
  return String(member.children?.[0]?.value);
}

export function memberValue(member: Node): Node | undefined {
  return member.children?.[1];
}

/** Adds a member or replaces its value. Every step of the path but the last must be an object or missing. */
export function setMember(text: string, path: readonly string[], value: Json): string {
  const root = rootOf(text);
  const layout = layoutOf(text, root);
  if (root === undefined) return wholeText(text, nest(path, value), layout);
  let object = root;
  for (const [depth, step] of path.entries()) {
    const member = objectMembers(object).find((it) => keyOf(it) === step);
    const node = member && memberValue(member);
    const rest = path.slice(depth + 1);
    if (node === undefined) return insert(text, object, step, nest(rest, value), layout);
    if (rest.length === 0) return replace(text, node, value, layout);
    object = node;
  }
  return text;
}

/** Removes a member; returns the same text if it does not exist. */
export function removeMember(text: string, path: readonly string[]): string {
  let object = rootOf(text);
  for (const [depth, step] of path.entries()) {
    const members: readonly Node[] = object === undefined ? [] : objectMembers(object);
    const at = members.findIndex((it) => keyOf(it) === step);
    const member = members[at];
    if (object === undefined || member === undefined) return text;
    if (depth === path.length - 1) return cut(text, object, member, members[at - 1]);
    object = memberValue(member);
  }
  return text;
}

function rootOf(text: string): Node | undefined {
  const parsed = parseJsonc(text);
  if (!parsed.ok) throw new Error('a text with syntax errors cannot be edited');
  return parsed.root;
}

function nest(path: readonly string[], value: Json): Json {
  return path.reduceRight<Json>((inner, step) => ({ [step]: inner }), value);
}

interface Layout {
  readonly eol: string;
  /** One step of indentation. */
  readonly unit: string;
}

function layoutOf(text: string, root: Node | undefined): Layout {
  const eol = /\r?\n/.exec(text)?.[0] ?? '\n';
  const [first] = root === undefined ? [] : objectMembers(root);
  const unit = first === undefined ? '' : (ownIndent(text, first.offset) ?? '');
  return { eol, unit: unit === '' ? '  ' : unit };
}

function wholeText(text: string, value: Json, { eol, unit }: Layout): string {
  const before = text.trim() === '' ? '' : text.endsWith('\n') ? text : `${text}${eol}`;
  return `${before}${pretty(value, '', { eol, unit })}${eol}`;
}

function pretty(value: Json, indent: string, { eol, unit }: Layout): string {
  return JSON.stringify(value, null, unit).split('\n').join(`${eol}${indent}`);
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

function lineIndent(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? '';
}

/** The white space before `offset` if nothing else is before it on its line. */
function ownIndent(text: string, offset: number): string | undefined {
  const before = text.slice(lineStart(text, offset), offset);
  return /^[ \t]*$/.test(before) ? before : undefined;
}

function replace(text: string, node: Node, value: Json, layout: Layout): string {
  const indent = lineIndent(text, node.offset);
  const flat = !text.slice(node.offset, node.offset + node.length).includes('\n') && !text.includes('\n');
  const written = flat ? JSON.stringify(value) : pretty(value, indent, layout);
  return text.slice(0, node.offset) + written + text.slice(node.offset + node.length);
}

function insert(text: string, object: Node, key: string, value: Json, layout: Layout): string {
  const { eol, unit } = layout;
  const open = object.offset;
  const close = open + object.length - 1;
  const members = objectMembers(object);
  const [first] = members;
  const last = members.at(-1);
  const outer = lineIndent(text, open);
  const indent = (first && ownIndent(text, first.offset)) ?? outer + unit;
  const member = `${JSON.stringify(key)}: ${pretty(value, indent, layout)}`;
  const inside = text.slice(open + 1, close);
  /** The end of the last text before the brace, including comments. */
  const tail = open + 1 + inside.trimEnd().length;
  if (last === undefined) {
    const closing = text.slice(tail, close);
    const rest = tail > open + 1 && closing.includes('\n') ? closing : `${eol}${outer}`;
    return `${text.slice(0, tail)}${eol}${indent}${member}${rest}${text.slice(close)}`;
  }
  const end = last.offset + last.length;
  const comma = commaAfter(text, end);
  const joined = comma === undefined ? `${text.slice(0, end)},${text.slice(end, tail)}` : text.slice(0, tail);
  const flat = ` ${JSON.stringify(key)}: ${JSON.stringify(value)}`;
  const added = inside.includes('\n') ? `${eol}${indent}${member}` : flat;
  return `${joined}${added}${comma === undefined ? '' : ','}${text.slice(tail)}`;
}

/** The offset of a comma after `offset`, ignoring white space and comments. */
function commaAfter(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return text[at] === ',' ? at : undefined;
}

function cut(text: string, object: Node, member: Node, previous: Node | undefined): string {
  let from = member.offset;
  const end = from + member.length;
  const comma = commaAfter(text, end);
  let to = comma === undefined ? end : comma + 1;
  const between = text.slice(end, comma ?? end);
  const rest = /^[ \t]*(?=\r?\n|$)/.exec(text.slice(to));
  if (ownIndent(text, from) !== undefined && rest !== null) {
    to += rest[0].length;
    from = lineStart(text, from);
    if (from > 0) from -= text[from - 2] === '\r' ? 2 : 1;
  } else if (comma !== undefined) to += /^[ \t]*/.exec(text.slice(to))?.[0].length ?? 0;
  else from = text.slice(0, from).trimEnd().length;
  const before = previous === undefined ? undefined : commaAfter(text, previous.offset + previous.length);
  // Removing the last member also removes the comma before it, but keeps the text after that comma.
  const loose = comma === undefined && before !== undefined ? before : undefined;
  const kept =
    loose === undefined
      ? text.slice(0, from)
      : text.slice(0, loose) + text.slice(loose + 1, Math.max(from, loose + 1));
  const inner = between.trim() === '' ? '' : between;
  const shorter = kept + inner + text.slice(to);
  const close = object.offset + object.length - 1 - (text.length - shorter.length);
  const inside = shorter.slice(object.offset + 1, close);
  return inside.trim() === '' ? shorter.slice(0, object.offset + 1) + shorter.slice(close) : shorter;
}
