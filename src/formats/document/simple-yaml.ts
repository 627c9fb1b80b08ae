// A fast parser for the YAML that nearly every manifest uses: block maps and lists, one-line scalars, small flow lists
// and maps. For everything else the result is undefined and the full parser is used.
import type { Json } from '../../model/json.js';

interface Line {
  readonly indent: number;
  readonly text: string;
}

/** Thrown and caught in this file: the text needs the full parser. */
const notSimple = Symbol('not simple');

/** Undefined when the text needs the full parser. */
export function parseSimpleYaml(text: string): { readonly value: Json } | undefined {
  // Comments, tabs, other line separators and control characters need the full parser.
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
    if (reason !== notSimple) throw reason;
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
      if (key === undefined || isKeyword(key) || key === '__proto__' || Object.hasOwn(members, key))
        throw notSimple;
      this.#at++;
      members[key] = member?.[2] === undefined ? this.#block(indent, level) : this.#inline(member[2], indent);
    }
    this.#checkBlockEnd(indent);
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
      if (content === '' || content.startsWith(' ') || isItem(content)) throw notSimple;
      if (/^[A-Za-z_][\w-]*:(?: |$)/.test(content)) {
        // The first member of a map is on the line of the dash, the others below it.
        this.#lines[this.#at] = { indent: indent + 2, text: content };
        items.push(this.map(indent + 2, deeper(level)));
      } else {
        this.#at++;
        items.push(this.#inline(content, indent));
      }
    }
    this.#checkBlockEnd(indent);
    return items;
  }

  /** The value of a key that has no value on its own line. */
  #block(indent: number, level: number): Json {
    const next = this.#lines[this.#at];
    if (next === undefined || next.indent < indent) return null;
    if (isItem(next.text)) return this.#list(next.indent, deeper(level));
    return next.indent === indent ? null : this.map(next.indent, deeper(level));
  }

  /** A value on one line. A value that continues on the next line is not simple. */
  #inline(text: string, indent: number): Json {
    const next = this.#lines[this.#at];
    if (next !== undefined && next.indent > indent) throw notSimple;
    if (text.startsWith('[')) return flowList(text);
    return text.startsWith('{') ? flowMap(text) : scalar(text);
  }

  /** After a block, the next line must not be indented further. */
  #checkBlockEnd(indent: number): void {
    const next = this.#lines[this.#at];
    if (next !== undefined && next.indent > indent) throw notSimple;
  }
}

function deeper(level: number): number {
  if (level >= maxLevels) throw notSimple;
  return level + 1;
}

function isItem(text: string): boolean {
  return text === '-' || text.startsWith('- ');
}

/** Whether the text is a YAML keyword instead of a string. */
function isKeyword(text: string): boolean {
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
    if (key === undefined || isKeyword(key) || key === '__proto__' || Object.hasOwn(members, key))
      throw notSimple;
    members[key] = scalar(member?.[2] as string);
  }
  return members;
}

function flowParts(text: string, close: string): string[] {
  const inner = text.slice(1, -1);
  if (!text.endsWith(close) || /[[\]{}]/.test(inner)) throw notSimple;
  if (inner.trim() === '') return [];
  return inner.split(',').map((it) => it.trim());
}

function scalar(text: string): Json {
  const quoted = /^"([^"\\]*)"$/.exec(text) ?? /^'([^']*)'$/.exec(text);
  if (quoted !== null) return quoted[1] as string;
  // An unquoted string starts like a word or a number and contains nothing that could be structure.
  if (!/^[A-Za-z0-9_/(.]/.test(text) || /: |:$|[{}[\]]/.test(text) || text.endsWith(' ')) throw notSimple;
  if (/^[A-Za-z]/.test(text)) {
    if (!/^(?:true|false|null)$/i.test(text)) return text;
    if (text === 'true' || text === 'false') return text === 'true';
    throw notSimple;
  }
  if (/^(?:0|[1-9]\d{0,14})$/.test(text)) return Number(text);
  if (/^(?:0|[1-9]\d{0,7})\.\d{1,7}$/.test(text)) return Number(text);
  // Other spellings of numbers: octal, exponents, infinity.
  if (/^[\d.][\d.xoXOa-fA-FeE+-]*$/.test(text) && !/^\d+\.\d+\.\d+$/.test(text)) throw notSimple;
  if (/^\.(?:inf|nan)/i.test(text)) throw notSimple;
  return text;
}
