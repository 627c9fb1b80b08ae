import { type AST, ParseError, parseTOML } from 'toml-eslint-parser';
import type { JsonPath } from '../../model/json.js';
import type { Spot } from './document.js';

type Span = readonly [number, number];

/** Where one value of the document is, and where its members are. */
interface Place {
  /** The name in a table header or before an equal sign. */
  key?: Span;
  /** Absent for a table that has no braces: it is spread over lines, and its name stands for it. */
  value?: Span;
  readonly members: Map<string | number, Place>;
}

/** The places of a document that the parser of values took. */
export interface TomlPlaces {
  /** Why this parser did not take it; there are no places then. */
  readonly refusal: ParseError | undefined;
  span(path: JsonPath, spot: Spot): Span;
  /** Offsets of a value written in one piece. */
  written(path: JsonPath): Span | undefined;
}

/** Long strings are only passed over here: the parser spreads the characters of a string on its stack. */
export function readPlaces(text: string, longStrings: readonly Span[]): TomlPlaces {
  const root: Place = { members: new Map() };
  const ends = new Map(longStrings);
  let refusal: ParseError | undefined;
  try {
    const [top] = parseTOML(blanked(text, longStrings)).body;
    for (const entry of top.body) {
      if (entry.type === 'TOMLKeyValue') addMember(root, entry, ends);
      else addTable(root, entry, ends);
    }
  } catch (error) {
    // Findings then name their path, and stand at the start of the file.
    root.members.clear();
    if (error instanceof ParseError) refusal = error;
  }
  return {
    refusal,
    span(path, spot) {
      let place = root;
      let key: Span | undefined;
      for (const step of path) {
        const member = place.members.get(step);
        if (member === undefined) return place.key ?? key ?? place.value ?? [0, 0];
        place = member;
        key = place.key ?? key;
      }
      if (path.length === 0) return [0, 0];
      return (spot === 'value' ? place.value : undefined) ?? place.key ?? place.value ?? key ?? [0, 0];
    },
    written(path) {
      let place: Place | undefined = root;
      for (const step of path) place = place?.members.get(step);
      return place?.value;
    },
  };
}

/** Empty strings of the same width in their stead, so that every other offset stays. */
function blanked(text: string, longStrings: readonly Span[]): string {
  let result = '';
  let from = 0;
  for (const [start, end] of longStrings) {
    const quotes = text.charAt(start).repeat(2);
    result += text.slice(from, start) + quotes.padEnd(end - start);
    from = end;
  }
  return result + text.slice(from);
}

function addTable(root: Place, table: AST.TOMLTable, ends: ReadonlyMap<number, number>): void {
  let place = root;
  let names = 0;
  for (const step of table.resolvedKey) {
    place = memberOf(place, step);
    // An index has the place of the name before it.
    const name = table.key.keys[typeof step === 'string' ? names++ : names - 1];
    if (name !== undefined) place.key ??= name.range;
  }
  for (const entry of table.body) addMember(place, entry, ends);
}

function addMember(table: Place, entry: AST.TOMLKeyValue, ends: ReadonlyMap<number, number>): void {
  let place = table;
  for (const name of entry.key.keys) {
    place = memberOf(place, name.type === 'TOMLBare' ? name.name : name.value);
    place.key ??= name.range;
  }
  addValue(place, entry.value, ends);
}

function addValue(place: Place, node: AST.TOMLContentNode, ends: ReadonlyMap<number, number>): void {
  const [start, end] = node.range;
  place.value = [start, ends.get(start) ?? end];
  if (node.type === 'TOMLArray') {
    for (const [index, element] of node.elements.entries()) addValue(memberOf(place, index), element, ends);
  } else if (node.type === 'TOMLInlineTable') {
    for (const entry of node.body) addMember(place, entry, ends);
  }
}

function memberOf(place: Place, step: string | number): Place {
  let member = place.members.get(step);
  if (member === undefined) {
    member = { members: new Map() };
    place.members.set(step, member);
  }
  return member;
}
