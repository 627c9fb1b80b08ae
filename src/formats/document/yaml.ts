import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, parseDocument, type YAMLError } from 'yaml';
import type { Range } from '../../model/diagnostic.js';
import type { Json, JsonPath } from '../../model/json.js';
import { type Document, maxDepth, maxValues, type Spot, type SyntaxProblem } from './document.js';
import { tooDeepAt, yamlMarks } from './yaml-depth.js';

/**
 * Parses the subset of YAML 1.2 that is equivalent to JSON: no anchors, aliases, tags or merge keys, and only string
 * keys. Dates are strings. `rangeOf` converts offsets of `text` to a range of the file that contains it.
 */
export function parseYaml(text: string, rangeOf: (start: number, end: number) => Range): Document {
  const problems: SyntaxProblem[] = [];
  const root = parseNode(text, problems);
  const value = problems.length === 0 ? convert(root, problems) : undefined;
  const find = createFinder();
  return {
    value: problems.some((problem) => problem.code !== 'syntax.duplicate-key') ? undefined : value,
    problems,
    locate(path, spot = 'value') {
      const [start, end] = span(root, path, spot, find);
      return rangeOf(start, end);
    },
    source(path) {
      const node = find(root, path)?.node;
      return isScalar(node) && node.range ? text.slice(node.range[0], node.range[1]) : undefined;
    },
  };
}

function parseNode(text: string, problems: SyntaxProblem[]): Node | null {
  const deep = tooDeepAt(text, 4 * maxDepth);
  if (deep !== null) {
    const message = `nested more than ${maxDepth} levels deep`;
    problems.push({ code: 'syntax.too-deep', message, start: deep, end: deep + 1 });
    return null;
  }
  if (yamlMarks(text) > 2 * maxValues) {
    problems.push({ code: 'syntax.too-many-values', message: tooManyValues, start: 0, end: 1 });
    return null;
  }
  const parsed = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    merge: false,
    uniqueKeys: false,
    prettyErrors: false,
    // The level "silent" would also drop the error about a second document.
    logLevel: 'error',
  });
  const first: YAMLError | undefined =
    parsed.errors[0] ?? parsed.warnings.find((it) => it.code !== 'TAG_RESOLVE_FAILED');
  if (first !== undefined) {
    const [start, end] = first.pos;
    problems.push({
      code: 'syntax.yaml',
      message: errorMessages[first.code] ?? sentence(first.message),
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

const tooManyValues = `the file has more than ${maxValues.toLocaleString('en')} values`;

/** Replacements for messages of the parser that authors would not understand. */
const errorMessages: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'a value that contains ": " must be in quotes',
  MULTIPLE_DOCS: 'a second document starts here; a manifest must be one document',
};

function sentence(message: string): string {
  const line = message.split('\n', 1)[0] as string;
  return line.charAt(0).toLowerCase() + line.slice(1);
}

function convert(root: Node | null, problems: SyntaxProblem[]): Json {
  let values = 0;
  const reject = (node: Node, feature: string, hint: string) => {
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
      if (values === maxValues + 1)
        problems.push({ code: 'syntax.too-many-values', message: tooManyValues, start, end });
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
      reject(item, `the alias *${item.source}`, 'repeat the value instead');
      return null;
    }
    if ('anchor' in item && item.anchor) reject(item, `the anchor &${item.anchor}`, 'remove it');
    if (item.tag) reject(item, `the tag ${item.tag}`, 'remove it');
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
        const message = 'a key must be a string';
        problems.push({ code: 'syntax.not-json-value', message, start, end, hint: 'put it in quotes' });
        continue;
      }
      if ('anchor' in key && key.anchor) reject(key, `the anchor &${key.anchor}`, 'remove it');
      if (key.tag) reject(key, `the tag ${key.tag}`, 'remove it');
      if (name === '<<') {
        reject(key, 'the merge key <<', 'repeat the members instead');
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
        problems.push({ code: 'syntax.duplicate-key', message, start, end, hint: 'remove one of them' });
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
    problems.push({
      code: 'syntax.not-json-value',
      message: 'this value cannot be represented in JSON',
      start,
      end,
    });
    return null;
  };
  return visit(root, 0);
}

/** A node with the key that it belongs to. */
interface KeyedNode {
  readonly node: Node | null;
  readonly key: Node | null;
}

type Find = (root: Node | null, path: JsonPath) => KeyedNode | undefined;

/** Finds nodes by path. Members are indexed once per map, so that many diagnostics stay fast. */
function createFinder(): Find {
  const indexes = new Map<Node, Map<unknown, Pair<unknown, unknown>>>();
  return (root, path) => findIn(root, path, indexes);
}

function findIn(
  root: Node | null,
  path: JsonPath,
  indexes: Map<Node, Map<unknown, Pair<unknown, unknown>>>,
): KeyedNode | undefined {
  let current: KeyedNode = { node: root, key: null };
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
    // A missing member is reported at the first key of the block, not over all its lines.
    const first =
      !whole && !found.key && isMap(found.node) ? (found.node.items[0]?.key as Node)?.range : undefined;
    const [start, end] = first ?? range;
    return [start, end];
  }
  return [0, 0];
}
