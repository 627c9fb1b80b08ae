import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, parseDocument, type YAMLError } from 'yaml';
import type { Range } from '../../model/diagnostic.js';
import type { Json, JsonPath } from '../../model/json.js';
import { type Document, maxDepth, maxValues, type Spot, type SyntaxProblem } from './document.js';
import { tooDeepAt } from './yaml-depth.js';
import { readPlainYaml } from './yaml-plain.js';

/**
 * Reads the part of YAML 1.2 that says the same as JSON: no anchors, aliases, tags or merge keys, text keys
 * only. Dates stay text. `place` turns offsets of `text` into a range of the file it was taken from.
 */
export function readYaml(text: string, place: (start: number, end: number) => Range): Document {
  const problems: SyntaxProblem[] = [];
  const find = finder();
  const plain = readPlainYaml(text);
  let parsed: { readonly root: Node | null } | undefined;
  // Places are asked for only when there is something to report.
  const rootOf = (): Node | null => {
    parsed ??= { root: parseNode(text, plain === undefined ? problems : []) };
    return parsed.root;
  };
  const value = plain === undefined ? fullValue(rootOf(), problems) : plain.value;
  return {
    value,
    problems,
    locate(path, spot = 'value') {
      const [start, end] = span(rootOf(), path, spot, find);
      return place(start, end);
    },
    source(path) {
      const node = find(rootOf(), path)?.node;
      return isScalar(node) && node.range ? text.slice(node.range[0], node.range[1]) : undefined;
    },
  };
}

function fullValue(root: Node | null, problems: SyntaxProblem[]): Json | undefined {
  const value = problems.length === 0 ? convert(root, problems) : undefined;
  return problems.some((problem) => problem.code !== 'syntax.duplicate-key') ? undefined : value;
}

function parseNode(text: string, problems: SyntaxProblem[]): Node | null {
  const deep = tooDeepAt(text, 4 * maxDepth);
  if (deep !== null) {
    const message = `nested more than ${maxDepth} levels deep`;
    problems.push({ code: 'syntax.too-deep', message, start: deep, end: deep + 1 });
    return null;
  }
  const parsed = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    merge: false,
    uniqueKeys: false,
    prettyErrors: false,
    // Not silent: that would also drop the error about a second document.
    logLevel: 'error',
  });
  const first: YAMLError | undefined =
    parsed.errors[0] ?? parsed.warnings.find((it) => it.code !== 'TAG_RESOLVE_FAILED');
  if (first !== undefined) {
    const [start, end] = first.pos;
    problems.push({
      code: 'syntax.yaml',
      message: messages[first.code] ?? sentence(first.message),
      start,
      end,
    });
    return null;
  }
  if (parsed.directives?.yaml.explicit) {
    const message = 'a %YAML directive is not allowed in a manifest';
    problems.push({ code: 'syntax.yaml-feature', message, start: 0, end: 1, hint: 'remove it' });
    return null;
  }
  return parsed.contents as Node | null;
}

/** Where the parser speaks to programmers. */
const messages: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'a text with ": " in it must be in quotes',
  MULTIPLE_DOCS: 'a second document starts here; a manifest is one',
};

function sentence(message: string): string {
  const line = message.split('\n', 1)[0] as string;
  return line.charAt(0).toLowerCase() + line.slice(1);
}

function convert(root: Node | null, problems: SyntaxProblem[]): Json {
  let values = 0;
  const refuse = (node: Node, feature: string, hint: string) => {
    const [start, end] = node.range ?? [0, 1];
    problems.push({
      code: 'syntax.yaml-feature',
      message: `${feature} is not allowed in a manifest`,
      start,
      end,
      hint,
    });
  };
  const visit = (node: unknown, depth: number): Json => {
    if (node === null || node === undefined) return null;
    const item = node as Node;
    const [start, end] = item.range ?? [0, 1];
    if (++values > maxValues) {
      const message = `more than ${maxValues.toLocaleString('en')} values`;
      if (values === maxValues + 1) problems.push({ code: 'syntax.too-many-values', message, start, end });
      return null;
    }
    if (depth > maxDepth) {
      problems.push({
        code: 'syntax.too-deep',
        message: `nested more than ${maxDepth} levels deep`,
        start,
        end,
      });
      return null;
    }
    if (isAlias(item)) {
      refuse(item, `the alias *${item.source}`, 'write the value out');
      return null;
    }
    if ('anchor' in item && item.anchor) refuse(item, `the anchor &${item.anchor}`, 'remove it');
    if (item.tag) refuse(item, `the tag ${item.tag}`, 'remove it');
    if (isMap(item)) return visitMap(item.items, depth);
    if (isSeq(item)) return item.items.map((member) => visit(member, depth + 1));
    return isScalar(item) ? scalar(item.value, item) : null;
  };
  const visitMap = (pairs: readonly Pair<unknown, unknown>[], depth: number): Json => {
    const object: Record<string, Json> = {};
    for (const pair of pairs) {
      const key = pair.key as Node;
      const [start, end] = key?.range ?? [0, 1];
      const name = isScalar(key) ? key.value : undefined;
      if (typeof name !== 'string') {
        const message = 'a key must be text';
        problems.push({ code: 'syntax.not-json-value', message, start, end, hint: 'put it in quotes' });
        continue;
      }
      if ('anchor' in key && key.anchor) refuse(key, `the anchor &${key.anchor}`, 'remove it');
      if (key.tag) refuse(key, `the tag ${key.tag}`, 'remove it');
      if (name === '<<') {
        refuse(key, 'the merge key <<', 'write the members out');
        continue;
      }
      if (name === '__proto__') {
        problems.push({
          code: 'syntax.forbidden-key',
          message: 'the key "__proto__" is not allowed',
          start,
          end,
        });
        continue;
      }
      if (Object.hasOwn(object, name)) {
        const message = `the key ${JSON.stringify(name)} occurs twice`;
        problems.push({ code: 'syntax.duplicate-key', message, start, end, hint: 'keep one of them' });
        continue;
      }
      object[name] = visit(pair.value, depth + 1);
    }
    return object;
  };
  const scalar = (value: unknown, node: Node): Json => {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    const [start, end] = node.range ?? [0, 1];
    problems.push({ code: 'syntax.not-json-value', message: 'JSON has no such value', start, end });
    return null;
  };
  return visit(root, 0);
}

interface Found {
  readonly node: Node | null;
  readonly key: Node | null;
}

type Find = (root: Node | null, path: JsonPath) => Found | undefined;

/** Members are indexed once per map: a manifest may have very many, and a finding about each. */
function finder(): Find {
  const indexes = new Map<Node, Map<unknown, Pair<unknown, unknown>>>();
  return (root, path) => findIn(root, path, indexes);
}

function findIn(
  root: Node | null,
  path: JsonPath,
  indexes: Map<Node, Map<unknown, Pair<unknown, unknown>>>,
): Found | undefined {
  let current: Found = { node: root, key: null };
  for (const step of path) {
    if (isMap(current.node)) {
      let index = indexes.get(current.node);
      if (index === undefined) {
        index = new Map();
        for (const pair of current.node.items) {
          const name = isScalar(pair.key) ? pair.key.value : undefined;
          if (typeof name === 'string' && !index.has(name)) index.set(name, pair);
        }
        indexes.set(current.node, index);
      }
      const pair = index.get(String(step));
      if (pair === undefined) return undefined;
      current = { node: pair.value as Node | null, key: pair.key as Node };
    } else if (isSeq(current.node) && typeof step === 'number' && step < current.node.items.length) {
      current = { node: current.node.items[step] as Node, key: null };
    } else {
      return undefined;
    }
  }
  return current;
}

function span(root: Node | null, path: JsonPath, spot: Spot, find: Find): [number, number] {
  for (let length = path.length; length >= 0; length--) {
    const found = find(root, path.slice(0, length));
    if (found === undefined) continue;
    const whole = length === path.length && spot === 'value' ? found.node?.range : undefined;
    const range = whole ?? found.key?.range ?? found.node?.range;
    if (!range) continue;
    // A missing member of a block is shown at the block's first key, not over all its lines.
    const first =
      !whole && !found.key && isMap(found.node) ? (found.node.items[0]?.key as Node)?.range : undefined;
    const [start, end] = first ?? range;
    return [start, end];
  }
  return [0, 0];
}
