import {
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { SourceText } from '../../../formats/document/source-text.js';
import { isObject, type Json } from '../../../model/json.js';
import { checkedEdits } from './checked-edit.js';
import {
  type SettingsPath,
  SettingsProblem,
  type SettingsStep,
  type SettingsSyntax,
} from './settings-syntax.js';

export const yamlSettings: SettingsSyntax = checkedEdits({
  title: 'YAML',
  find(text, path) {
    let found = rootOf(text).value;
    for (const step of path) found = stepInto(found, step);
    return found ?? undefined;
  },
  set(text, path, value) {
    const { root } = rootOf(text);
    return setIn(text, root, undefined, path, value);
  },
  remove(text, path) {
    let node: Node | null = rootOf(text).root;
    let holder: Item | undefined;
    for (const [depth, step] of path.entries()) {
      const item = itemAt(node, step);
      if (item === undefined) return text;
      if (depth === path.length - 1) return cut(text, node as Collection, item, holder);
      holder = item;
      node = item.value;
    }
    return text;
  },
});

type Collection = YAMLMap | YAMLSeq;

/** A pair of a map, or an element of a list. */
interface Item {
  /** Where its text starts: the key, or the element after its dash. */
  readonly start: number;
  /** Where its value may start: after the key and its colon, or at the element. */
  readonly valueStart: number;
  readonly end: number;
  readonly value: Node | null;
}

function rootOf(text: string): { readonly root: Node | null; readonly value: Json | undefined } {
  const parsed = parseDocument(text, {
    version: '1.2',
    uniqueKeys: true,
    prettyErrors: false,
    logLevel: 'error',
  });
  const [first] = parsed.errors;
  if (first !== undefined) throw new SettingsProblem(first.message, new SourceText(text).range(first.pos[0]));
  try {
    return {
      root: parsed.contents,
      value: (parsed.toJS({ maxAliasCount: 100 }) ?? undefined) as Json | undefined,
    };
  } catch {
    throw new SettingsProblem('it has too many aliases', { line: 1, column: 1 });
  }
}

function stepInto(value: Json | undefined, step: SettingsStep): Json | undefined {
  if (typeof step === 'string')
    return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  return Array.isArray(value) ? value.find((it) => isObject(it) && it.name === step.named) : undefined;
}

function itemAt(node: Node | null, step: SettingsStep): Item | undefined {
  if (typeof step === 'string') {
    const pair = isMap(node)
      ? node.items.find((it) => isScalar(it.key) && String(it.key.value) === step)
      : undefined;
    return pair && itemOf(pair);
  }
  if (!isSeq(node)) return undefined;
  const element = node.items.find((it) => isMap(it) && it.get('name') === step.named);
  return element === undefined ? undefined : itemOf(element);
}

function itemOf(it: unknown): Item {
  if (isPair(it)) {
    const key = (it as Pair<Node, Node | null>).key;
    const value = (it as Pair<Node, Node | null>).value;
    const [start = 0, keyEnd = 0] = key.range ?? [];
    return { start, valueStart: keyEnd + 1, end: Math.max(keyEnd + 1, endOf(value)), value };
  }
  const node = it as Node;
  const [start = 0] = node.range ?? [];
  return { start, valueStart: start, end: endOf(node), value: node };
}

/** An empty value has no text, and its offset may be far behind the key. */
function endOf(node: Node | null): number {
  if (node === null || (isScalar(node) && node.value === null && node.source === '')) return 0;
  return node.range?.[1] ?? 0;
}

function setIn(
  text: string,
  node: Node | null,
  holder: Item | undefined,
  path: SettingsPath,
  value: Json,
): string {
  const [step, ...rest] = path;
  if (step === undefined) return replaceValue(text, holder as Item, value);
  const item = itemAt(node, step);
  if (item !== undefined) return setIn(text, item.value, item, rest, value);
  const added = memberOf(step, nest(rest, value));
  if ((isMap(node) || isSeq(node)) && node.items.length > 0)
    return node.flow === true ? intoFlow(text, node, added) : afterLast(text, node, added);
  const isEmpty = node === null || isMap(node) || isSeq(node) || (isScalar(node) && node.value === null);
  if (!isEmpty)
    throw new SettingsProblem(`the value above ${shown(step)} has another type`, placeOf(text, node));
  if (holder !== undefined) return underKey(text, holder, added);
  const start = text === '' || text.endsWith('\n') ? text : `${text}${eolOf(text)}`;
  return start + block(added, '', eolOf(text));
}

/** The member or list element that a step adds. */
function memberOf(step: SettingsStep, value: Json): Json {
  return typeof step === 'string' ? { [step]: value } : [value];
}

function nest(path: SettingsPath, value: Json): Json {
  return path.reduceRight<Json>((inner, step) => memberOf(step, inner), value);
}

/** In flow style, which is JSON, on the line of the key. */
function replaceValue(text: string, { valueStart, end }: Item, value: Json): string {
  const stop = valueStart + text.slice(valueStart, end).trimEnd().length;
  const space = text[valueStart - 1] === ':' ? ' ' : '';
  return `${text.slice(0, valueStart)}${space}${JSON.stringify(value)}${text.slice(Math.max(stop, valueStart))}`;
}

function intoFlow(text: string, { range, items }: Collection, added: Json): string {
  const close = (range?.[1] ?? 0) - 1;
  const last = items.at(-1);
  const at = last === undefined ? close : itemOf(last).end;
  const inner = JSON.stringify(added).slice(1, -1);
  return `${text.slice(0, at)}, ${inner}${text.slice(at)}`;
}

function afterLast(text: string, { items }: Collection, added: Json): string {
  const eol = eolOf(text);
  const first = itemOf(items[0]);
  const indent = indentAt(text, first.start);
  const end = lineAfter(text, itemOf(items.at(-1)).end);
  const before = text.slice(0, end);
  const separator = before.endsWith('\n') ? '' : eol;
  return before + separator + block(added, indent, eol) + text.slice(end);
}

function underKey(text: string, { start, valueStart, end }: Item, added: Json): string {
  const eol = eolOf(text);
  const indent = `${indentAt(text, start)}  `;
  const stop = Math.max(valueStart, valueStart + text.slice(valueStart, end).trimEnd().length);
  const lineEnd = text.indexOf('\n', stop);
  const rest = lineEnd === -1 ? '' : text.slice(lineEnd + 1);
  const comment = text.slice(stop, lineEnd === -1 ? text.length : lineEnd).trimEnd();
  return `${text.slice(0, valueStart)}${comment}${eol}${block(added, indent, eol)}${rest}`;
}

function cut(text: string, collection: Collection, item: Item, holder: Item | undefined): string {
  if (collection.flow === true) return cutFlow(text, collection, item);
  if (collection.items.length === 1 && holder !== undefined) {
    const stop = lineAfter(text, item.end);
    const empty = isSeq(collection) ? ' []' : ' {}';
    const comment = text.slice(holder.valueStart, text.indexOf('\n', holder.valueStart)).trimEnd();
    return `${text.slice(0, holder.valueStart)}${empty}${comment}${eolOf(text)}${text.slice(stop)}`;
  }
  const from = text.lastIndexOf('\n', item.start - 1) + 1;
  return text.slice(0, from) + text.slice(lineAfter(text, item.end));
}

function cutFlow(text: string, { items }: Collection, { start, end }: Item): string {
  const all = items.map(itemOf);
  const at = all.findIndex((it) => it.start === start);
  const next = all[at + 1];
  if (next !== undefined) return text.slice(0, start) + text.slice(next.start);
  const before = all[at - 1];
  return text.slice(0, before === undefined ? start : before.end) + text.slice(end);
}

/** The offset behind the line on which the text before `offset` ends. */
function lineAfter(text: string, offset: number): number {
  const end = text.slice(0, offset).trimEnd().length;
  const at = text.indexOf('\n', end);
  return at === -1 ? text.length : at + 1;
}

/** The white space before the line's first character, and before a dash. */
function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? '';
}

function block(value: Json, indent: string, eol: string): string {
  return stringify(value, { lineWidth: 0, version: '1.2' })
    .trimEnd()
    .split('\n')
    .map((line) => `${line === '' ? '' : indent}${line}${eol}`)
    .join('');
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

function placeOf(text: string, node: Node | null) {
  return new SourceText(text).range(node?.range?.[0] ?? 0);
}

function shown(step: SettingsStep): string {
  return JSON.stringify(typeof step === 'string' ? step : step.named);
}
