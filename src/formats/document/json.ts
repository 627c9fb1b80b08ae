import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Json, JsonPath } from '../../model/json.js';
import { type Document, maxDepth, maxValues, type Spot, type SyntaxProblem } from './document.js';
import { SourceText } from './text.js';

/** Reads strict JSON. Positions cost several times the parse, so they are found only when asked for. */
export function readJson(text: string): Document {
  const source = new SourceText(text);
  let tree: Node | undefined;
  const treeOf = () => (tree ??= parseTree(text, undefined, strict));
  const find = finder();
  const locate = (path: JsonPath, spot: Spot = 'value') => {
    const [start, end] = span(treeOf(), path, spot, find);
    return source.range(start, end);
  };
  const sourceOf = (path: JsonPath) => {
    const root = treeOf();
    const node = root && find(root, path);
    return node && text.slice(node.offset, node.offset + node.length);
  };
  const plain = readPlain(text);
  if (plain !== undefined) return { value: plain.value, problems: [], locate, source: sourceOf };

  const shape = scan(text);
  const refused = (problems: SyntaxProblem[]): Document => ({
    value: undefined,
    problems,
    locate: () => source.range(0),
    source: () => undefined,
  });

  if (shape.tooDeepAt !== null) {
    const message = `nested more than ${maxDepth} levels deep`;
    const hint = 'no manifest needs that; flatten it';
    return refused([
      { code: 'syntax.too-deep', message, start: shape.tooDeepAt, end: shape.tooDeepAt + 1, hint },
    ]);
  }
  if (shape.members > maxValues) {
    const message = `more than ${maxValues.toLocaleString('en')} values`;
    return refused([{ code: 'syntax.too-many-values', message, start: 0, end: 1 }]);
  }
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    return refused(syntaxErrors(text));
  }
  const keys = countKeys(value);
  const problems = keys.forbidden || keys.count !== shape.keys ? keyProblems(treeOf()) : [];
  return {
    // Positions are those of the first of two equal keys, so the value must be its value.
    value: problems.length === 0 ? value : firstValues(treeOf() as Node),
    problems,
    locate,
    source: sourceOf,
  };
}

/**
 * The way of nearly all manifests: nothing is wrong with the notation, and the parser that is built in is enough to
 * know it. Undefined when there is anything to look at more closely.
 */
function readPlain(text: string): { readonly value: Json } | undefined {
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { keys, values, sound } = measure(value);
  // A quote before a colon inside a text counts too many, never too few, and only sends us the slower way.
  return sound && keys + values <= maxValues && (text.match(/"\s*:/g)?.length ?? 0) === keys
    ? { value }
    : undefined;
}

function measure(value: Json): { keys: number; values: number; sound: boolean } {
  let keys = 0;
  let values = 0;
  let sound = true;
  const visit = (part: Json, depth: number): void => {
    values++;
    if (typeof part !== 'object' || part === null) return;
    if (depth >= maxDepth) {
      sound = false;
      return;
    }
    if (Array.isArray(part)) {
      for (const item of part) visit(item, depth + 1);
      return;
    }
    for (const key in part) {
      keys++;
      if (key === '__proto__') sound = false;
      visit((part as Record<string, Json>)[key] as Json, depth + 1);
    }
  };
  visit(value, 0);
  return { keys, values, sound };
}

const strict = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false };

interface Shape {
  readonly tooDeepAt: number | null;
  /** Commas and colons: a measure of how many values there are. */
  readonly members: number;
  /** Colons outside strings: one for each member of an object. */
  readonly keys: number;
}

/** One pass over the characters, without making anything. */
function scan(text: string): Shape {
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

/** JSON.parse keeps the last of two equal keys: fewer keys than colons means that one was lost. */
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
          problems.push({ code: 'syntax.duplicate-key', message, ...place, hint: 'keep one of them' });
        }
        seen.add(name);
      }
    }
    for (const child of node.children ?? []) visit(child);
  };
  if (root !== undefined) visit(root);
  return problems;
}

/** The value of a tree in which the first of equal keys counts and forbidden ones do not exist. */
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

/** Members are indexed once per object: a manifest may have very many, and a finding about each. */
function finder(): Find {
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

const explanations: Record<string, string> = {
  InvalidSymbol: 'unexpected word',
  InvalidNumberFormat: 'this is not a number JSON knows',
  PropertyNameExpected: 'expected a name in double quotes',
  ValueExpected: 'expected a value',
  ColonExpected: 'expected ":" after the name',
  CommaExpected: 'expected ","',
  CloseBraceExpected: 'expected "}"',
  CloseBracketExpected: 'expected "]"',
  EndOfFileExpected: 'expected nothing more after the value',
  InvalidCommentToken: 'JSON has no comments',
  UnexpectedEndOfComment: 'JSON has no comments, and this one never ends',
  UnexpectedEndOfString: 'this string never ends',
  UnexpectedEndOfNumber: 'this number breaks off',
  InvalidUnicode: 'expected four hexadecimal digits after \\u',
  InvalidEscapeCharacter: 'this escape is not one JSON knows',
  InvalidCharacter: 'a control character must be written as an escape',
};

/** The first mistake only: what follows it is mostly its echo. */
function syntaxErrors(text: string): SyntaxProblem[] {
  const errors: ParseError[] = [];
  parseTree(text, errors, strict);
  const first = errors[0];
  if (first === undefined) return [{ code: 'syntax.json', message: 'this is not JSON', start: 0, end: 1 }];
  const message = explanations[printParseErrorCode(first.error)] ?? 'this is not JSON';
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
