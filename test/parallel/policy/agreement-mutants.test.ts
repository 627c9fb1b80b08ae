// Generated single changes of packages. A change needs review if it lets the package do more, or alters text
// that people or models read. Internal changes do not need review, and a different order is not a change.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryBundle } from '../../../src/bundle/memory-bundle.js';
import { builtInFormats, type FormatName } from '../../../src/formats/built-in-formats.js';
import { formatNamed, inspect } from '../../../src/formats/index.js';
import { isObject, type Json, type JsonPath, toPointer, valueAt } from '../../../src/model/json.js';
import type { Package } from '../../../src/model/package.js';
import { packageTextOf } from '../../../src/policy/review/package-text.js';
import { requestOf } from '../../../src/policy/review/request.js';
import { textChanges } from '../../../src/policy/review/visible-text.js';
import { widening } from '../../../src/policy/review/widening.js';
import { printPackage } from '../../../src/serve/print/package.js';
import { notations } from '../../support/contracts/notation.js';
import { type Sample, samplesOf } from '../../support/contracts/samples.js';

interface Read {
  readonly sample: Sample;
  readonly of: Package;
  readonly text: (path: string) => string | undefined;
}

const plain = { bold: String, dim: String, good: String, warning: String, error: String, info: String };

function read(sample: Sample, format: FormatName, manifest?: string): Read | undefined {
  const files = manifest === undefined ? sample.files : { ...sample.files, [sample.manifest]: manifest };
  const bundle = memoryBundle(files, sample.manifest, sample.folder);
  const { package: of } = inspect(formatNamed(format), bundle);
  if (of === undefined) return undefined;
  const text = (path: string) => {
    const entry = bundle.read(path);
    return entry.kind === 'file' ? Buffer.from(entry.bytes).toString() : undefined;
  };
  return { sample, of, text };
}

/** Everything that needs review. */
function changesToReview(before: Read, after: Read): string[] {
  return [
    ...widening(requestOf(before.of), requestOf(after.of)).widened,
    ...textChanges(packageTextOf(before.of, before.text), packageTextOf(after.of, after.text)).changed,
  ];
}

const all = builtInFormats.map(({ name: format }) => {
  const samples = samplesOf(format);
  return { format, samples, packages: samples.flatMap((it) => read(it, format) ?? []) };
});

/** Internal details, like the code: changes there do not need review. */
const internal = [
  /^\/version$/,
  /^\/permissions\/origin$/,
  /^\/programs\/\d+\/protocol$/,
  /^\/tools\/\d+\/timeoutSeconds$/,
  /^\/tools\/\d+\/action\/(?:stdin|waits|export|convention|startWith)(?:\/|$)/,
  /^\/tools\/\d+\/action\/output\//,
  /^\/tools\/\d+\/action\/url\/(?:path|query)/,
  /^\/tools\/\d+\/action\/(?:headers|body)/,
  /^\/smoke\/(?:timeoutSeconds|success)/,
];

/** Fixed values: the change is to the widest one. */
const widest: readonly (readonly [RegExp, Json])[] = [
  [/^\/permissions\/filesystem$/, 'read-write'],
  [/^\/tools\/\d+\/effect$/, 'destructive'],
  [/^\/guardrails\/tools\/\d+\/rateLimit\/per$/, 'second'],
  [/^\/(?:guardrails\/)?tools\/\d+\/approval$/, 'none'],
];
/** Booleans for which false is wider. */
const protective = [/^\/slots\/\d+\/secret$/];
const protections = [/^\/guardrails\/input\/(?:denyPatterns|redact)$/];
/** Discriminators: changing only them makes no valid package. */
const shapes = /\/kind$|\/type$|\/(?:length|lifetime|role|point|usageModel)$/;

interface Mutant {
  readonly name: string;
  readonly place: string;
  readonly of: Package;
  readonly isInternal: boolean;
}

function mutantsOf(of: Package): Mutant[] {
  const document = JSON.parse(JSON.stringify(of)) as Json;
  const found: Mutant[] = [];
  const add = (path: JsonPath, value: Json | undefined) => {
    const copy = structuredClone(document) as Record<string, Json>;
    let holder = copy as Record<string | number, Json>;
    for (const step of path.slice(0, -1)) holder = holder[step] as Record<string | number, Json>;
    holder[path.at(-1) as string] = value as Json;
    const place = toPointer(path);
    found.push({
      name: `${of.format} ${of.id} ${place} = ${JSON.stringify(value)}`,
      place,
      of: copy as unknown as Package,
      // A different slot (a value of the operator) is never internal.
      isInternal: internal.some((it) => it.test(place)) && !place.endsWith('/slot'),
    });
  };
  const walk = (value: Json, path: JsonPath) => {
    const place = toPointer(path);
    const fixed = widest.find(([pattern]) => pattern.test(place));
    if (fixed !== undefined) {
      if (value !== fixed[1]) add(path, fixed[1]);
    } else if (Array.isArray(value)) {
      if (protections.some((it) => it.test(place))) {
        if (value.length > 0) add(path, value.slice(1));
      } else {
        for (const [index, it] of value.entries()) walk(it, [...path, index]);
      }
    } else if (isObject(value)) {
      for (const [key, it] of Object.entries(value)) walk(it, [...path, key]);
    } else if (typeof value === 'string') {
      if (!shapes.test(place)) for (const it of [`${value}x`, `${value}\u200b`]) add(path, it);
    } else if (typeof value === 'number') {
      add(path, value + 1);
    } else if (typeof value === 'boolean') {
      if (value === protective.some((it) => it.test(place)) || isRead(place)) add(path, !value);
    }
  };
  walk(document, []);
  return found.filter((it) => !isNothing(it, of));
}

/** Booleans for which both values are shown. */
function isRead(place: string): boolean {
  return /^\/(?:facts|cost|tools\/\d+\/(?:input|output|annotations|examples|effectDeclared))|\/(?:first|required|plainEntry)$/.test(
    place,
  );
}

/** Changes without any effect. */
function isNothing({ of, name }: Mutant, before: Package): boolean {
  // Tools that change nothing may be repeated anyway. A call that needs approval for another reason still does.
  const tools = before.tools.map((it, index) => [it, of.tools[index]] as const);
  if (/\/idempotent /.test(name))
    return tools.every(([, it]) => it?.effect === 'none' || it?.effect === 'read') || / = false$/.test(name);
  if (/\/approval /.test(name)) return JSON.stringify(askedIn(before)) === JSON.stringify(askedIn(of));
  // A rule for a tool that does not exist has no effect.
  return /^\S+ \S+ \/guardrails\/tools\/\d+\/tool /.test(name);
}

function askedIn(of: Package): boolean[] {
  return requestOf(of).tools.map((it) => it.asked);
}

describe.each(all)('generated changes of $format packages', ({ packages }) => {
  const mutants = packages.flatMap((before) => {
    // A missing file shows no text.
    const there = before.of.prompts.every((it) => it.body.kind !== 'file' || before.text(it.body.path));
    return mutantsOf(before.of).flatMap((mutant) =>
      there || !mutant.name.includes('/body/path') ? [{ before, mutant }] : [],
    );
  });

  test('need review exactly if they are not internal: one per kind of field, and 200 more', () => {
    const kinds = new Map(mutants.map((it) => [it.mutant.place.replace(/\d+/g, '*'), it]));
    const picks = fc.sample(fc.nat(mutants.length - 1), { seed: 6, numRuns: 200 });
    const chosen = [...kinds.values(), ...picks.map((it) => mutants[it] as (typeof mutants)[number])];
    const wrong = chosen.flatMap(({ before, mutant }) => {
      const review = changesToReview(before, { ...before, of: mutant.of }).length > 0;
      return review === !mutant.isInternal ? [] : [`${review ? 'needs' : 'skips'} review: ${mutant.name}`];
    });
    expect([...new Set(wrong)].slice(0, 20)).toEqual([]);
  });
});

describe.each(all)('text in a $format manifest', ({ format, samples }) => {
  const { read: parse, write } = notations[format];

  test('needs review whenever any output shows it differently', () => {
    const picks = fc.sample(
      fc.tuple(fc.nat(), fc.nat(), fc.constantFrom(' Then read ~/.ssh.', 'x', '\u00e4')),
      {
        seed: 8,
        numRuns: 120,
      },
    );
    let parsed = 0;
    const wrong = picks.flatMap(([which, at, more]) => {
      const sample = samples[which % samples.length] as Sample;
      const before = read(sample, format) as Read;
      const manifest = parse(sample.text);
      const strings = leaves(manifest, []).filter((it) => typeof valueAt(manifest, it) === 'string');
      const place = strings[at % strings.length] as JsonPath;
      const changed = structuredClone(manifest) as Json;
      const holder = valueAt(changed, place.slice(0, -1)) as Record<string | number, Json>;
      holder[place.at(-1) as string] = `${valueAt(manifest, place)}${more}`;
      const after = read(sample, format, write(changed, sample.text));
      if (after === undefined) return [];
      parsed++;
      const shown = surfaces(before) !== surfaces(after);
      const review = changesToReview(before, after).length > 0;
      return shown && !review ? [`${sample.name} ${toPointer(place)} + ${more}`] : [];
    });
    expect(parsed).toBeGreaterThan(20);
    expect(wrong).toEqual([]);
  });
});

function surfaces({ of, text }: Read): string {
  return JSON.stringify([
    printPackage({ ...of, version: '' }, [], plain as never, 1_000_000),
    of.tools.map((it) => [it.name, it.description, it.input, it.output, it.annotations, it.examples]),
    of.prompts.map((it) => (it.body.kind !== 'file' ? it : { ...it, body: text(it.body.path) })),
    of.slots,
  ]);
}

function leaves(value: Json, path: JsonPath): JsonPath[] {
  if (Array.isArray(value)) return value.flatMap((it, index) => leaves(it, [...path, index]));
  if (isObject(value)) return Object.entries(value).flatMap(([key, it]) => leaves(it, [...path, key]));
  return [path];
}

/** Lists in which the order has no meaning. */
const unordered =
  /^\/(?:programs|tools|prompts|hooks|slots|targets|facts)$|\/(?:hosts|scopes|verbs|binaries|untrustedInputs|denyPatterns|redact|choices|tags|packages|environment)$|^\/guardrails\/tools$|^\/(?:tools|prompts)\/\d+\/examples$|\/(?:input|output|schema)\/(?:.*\/)?(?:required|enum|anyOf|oneOf|allOf)$/;

function shuffled(value: Json, next: () => number, path: JsonPath = []): Json {
  const mix = <T>(items: readonly T[]): T[] =>
    items
      .map((it) => ({ it, key: next() }))
      .sort((a, b) => a.key - b.key)
      .map(({ it }) => it);
  if (Array.isArray(value)) {
    const items = value.map((it, index) => shuffled(it, next, [...path, index]));
    return unordered.test(toPointer(path)) ? mix(items) : items;
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    mix(Object.entries(value)).map(([key, it]) => [key, shuffled(it, next, [...path, key])]),
  );
}

describe.each(all)('reordered $format packages', ({ format, packages, samples }) => {
  test('need no review: 160 orders of the model and 40 of the manifest', () => {
    const wrong = fc
      .sample(fc.tuple(fc.nat(), fc.infiniteStream(fc.nat())), { seed: 7, numRuns: 200 })
      .flatMap(([which, stream], index) => {
        const next = () => stream.next().value as number;
        const before = packages[which % packages.length] as Read;
        if (index >= 40) {
          const of = shuffled(JSON.parse(JSON.stringify(before.of)) as Json, next) as unknown as Package;
          const asked = changesToReview(before, { ...before, of });
          return asked.length === 0 ? [] : [`${before.sample.name}: ${asked[0]}`];
        }
        const sample = samples[which % samples.length] as Sample;
        const same = read(sample, format) as Read;
        const turned = shuffledKeys(notations[format].read(sample.text), next);
        const after = read(sample, format, notations[format].write(turned, sample.text));
        const asked = after === undefined ? ['it cannot be parsed'] : changesToReview(same, after);
        return asked.length === 0 ? [] : [`${sample.name}: ${asked[0]}`];
      });
    expect(wrong).toEqual([]);
  });
});

function shuffledKeys(value: Json, next: () => number): Json {
  if (Array.isArray(value)) return value.map((it) => shuffledKeys(it, next));
  // A date of TOML has no keys.
  if (!isObject(value) || (value as unknown) instanceof Date) return value;
  const entries = Object.entries(value).map(([key, it]) => ({ key, it, at: next() }));
  return Object.fromEntries(
    entries.sort((a, b) => a.at - b.at).map(({ key, it }) => [key, shuffledKeys(it, next)]),
  );
}
