// Manifests and bundles for the tests of the Toolspace format.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { toolspace } from '../../src/formats/toolspace/format.js';
import type { Bundle } from '../../src/model/bundle.js';
import type { Diagnostic } from '../../src/model/diagnostic.js';
import type { ParseResult } from '../../src/model/format.js';
import type { Json, JsonObject } from '../../src/model/json.js';

const fixtures = join(import.meta.dirname, '../fixtures/toolspace');

/** A bundle with one manifest. */
export function bundleOf(content: string | Uint8Array): Bundle {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return {
    manifest: 'toolspace.json',
    folder: 'sample',
    read: (path) => (path === 'toolspace.json' ? { kind: 'file', bytes } : { kind: 'missing' }),
    digest: () => undefined,
    files: () => ['toolspace.json'],
    display: (path) => path,
  };
}

export function parseText(content: string | Uint8Array): ParseResult {
  return toolspace.parse(bundleOf(content), { agentVersion: '1.0.0', reservedIds: [] });
}

export function parseValue(manifest: Json): ParseResult {
  return parseText(JSON.stringify(manifest));
}

export function codesOf({ diagnostics }: ParseResult): string[] {
  return diagnostics.map((it: Diagnostic) => it.code);
}

/** Every manifest file of the fixtures, with the name of its case. */
export function fixtureTexts(): { name: string; text: string }[] {
  return readdirSync(fixtures).flatMap((name) =>
    readdirSync(join(fixtures, name))
      .filter((file) => file.endsWith('.json') && file !== 'package.json')
      .map((file) => ({ name: `${name}/${file}`, text: readFileSync(join(fixtures, name, file), 'utf8') })),
  );
}

/** A manifest of the fixtures. */
export function fixture(name: string): JsonObject {
  return JSON.parse(readFileSync(join(fixtures, name, 'toolspace.json'), 'utf8'));
}

const valid: readonly Json[] = fixtureTexts()
  .filter(({ name }) => name.startsWith('accept-'))
  .map(({ text }) => JSON.parse(text));

/** Lengths and counts just inside and just outside the limits of the format. */
const lengths = [2, 3, 4, 5, 16, 17, 32, 33, 62, 63, 64, 65, 80, 81, 280, 281, 800, 801, 4000, 4001];

/** Values that have a meaning somewhere in a manifest. */
const telling: readonly Json[] = [
  '0.2 mcp-stdio mcp-http python-module shell-binary container pip npm git url subcommand stdin-json http',
  'mcp-tool shell mcp-tool-call action-call manual GET POST none read write destructive json raw standard',
]
  .flatMap((it) => it.split(' '))
  .concat('https://example.com/a', 'mailto:a@example.com', 'a@example.com', 'not a url', 'a'.repeat(64), '');

const numbers: readonly Json[] = [null, true, false, 0, 1, -1, 0.5, 300, 301, [], {}, [''], 1e21];

const anyValue: fc.Arbitrary<Json> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...telling) },
  { weight: 2, arbitrary: fc.constantFrom(...numbers) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json> },
);

const change = fc.record({
  place: fc.nat(),
  other: fc.nat(),
  kind: fc.constantFrom('remove', 'replace', 'add', 'rename', 'transplant', 'repeat'),
  value: anyValue,
  key: fc.oneof(fc.constantFrom('kind', 'url', 'command', 'x', '__proto__', 'method', 'schema'), fc.string()),
});

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** Each valid manifest with each of its parts replaced by each significant value, or removed. */
export function* replacements(): Generator<Json> {
  const values = [...telling, ...lengths.map((it) => 'a'.repeat(it)), ...numbers];
  for (const manifest of valid) {
    for (const path of pathsOf(manifest)) {
      yield edit(manifest, path, () => undefined);
      for (const value of values) yield edit(manifest, path, () => value);
      for (const length of lengths)
        yield edit(manifest, path, (it) => (Array.isArray(it) ? Array(length).fill(it[0] ?? 'a') : it));
    }
  }
}

/** Valid manifests with a few changes anywhere in them. */
export const mutant: fc.Arbitrary<Json> = fc
  .tuple(fc.constantFrom(...valid), fc.constantFrom(...valid), fc.array(change, { maxLength: 3 }))
  .map(([base, donor, changes]) => changes.reduce((value, it) => apply(value, donor, it), base));

export const validManifest: fc.Arbitrary<Json> = fc.constantFrom(...valid);

type Path = readonly (string | number)[];

function pathsOf(value: Json, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const steps: Path[] = Object.entries(value).flatMap(([key, member]) =>
    pathsOf(member, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return [path, ...steps];
}

function apply(value: Json, donor: Json, { place, other, kind, value: fresh, key }: Change): Json {
  const paths = pathsOf(value);
  const path = paths[place % paths.length] as Path;
  const donated = pathsOf(donor);
  switch (kind) {
    case 'remove':
      return edit(value, path, () => undefined);
    case 'replace':
      return edit(value, path, () => fresh);
    case 'add':
      return edit(value, path, (it) => withMember(it, key, fresh));
    case 'rename':
      return edit(value, path, (it) => {
        if (typeof it !== 'object' || it === null || Array.isArray(it)) return it;
        const [first, ...rest] = Object.entries(it as JsonObject);
        return first === undefined ? it : withMember(Object.fromEntries(rest), key, first[1]);
      });
    case 'transplant':
      return edit(value, path, () => at(donor, donated[other % donated.length] as Path));
    case 'repeat':
      return edit(value, path, (it) =>
        Array.isArray(it) ? Array.from({ length: 2 + (other % 80) }, (_, n) => it[n % it.length] ?? n) : it,
      );
  }
}

/** Uses JSON text like a parser does, so that `__proto__` becomes an ordinary member. */
function withMember(value: Json, key: string, member: Json): Json {
  if (Array.isArray(value)) return [...value, member];
  if (typeof value !== 'object' || value === null) return value;
  const text = JSON.stringify(value);
  const comma = text === '{}' ? '' : ',';
  return JSON.parse(`${text.slice(0, -1)}${comma}${JSON.stringify(key)}:${JSON.stringify(member)}}`);
}

function at(value: Json, path: Path): Json {
  return path.reduce<Json>((it, step) => (it as Record<string | number, Json>)[step] as Json, value);
}

function edit(value: Json, path: Path, make: (value: Json) => Json | undefined): Json {
  const [step, ...rest] = path;
  if (step === undefined) return make(value) ?? null;
  if (Array.isArray(value)) {
    if (rest.length === 0 && make(value[Number(step)] as Json) === undefined)
      return value.filter((_, index) => index !== step);
    return value.map((it, index) => (index === step ? edit(it, rest, make) : it));
  }
  const entries = Object.entries(value as JsonObject).flatMap(([key, it]): [string, Json][] => {
    if (key !== step) return [[key, it]];
    if (rest.length === 0 && make(it) === undefined) return [];
    return [[key, edit(it, rest, make)]];
  });
  return Object.fromEntries(entries);
}
