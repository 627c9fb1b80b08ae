// The YAML that nearly every manifest is written in: block maps and lists, one-line scalars, small flow lists and
// maps. It is read here in a fraction of the time that the whole language takes. Whatever is not plainly of this
// kind is left to the full parser: undefined is always a right answer.
import type { Json } from '../../model/json.js';

interface Line {
  readonly indent: number;
  readonly text: string;
}

/** Thrown and caught in this file: the text is not of the plain kind. */
const notPlain = Symbol('not plain');

export function readPlainYaml(text: string): { readonly value: Json } | undefined {
  // Comments, tabs, other line ends and odd characters are the full parser's business.
  if (/[#\t\r\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff]|\p{Cs}/u.test(text)) return undefined;
  const lines: Line[] = [];
  for (const raw of text.split('\n')) {
    const line = raw.trimEnd();
    if (line === '') continue;
    const indent = line.length - line.trimStart().length;
    lines.push({ indent, text: line.slice(indent) });
  }
  if (lines[0]?.indent !== 0) return undefined;
  try {
    const reader = new Reader(lines);
    const value = reader.map(0, 0);
    return reader.ended ? { value } : undefined;
  } catch (reason) {
    if (reason !== notPlain) throw reason;
    return undefined;
  }
}

const maxLevels = 16;

class Reader {
  readonly #lines: Line[];
  #at = 0;

  constructor(lines: Line[]) {
    this.#lines = lines;
  }

  get ended(): boolean {
    return this.#at >= this.#lines.length;
  }

  map(indent: number, level: number): Json {
    const members: Record<string, Json> = {};
    for (let line = this.#lines[this.#at]; line?.indent === indent; line = this.#lines[this.#at]) {
      if (isItem(line.text)) break;
      const member = /^([A-Za-z_][\w-]*):(?: +(.*))?$/.exec(line.text);
      const key = member?.[1];
      if (key === undefined || isWord(key) || key === '__proto__' || Object.hasOwn(members, key))
        throw notPlain;
      this.#at++;
      members[key] = member?.[2] === undefined ? this.#block(indent, level) : this.#inline(member[2], indent);
    }
    this.#closed(indent);
    return members;
  }

  #list(indent: number, level: number): Json {
    const items: Json[] = [];
    for (
      let line = this.#lines[this.#at];
      line?.indent === indent && isItem(line.text);
      line = this.#lines[this.#at]
    ) {
      const content = line.text.slice(2);
      if (content === '' || content.startsWith(' ') || isItem(content)) throw notPlain;
      if (/^[A-Za-z_][\w-]*:(?: |$)/.test(content)) {
        // The first member of a map stands behind the dash, the others below it.
        this.#lines[this.#at] = { indent: indent + 2, text: content };
        items.push(this.map(indent + 2, deeper(level)));
      } else {
        this.#at++;
        items.push(this.#inline(content, indent));
      }
    }
    this.#closed(indent);
    return items;
  }

  /** What belongs to a key that has nothing behind it. */
  #block(indent: number, level: number): Json {
    const next = this.#lines[this.#at];
    if (next === undefined || next.indent < indent) return null;
    if (isItem(next.text)) return this.#list(next.indent, deeper(level));
    return next.indent === indent ? null : this.map(next.indent, deeper(level));
  }

  /** A value on one line; one that goes on below it is not plain. */
  #inline(text: string, indent: number): Json {
    const next = this.#lines[this.#at];
    if (next !== undefined && next.indent > indent) throw notPlain;
    if (text.startsWith('[')) return flowList(text);
    return text.startsWith('{') ? flowMap(text) : scalar(text);
  }

  /** Behind a block comes something farther to the left, or a list's key at the same place. */
  #closed(indent: number): void {
    const next = this.#lines[this.#at];
    if (next !== undefined && next.indent > indent) throw notPlain;
  }
}

function deeper(level: number): number {
  if (level >= maxLevels) throw notPlain;
  return level + 1;
}

function isItem(text: string): boolean {
  return text === '-' || text.startsWith('- ');
}

/** Words that mean something else than themselves. */
function isWord(text: string): boolean {
  return /^(?:true|false|null)$/i.test(text);
}

function flowList(text: string): Json {
  return flowParts(text, ']').map(scalar);
}

function flowMap(text: string): Json {
  const members: Record<string, Json> = {};
  for (const part of flowParts(text, '}')) {
    const member = /^([A-Za-z_][\w-]*): +(\S.*)$/.exec(part);
    const key = member?.[1];
    if (key === undefined || isWord(key) || key === '__proto__' || Object.hasOwn(members, key))
      throw notPlain;
    members[key] = scalar(member?.[2] as string);
  }
  return members;
}

function flowParts(text: string, close: string): string[] {
  const inner = text.slice(1, -1);
  if (!text.endsWith(close) || /[[\]{}]/.test(inner)) throw notPlain;
  if (inner.trim() === '') return [];
  return inner.split(',').map((it) => it.trim());
}

function scalar(text: string): Json {
  const quoted = /^"([^"\\]*)"$/.exec(text) ?? /^'([^']*)'$/.exec(text);
  if (quoted !== null) return quoted[1] as string;
  // A plain text begins like a word or a number, and holds nothing that could be structure.
  if (!/^[A-Za-z0-9_/(.]/.test(text) || /: |:$|[{}[\]]/.test(text) || text.endsWith(' ')) throw notPlain;
  if (/^[A-Za-z]/.test(text)) {
    if (!/^(?:true|false|null)$/i.test(text)) return text;
    if (text === 'true' || text === 'false') return text === 'true';
    throw notPlain;
  }
  if (/^(?:0|[1-9]\d{0,14})$/.test(text)) return Number(text);
  if (/^(?:0|[1-9]\d{0,7})\.\d{1,7}$/.test(text)) return Number(text);
  // Other spellings of numbers: octal, exponents, infinity.
  if (/^[\d.][\d.xoXOa-fA-FeE+-]*$/.test(text) && !/^\d+\.\d+\.\d+$/.test(text)) throw notPlain;
  if (/^\.(?:inf|nan)/i.test(text)) throw notPlain;
  return text;
}
