import fc from 'fast-check';
import { isObject, type Json, type JsonPath } from '../../../src/model/json.js';

/** Values that often break parsers. */
const oddValues: readonly Json[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  '',
  ' ',
  '0',
  '../../etc/passwd',
  '/etc/passwd',
  'a/../../b',
  'C:\\Windows',
  '..\\x',
  './index.js',
  'http://127.0.0.1/',
  'javascript:alert(1)',
  '$\u007binput.x}',
  '{x}',
  '(a+)+$',
  '\u0000',
  '\u202e',
  '\u{E0041}',
  '\ud800',
  'constructor',
  'toString',
  '%FF%',
  '~1/~0',
  [],
  [[]],
  [null],
  {},
  { type: 'object' },
  { '': '' },
  { constructor: { prototype: 1 } },
  { $ref: '#' },
  { $ref: 'https://example.com' },
];

export const oddValue: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom(...oddValues),
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>,
);

export interface Change {
  readonly kind: 'replace' | 'remove' | 'rename' | 'repeat' | 'move';
  readonly at: number;
  readonly value: Json;
  readonly key: string;
}

export const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('replace', 'remove', 'rename', 'repeat', 'move'),
  at: fc.nat(),
  value: oddValue,
  key: fc.oneof(
    fc.string({ maxLength: 8 }),
    fc.constantFrom('constructor', 'toString', 'name', 'type', 'id', '%FF'),
  ),
});

/** The paths of all values inside a value, including the root. */
export function placesOf(value: Json, path: JsonPath = []): JsonPath[] {
  if (Array.isArray(value)) return [path, ...value.flatMap((it, index) => placesOf(it, [...path, index]))];
  if (isObject(value)) {
    return [path, ...Object.entries(value).flatMap(([key, it]) => placesOf(it, [...path, key]))];
  }
  return [path];
}

/** A copy with the changes. */
export function mutate(value: Json, changes: readonly Change[]): Json {
  let current = structuredClone(value);
  for (const it of changes) {
    const places = placesOf(current);
    const path = places[it.at % places.length] as JsonPath;
    if (path.length === 0) {
      if (it.kind === 'replace' && it.at % 16 === 0) current = it.value;
      continue;
    }
    apply(current, path, it);
  }
  return current;
}

function apply(root: Json, path: JsonPath, it: Change): void {
  let holder = root as Record<string | number, Json>;
  for (const step of path.slice(0, -1)) holder = holder[step] as Record<string | number, Json>;
  const last = path.at(-1) as string | number;
  const list = Array.isArray(holder) ? (holder as Json[]) : null;
  switch (it.kind) {
    case 'replace':
      holder[last] = it.value;
      return;
    case 'remove':
      if (list === null) delete holder[last];
      else list.splice(Number(last), 1);
      return;
    case 'repeat':
      if (list !== null) list.push(structuredClone(list[Number(last)]) as Json);
      else define(holder, `${last}2`, holder[last] as Json);
      return;
    case 'rename':
    case 'move': {
      const value = holder[last] as Json;
      if (list !== null) {
        list.reverse();
        return;
      }
      delete holder[last];
      define(holder, it.kind === 'rename' ? it.key : `x${last}`, value);
    }
  }
}

function define(holder: object, key: string, value: Json): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}
