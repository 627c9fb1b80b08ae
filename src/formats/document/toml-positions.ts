import { type AST, ParseError, parseTOML } from 'toml-eslint-parser';
import type { JsonPath } from '../../model/json.js';
import type { Spot } from './document.js';

/** Start and end offset. */
type OffsetSpan = readonly [number, number];

/** The position of one value and of its members. */
interface PositionNode {
  /** The key in a table header or before an equal sign. */
  key?: OffsetSpan;
  /** Absent for a table without braces, which spans several lines; its key is used instead. */
  value?: OffsetSpan;
  readonly members: Map<string | number, PositionNode>;
}

/** The positions of the values of a TOML document. */
export interface TomlPositions {
  /** Why this parser rejected the document; there are no positions then. */
  readonly error: ParseError | undefined;
  span(path: JsonPath, spot: Spot): OffsetSpan;
  /** The offsets of a value; undefined for a table without braces. */
  valueSpan(path: JsonPath): OffsetSpan | undefined;
}

/** Long strings are skipped, because the parser would overflow its stack on them. */
export function readTomlPositions(text: string, longStrings: readonly OffsetSpan[]): TomlPositions {
  const root: PositionNode = { members: new Map() };
  const ends = new Map(longStrings);
  let parseError: ParseError | undefined;
  try {
    const [top] = parseTOML(withoutLongStrings(text, longStrings)).body;
    for (const entry of top.body) {
      if (entry.type === 'TOMLKeyValue') addMember(root, entry, ends);
      else addTable(root, entry, ends);
    }
  } catch (error) {
    // Diagnostics then have the start of the file as their position.
    root.members.clear();
    if (error instanceof ParseError) parseError = error;
  }
  return {
    error: parseError,
    span(path, spot) {
      let place = root;
      let key: OffsetSpan | undefined;
      for (const step of path) {
        const member = place.members.get(step);
        if (member === undefined) return place.key ?? key ?? place.value ?? [0, 0];
        place = member;
        key = place.key ?? key;
      }
      if (path.length === 0) return [0, 0];
      return (spot === 'value' ? place.value : undefined) ?? place.key ?? place.value ?? key ?? [0, 0];
    },
    valueSpan(path) {
      let place: PositionNode | undefined = root;
      for (const step of path) place = place?.members.get(step);
      return place?.value;
    },
  };
}

/** Replaces long strings by empty ones of the same width, so that all other offsets stay the same. */
function withoutLongStrings(text: string, longStrings: readonly OffsetSpan[]): string {
  let result = '';
  let from = 0;
  for (const [start, end] of longStrings) {
    const quotes = text.charAt(start).repeat(2);
    result += text.slice(from, start) + quotes.padEnd(end - start);
    from = end;
  }
  return result + text.slice(from);
}

function addTable(root: PositionNode, table: AST.TOMLTable, ends: ReadonlyMap<number, number>): void {
  let place = root;
  let names = 0;
  for (const step of table.resolvedKey) {
    place = memberOf(place, step);
    // An index has the position of the key before it.
    const name = table.key.keys[typeof step === 'string' ? names++ : names - 1];
    if (name !== undefined) place.key ??= name.range;
  }
  for (const entry of table.body) addMember(place, entry, ends);
}

function addMember(table: PositionNode, entry: AST.TOMLKeyValue, ends: ReadonlyMap<number, number>): void {
  let place = table;
  for (const name of entry.key.keys) {
    place = memberOf(place, name.type === 'TOMLBare' ? name.name : name.value);
    place.key ??= name.range;
  }
  addValue(place, entry.value, ends);
}

function addValue(place: PositionNode, node: AST.TOMLContentNode, ends: ReadonlyMap<number, number>): void {
  const [start, end] = node.range;
  place.value = [start, ends.get(start) ?? end];
  if (node.type === 'TOMLArray') {
    for (const [index, element] of node.elements.entries()) addValue(memberOf(place, index), element, ends);
  } else if (node.type === 'TOMLInlineTable') {
    for (const entry of node.body) addMember(place, entry, ends);
  }
}

function memberOf(place: PositionNode, step: string | number): PositionNode {
  let member = place.members.get(step);
  if (member === undefined) {
    member = { members: new Map() };
    place.members.set(step, member);
  }
  return member;
}
