// The contract of every format parser for any input. The samples are the fixtures and the examples.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryBundle } from '../../../src/bundle/memory-bundle.js';
import { builtInFormats } from '../../../src/formats/built-in-formats.js';
import { diagnosticCodesOf } from '../../../src/formats/diagnostic-codes.js';
import { defaultParseOptions, formats } from '../../../src/formats/index.js';
import type { Diagnostic } from '../../../src/model/diagnostic.js';
import type { Format, ParseResult } from '../../../src/model/format.js';
import {
  isObject,
  type Json,
  type JsonObject,
  type JsonPath,
  toPointer,
  valueAt,
} from '../../../src/model/json.js';
import type { Package } from '../../../src/model/package.js';
import { constantText } from '../../../src/model/template.js';
import { change, mutate, placesOf } from '../../support/contracts/mutants.js';
import { notations } from '../../support/contracts/notation.js';
import { type Sample, samplesOf } from '../../support/contracts/samples.js';

const diagnosticCodes = diagnosticCodesOf(builtInFormats);
const encoder = new TextEncoder();

for (const format of formats) {
  const samples = samplesOf(format.name);
  const notation = notations[format.name];
  // The index and not the sample, so that a counterexample is short.
  const index = fc.nat({ max: Math.max(samples.length - 1, 0) });
  const at = (which: number): Sample => samples[which] as Sample;

  describe(`format contract: ${format.name}`, () => {
    test('the format has more than three samples', () => {
      expect(samples.length).toBeGreaterThan(3);
    });

    test('the samples honor the contract', () => {
      for (const it of samples) honors(format, it, it.text);
    });

    test('manifests of random bytes honor the contract', () => {
      fc.assert(
        fc.property(index, fc.uint8Array({ maxLength: 512 }), (which, bytes) =>
          honors(format, at(which), bytes),
        ),
        { numRuns: 300 },
      );
    });

    test('manifests with changed bytes honor the contract', () => {
      const edit = fc.record({
        where: fc.nat(),
        bytes: fc.uint8Array({ maxLength: 4 }),
        cut: fc.nat({ max: 8 }),
      });
      fc.assert(
        fc.property(index, fc.array(edit, { minLength: 1, maxLength: 4 }), (which, edits) => {
          const it = at(which);
          let bytes = [...encoder.encode(it.text)];
          for (const { where: wanted, bytes: put, cut } of edits) {
            const where = wanted % (bytes.length + 1);
            bytes = [...bytes.slice(0, where), ...put, ...bytes.slice(where + cut)];
          }
          honors(format, it, Uint8Array.from(bytes));
        }),
        { numRuns: 300 },
      );
    });

    test('manifests with removed, repeated and moved lines honor the contract', () => {
      const edit = fc.tuple(fc.constantFrom('remove', 'repeat', 'swap'), fc.nat(), fc.nat());
      fc.assert(
        fc.property(index, fc.array(edit, { minLength: 1, maxLength: 4 }), (which, edits) => {
          const it = at(which);
          const lines = it.text.split('\n');
          for (const [kind, a, b] of edits) {
            const [from, to] = [a % lines.length, b % lines.length];
            if (kind === 'remove') lines.splice(from, 1);
            else if (kind === 'repeat') lines.splice(to, 0, lines[from] as string);
            else [lines[from], lines[to]] = [lines[to] as string, lines[from] as string];
          }
          honors(format, it, lines.join('\n'));
        }),
        { numRuns: 300 },
      );
    });

    test('manifests with changed values honor the contract', () => {
      fc.assert(
        fc.property(index, fc.array(change, { minLength: 1, maxLength: 4 }), (which, changes) => {
          const it = at(which);
          const text = written(() => notation.write(mutate(notation.read(it.text), changes), it.text));
          if (text !== null) honors(format, it, text);
        }),
        { numRuns: 1000 },
      );
    });

    test('a path in place of any string of a manifest cannot lead out of the bundle', () => {
      for (const it of samples) {
        const value = notation.read(it.text);
        for (const path of placesOf(value)) {
          if (typeof valueAt(value, path) !== 'string') continue;
          for (const outside of ['../../etc/passwd', '/etc/passwd', 'a/../../b']) {
            const text = written(() => notation.write(replaced(value, path, outside), it.text));
            const found = text === null ? undefined : run(format, it, text).package;
            if (found !== undefined) insideBundle(found, `${it.name} ${toPointer(path)} ${outside}`);
          }
        }
      }
    });

    test('samples with a changed companion file honor the contract', () => {
      fc.assert(
        fc.property(index, fc.nat(), fc.uint8Array({ maxLength: 64 }), (which, file, bytes) => {
          const it = at(which);
          const others = Object.keys(it.files).filter((path) => path !== it.manifest);
          const path = others[file % Math.max(others.length, 1)];
          if (path !== undefined) honors(format, { ...it, files: { ...it.files, [path]: bytes } }, it.text);
        }),
        { numRuns: 100 },
      );
    });

    test('every unknown field of every object with known fields is reported', () => {
      const schema = JSON.parse(
        readFileSync(join(import.meta.dirname, '../../../src/formats', format.name, 'schema.json'), 'utf8'),
      );
      for (const it of samples) {
        const value = notation.read(it.text);
        for (const path of objectsWithFields(value, schema, schema, [])) {
          const copy = structuredClone(value);
          (valueAt(copy, path) as Record<string, Json>).zzUnknown = 'x';
          const text = written(() => notation.write(copy, it.text));
          if (text === null) continue;
          const pointer = toPointer([...path, 'zzUnknown']);
          const found = run(format, it, text).diagnostics.filter((one) => one.pointer === pointer);
          expect(
            found.map((one) => one.code),
            `${it.name} ${pointer}`,
          ).toEqual([
            expect.stringMatching(/^(?:field\.unknown|schema\.closed|\w+\.unknown-field|\w+\.unknown-key)$/),
          ]);
        }
      }
    });

    test('an empty, too large, not UTF-8 or missing manifest is exactly one diagnostic', () => {
      const [it] = samples as [Sample];
      expect(codes(run(format, it, ''))).toEqual(['file.empty']);
      expect(codes(run(format, it, `${it.text}${' '.repeat(1024 * 1024)}`))).toEqual(['file.too-large']);
      expect(codes(run(format, it, Uint8Array.of(0xff, 0xfe, 0x41)))).toEqual(['file.not-utf8']);
      expect(codes(run(format, it, `\uFEFF${it.text}`))).toEqual(['file.byte-order-mark']);
      const bare = memoryBundle({}, it.manifest, it.folder);
      expect(codes(format.parse(bare, defaultParseOptions))).toEqual(['file.missing']);
      const nested = memoryBundle({ [`${it.manifest}/x`]: 'x' }, it.manifest, it.folder);
      expect(codes(format.parse(nested, defaultParseOptions))).toEqual(['file.not-regular']);
    });
  });
}

function codes(result: ParseResult): string[] {
  return result.diagnostics.map((it) => it.code);
}

/** Null if the notation cannot represent the value. */
function written(write: () => string): string | null {
  try {
    return write();
  } catch {
    return null;
  }
}

function run(format: Format, sample: Sample, manifest: string | Uint8Array): ParseResult {
  const bundle = memoryBundle(
    { ...sample.files, [sample.manifest]: manifest },
    sample.manifest,
    sample.folder,
  );
  return format.parse(bundle, defaultParseOptions);
}

/** Checks one input: parsing is repeatable, diagnostics are valid, and a package is complete and frozen. */
function honors(format: Format, sample: Sample, manifest: string | Uint8Array): void {
  const result = run(format, sample, manifest);
  expect(run(format, sample, manifest)).toEqual(result);
  for (const it of result.diagnostics) validDiagnostic(it);
  const errors = result.diagnostics.filter((it) => it.severity === 'error');
  if (result.package === undefined) {
    expect(errors.length).toBeGreaterThan(0);
    return;
  }
  // A Patch file under development may still lack its version. A file that differs from its digest makes a package that
  // does not run. Neither does one whose needs this host does not meet.
  const tolerated = errors.filter(
    (it) =>
      it.code !== 'file.sha256' &&
      !(result.unmet ?? []).some((reason) => reason.startsWith(it.message)) &&
      !(format.name === 'patch' && it.message.startsWith('"version"')),
  );
  expect(tolerated).toEqual([]);
  expect(thawed(result.package, 'package')).toBeUndefined();
  expect(JSON.parse(JSON.stringify(result.package))).toEqual(result.package);
  insideBundle(result.package, sample.name);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
}

function insideBundle(it: Package, where: string): void {
  for (const path of pathsOf(it)) {
    // People agree to these folders by name.
    if (it.permissions.folders?.some((folder) => path.startsWith(`${folder.path}/`)) === true) continue;
    expect(path, where).not.toMatch(/^[/\\]|^[A-Za-z]:|\\|\0/);
    expect(path.split('/'), where).not.toContain('..');
  }
}

/** A copy with another value at `path`. */
function replaced(value: Json, path: JsonPath, by: Json): Json {
  const copy = structuredClone(value);
  const holder = valueAt(copy, path.slice(0, -1)) as Record<string | number, Json>;
  const last = path.at(-1);
  if (last === undefined) return by;
  holder[last] = by;
  return copy;
}

function validDiagnostic(it: Diagnostic): void {
  expect(diagnosticCodes[it.code]).toBe(it.severity);
  const { line, column, endLine, endColumn } = it.range;
  expect(Math.min(line, column, endLine, endColumn)).toBeGreaterThan(0);
  expect(endLine > line || (endLine === line && endColumn >= column)).toBe(true);
  expect(it.message).not.toBe('');
  expect(it.message).not.toMatch(/undefined|\[object|NaN/);
}

/** The path of a value that is not frozen, or undefined. */
function thawed(value: unknown, path: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Object.isFrozen(value)) return path;
  for (const [key, member] of Object.entries(value)) {
    const found = thawed(member, `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Every bundle path that a package uses. */
function pathsOf(it: Package): string[] {
  const programs = it.programs.flatMap(({ target }) => {
    if (target.kind !== 'process') return [];
    const first = target.command[0];
    const file = target.runtime === undefined || first === undefined ? undefined : constantText(first);
    // After an option such as "-m" comes a module, not a file.
    return [target.directory, ...(file === undefined || file.startsWith('-') ? [] : [file])];
  });
  const prompts = it.prompts.flatMap(({ body }) => (body.kind === 'file' ? [body.path] : []));
  return [...programs, ...prompts, ...(it.interface === undefined ? [] : [it.interface])];
}

/** Paths of all objects whose schema lists their fields and allows no others. */
function objectsWithFields(
  value: Json,
  node: Json | undefined,
  root: JsonObject,
  path: JsonPath,
): JsonPath[] {
  const here = resolve(node, root);
  if (here === null) return [];
  if (Array.isArray(value)) {
    return value.flatMap((it, index) => objectsWithFields(it, here.items, root, [...path, index]));
  }
  if (!isObject(value) || !isObject(here.properties)) return [];
  const closed = here.additionalProperties === undefined || here.additionalProperties === false;
  const { properties } = here;
  const members = Object.entries(value).flatMap(([key, it]) =>
    Object.hasOwn(properties, key) ? objectsWithFields(it, properties[key], root, [...path, key]) : [],
  );
  return [...(closed ? [path] : []), ...members];
}

function resolve(node: Json | undefined, root: JsonObject): JsonObject | null {
  if (!isObject(node)) return null;
  if (typeof node.$ref !== 'string') return node;
  const target = valueAt(root, node.$ref.split('/').slice(1));
  return isObject(target) ? target : null;
}
