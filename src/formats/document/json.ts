import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Json, JsonPath } from '../../model/json.js';
import { JsonExcessError, parseBounded, tryParseBounded } from '../../model/json-bounds.js';
import {
  type Document,
  manifestLimits,
  maxDepth,
  maxValues,
  type Spot,
  type SyntaxProblem,
} from './document.js';
import { SourceText } from './source-text.js';

/** Parses strict JSON. Positions cost several times as much as parsing, so they are computed on demand. */
export function parseJson(text: string): Document {
  const source = new SourceText(text);
  let tree: Node | undefined;
  const treeOf = () => (tree ??= parseTree(text, undefined, strict));
  const find = createFinder();
  const locate = (path: JsonPath, spot: Spot = 'value') => {
    const [start, end] = span(treeOf(), path, spot, find);
    return source.range(start, end);
  };
  const sourceOf = (path: JsonPath) => {
    const root = treeOf();
    const node = root && find(root, path);
    return node && text.slice(node.offset, node.offset + node.length);
  };
  const valid = parseValid(text);
  if (valid !== undefined) return { value: valid.value, problems: [], locate, source: sourceOf };

  const shape = scan(text);
  const failed = (problems: SyntaxProblem[]): Document => ({
    value: undefined,
    problems,
    locate: () => source.range(0),
    source: () => undefined,
  });

  if (shape.tooDeepAt !== null) {
    const message = `nested more than ${maxDepth} levels deep`;
    const hint = 'reduce the nesting';
    return failed([
      { code: 'syntax.too-deep', message, start: shape.tooDeepAt, end: shape.tooDeepAt + 1, hint },
    ]);
  }
  if (shape.members > maxValues) return failed([tooManyValues]);
  let value: Json;
  try {
    value = parseBounded(text, manifestLimits);
  } catch (error) {
    return failed(error instanceof JsonExcessError ? [tooManyValues] : syntaxErrors(text));
  }
  const keys = countKeys(value);
  const problems = keys.forbidden || keys.count !== shape.keys ? keyProblems(treeOf()) : [];
  return {
    // Positions refer to the first of two equal keys, so the value must come from it too.
    value: problems.length === 0 ? value : firstValues(treeOf() as Node),
    problems,
    locate,
    source: sourceOf,
  };
}

const tooManyValues: SyntaxProblem = {
  code: 'syntax.too-many-values',
  message: `the file has more than ${maxValues.toLocaleString('en')} values`,
  start: 0,
  end: 1,
};

/**
 * Fast path for valid JSON, which uses only the built-in parser. Undefined when the text may have errors, and the slow
 * path must find them.
 */
function parseValid(text: string): { readonly value: Json } | undefined {
  const value = tryParseBounded(text, manifestLimits);
  if (value === undefined) return undefined;
  const { keys, values, withinLimits } = measure(value);
  // This counts at least all keys; a quote and a colon inside a string only cause the slow path.
  return withinLimits && keys + values <= maxValues && (text.match(/"\s*:/g)?.length ?? 0) === keys
    ? { value }
    : undefined;
}

function measure(value: Json): { keys: number; values: number; withinLimits: boolean } {
  let keys = 0;
  let values = 0;
  let withinLimits = true;
  const visit = (part: Json, depth: number): void => {
    values++;
    if (typeof part !== 'object' || part === null) return;
    if (depth >= maxDepth) {
      withinLimits = false;
      return;
    }
    if (Array.isArray(part)) {
      for (const item of part) visit(item, depth + 1);
      return;
    }
    for (const key in part) {
      keys++;
      if (key === '__proto__') withinLimits = false;
      visit((part as Record<string, Json>)[key] as Json, depth + 1);
    }
  };
  visit(value, 0);
  return { keys, values, withinLimits };
}

const strict = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false };

/** Counts from one pass over the characters. */
interface TextShape {
  readonly tooDeepAt: number | null;
  /** Number of commas and colons: an estimate of the number of values. */
  readonly members: number;
  /** Number of colons outside strings: one for each object member. */
  readonly keys: number;
}

/** Measures the text without allocating values. */
function scan(text: string): TextShape {
  let depth = 0;
  let keys = 0;
  let members = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        for (at++; at < text.length; at++) {
          const unit = text.charCodeAt(at);
          if (unit === 0x5c) at++;
          else if (unit === 0x22) break;
        }
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > maxDepth) return { tooDeepAt: at, members, keys };
        break;
      case 0x5d:
      case 0x7d:
        depth--;
        break;
      case 0x2c: // ,
        members++;
        break;
      case 0x3a: // :
        keys++;
        members++;
        break;
    }
  }
  return { tooDeepAt: null, members, keys };
}

/** JSON.parse drops duplicate keys: fewer keys than colons means that the text has a duplicate. */
function countKeys(value: Json): { count: number; forbidden: boolean } {
  let count = 0;
  let forbidden = false;
  const visit = (part: Json): void => {
    if (typeof part !== 'object' || part === null) return;
    if (Array.isArray(part)) {
      for (const item of part) visit(item);
      return;
    }
    for (const key of Object.keys(part)) {
      count++;
      if (key === '__proto__') forbidden = true;
      visit((part as Record<string, Json>)[key] as Json);
    }
  };
  visit(value);
  return { count, forbidden };
}

function keyProblems(root: Node | undefined): SyntaxProblem[] {
  const problems: SyntaxProblem[] = [];
  const visit = (node: Node): void => {
    if (node.type === 'object') {
      const seen = new Set<string>();
      for (const property of node.children ?? []) {
        const key = property.children?.[0];
        if (key === undefined) continue;
        const name = String(key.value);
        const place = { start: key.offset, end: key.offset + key.length };
        if (name === '__proto__') {
          problems.push({
            code: 'syntax.forbidden-key',
            message: 'the key "__proto__" is not allowed',
            ...place,
          });
        }
        if (seen.has(name)) {
          const message = `the key ${JSON.stringify(name)} occurs twice`;
          problems.push({ code: 'syntax.duplicate-key', message, ...place, hint: 'remove one of them' });
        }
        seen.add(name);
      }
    }
    for (const child of node.children ?? []) visit(child);
  };
  if (root !== undefined) visit(root);
  return problems;
}

/** The value of a tree with the first of equal keys and without forbidden keys. */
function firstValues(node: Node): Json {
  if (node.type === 'array') return (node.children ?? []).map(firstValues);
  if (node.type !== 'object') return node.value as Json;
  const object: Record<string, Json> = {};
  for (const property of node.children ?? []) {
    const [key, value] = property.children ?? [];
    const name = String(key?.value);
    if (value === undefined || name === '__proto__' || Object.hasOwn(object, name)) continue;
    object[name] = firstValues(value);
  }
  return object;
}

type Find = (root: Node, path: JsonPath) => Node | undefined;

/** Finds nodes by path. Members are indexed once per object, so that many diagnostics stay fast. */
function createFinder(): Find {
  const indexes = new Map<Node, Map<string, Node>>();
  const members = (object: Node): Map<string, Node> => {
    let index = indexes.get(object);
    if (index === undefined) {
      index = new Map();
      for (const property of object.children ?? []) {
        const [key, value] = property.children ?? [];
        const name = String(key?.value);
        if (value !== undefined && !index.has(name)) index.set(name, value);
      }
      indexes.set(object, index);
    }
    return index;
  };
  return (root, path) => {
    let node: Node | undefined = root;
    for (const step of path) {
      if (node?.type === 'object') node = members(node).get(String(step));
      else if (node?.type === 'array' && typeof step === 'number') node = node.children?.[step];
      else return undefined;
    }
    return node;
  };
}

const errorMessages: Record<string, string> = {
  InvalidSymbol: 'unexpected symbol',
  InvalidNumberFormat: 'invalid number',
  PropertyNameExpected: 'expected a key in double quotes',
  ValueExpected: 'expected a value',
  ColonExpected: 'expected ":" after the key',
  CommaExpected: 'expected ","',
  CloseBraceExpected: 'expected "}"',
  CloseBracketExpected: 'expected "]"',
  EndOfFileExpected: 'unexpected content after the end of the value',
  InvalidCommentToken: 'comments are not allowed in JSON',
  UnexpectedEndOfComment: 'comments are not allowed in JSON, and this one is not closed',
  UnexpectedEndOfString: 'this string is not closed',
  UnexpectedEndOfNumber: 'this number is incomplete',
  InvalidUnicode: 'expected four hexadecimal digits after \\u',
  InvalidEscapeCharacter: 'invalid escape sequence',
  InvalidCharacter: 'a control character must be written as an escape sequence',
};

/** Only the first error: the others are usually its consequences. */
function syntaxErrors(text: string): SyntaxProblem[] {
  const errors: ParseError[] = [];
  parseTree(text, errors, strict);
  const first = errors[0];
  if (first === undefined) return [{ code: 'syntax.json', message: 'invalid JSON', start: 0, end: 1 }];
  const message = errorMessages[printParseErrorCode(first.error)] ?? 'invalid JSON';
  const trailingComma = /,\s*$/.test(text.slice(0, first.offset));
  return [
    {
      code: 'syntax.json',
      message,
      start: first.offset,
      end: first.offset + Math.max(first.length, 1),
      ...(trailingComma ? { hint: 'remove the comma before it' } : {}),
    },
  ];
}

function span(root: Node | undefined, path: JsonPath, spot: Spot, find: Find): [number, number] {
  if (root === undefined) return [0, 0];
  for (let length = path.length; length >= 0; length--) {
    const node = find(root, path.slice(0, length));
    if (node === undefined) continue;
    const key = node.parent?.type === 'property' ? node.parent.children?.[0] : undefined;
    if (length === path.length && spot === 'value') return [node.offset, node.offset + node.length];
    if (key !== undefined) return [key.offset, key.offset + key.length];
    return [node.offset, node.offset + (length === path.length ? node.length : 1)];
  }
  return [root.offset, root.offset + 1];
}
