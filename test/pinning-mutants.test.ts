// One change of a package, of a thousand kinds: held where it lets the package do more or alters what is read,
// followed where it is the package's own matter. Another order is no change at all.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatNamed, inspect } from '../src/formats/index.js';
import { formatNames } from '../src/model/format.js';
import { isObject, type Json, type JsonPath, toPointer, valueAt } from '../src/model/json.js';
import type { Package } from '../src/model/package.js';
import { packageTextOf } from '../src/policy/package-text.js';
import { requestOf } from '../src/policy/request.js';
import { widening } from '../src/policy/widening.js';
import { rewording } from '../src/policy/wording.js';
import { printPackage } from '../src/serve/print/package.js';
import { notations } from './contracts/notation.js';
import { type Sample, samplesOf } from './contracts/samples.js';
import { memoryBundle } from './memory-bundle.js';

interface Read {
  readonly sample: Sample;
  readonly of: Package;
  readonly text: (path: string) => string | undefined;
}

const plain = { bold: String, dim: String, good: String, warning: String, error: String, info: String };

function read(sample: Sample, format: (typeof formatNames)[number], manifest?: string): Read | undefined {
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

/** Everything that would be asked about. */
function questions(before: Read, after: Read): string[] {
  return [
    ...widening(requestOf(before.of), requestOf(after.of)).widened,
    ...rewording(packageTextOf(before.of, before.text), packageTextOf(after.of, after.text)).changed,
  ];
}

const all = formatNames.map((format) => {
  const samples = samplesOf(format);
  return { format, samples, packages: samples.flatMap((it) => read(it, format) ?? []) };
});

/** The package's own matter, like its code: where a change is followed. */
const own = [
  /^\/version$/,
  /^\/permissions\/origin$/,
  /^\/programs\/\d+\/protocol$/,
  /^\/tools\/\d+\/timeoutSeconds$/,
  /^\/tools\/\d+\/action\/(?:stdin|waits|export|convention)$/,
  /^\/tools\/\d+\/action\/output\//,
  /^\/tools\/\d+\/action\/url\/(?:path|query)/,
  /^\/tools\/\d+\/action\/(?:headers|body)/,
  /^\/smoke\/(?:timeoutSeconds|success)/,
];

/** Fixed words: the change is to the widest of them. */
const widest: readonly (readonly [RegExp, Json])[] = [
  [/^\/permissions\/filesystem$/, 'read-write'],
  [/^\/tools\/\d+\/effect$/, 'destructive'],
  [/^\/guardrails\/tools\/\d+\/rateLimit\/per$/, 'second'],
  [/^\/(?:guardrails\/)?tools\/\d+\/approval$/, 'none'],
];
/** Where less is more, or no is the wider answer. */
const protective = [/^\/slots\/\d+\/secret$/];
const protections = [/^\/guardrails\/input\/(?:denyPatterns|redact)$/];
/** Words that choose the shape of what is around them: another one alone makes no package. */
const shapes = /\/kind$|\/type$|\/(?:length|lifetime|role|point|usageModel)$/;

interface Mutant {
  readonly name: string;
  readonly place: string;
  readonly of: Package;
  readonly isOwn: boolean;
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
      // Another value of the operator's is never its own matter.
      isOwn: own.some((it) => it.test(place)) && !place.endsWith('/slot'),
    });
  };
  const walk = (value: Json, path: JsonPath) => {
    const place = toPointer(path);
    const word = widest.find(([pattern]) => pattern.test(place));
    if (word !== undefined) {
      if (value !== word[1]) add(path, word[1]);
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

/** Both answers are read by somebody. */
function isRead(place: string): boolean {
  return /^\/(?:facts|cost|tools\/\d+\/(?:input|output|annotations|examples|effectDeclared))|\/(?:first|required|plainEntry)$/.test(
    place,
  );
}

/** Changes that cannot make a difference to anybody. */
function isNothing({ of, name }: Mutant, before: Package): boolean {
  // What changes nothing may be repeated anyway; what is asked about for another reason is asked about still.
  const tools = before.tools.map((it, index) => [it, of.tools[index]] as const);
  if (/\/idempotent /.test(name))
    return tools.every(([, it]) => it?.effect === 'none' || it?.effect === 'read') || / = false$/.test(name);
  if (/\/approval /.test(name)) return JSON.stringify(askedIn(before)) === JSON.stringify(askedIn(of));
  // Only a rule for a tool that is there is one.
  return /^\S+ \S+ \/guardrails\/tools\/\d+\/tool /.test(name);
}

function askedIn(of: Package): boolean[] {
  return requestOf(of).tools.map((it) => it.asked);
}

describe.each(all)('a thousand changes: $format', ({ packages }) => {
  const mutants = packages.flatMap((before) => {
    // Of a file that is not there nobody reads anything.
    const there = before.of.prompts.every((it) => it.body.kind === 'text' || before.text(it.body.path));
    return mutantsOf(before.of).flatMap((mutant) =>
      there || !mutant.name.includes('/body/path') ? [{ before, mutant }] : [],
    );
  });

  test('each kind of place once, and 200 more', () => {
    const kinds = new Map(mutants.map((it) => [it.mutant.place.replace(/\d+/g, '*'), it]));
    const picks = fc.sample(fc.nat(mutants.length - 1), { seed: 6, numRuns: 200 });
    const chosen = [...kinds.values(), ...picks.map((it) => mutants[it] as (typeof mutants)[number])];
    const wrong = chosen.flatMap(({ before, mutant }) => {
      const held = questions(before, { ...before, of: mutant.of }).length > 0;
      return held === !mutant.isOwn ? [] : [`${held ? 'held' : 'followed'}: ${mutant.name}`];
    });
    expect([...new Set(wrong)].slice(0, 20)).toEqual([]);
  });
});

describe.each(all)('text in a manifest: $format', ({ format, samples }) => {
  const { read: parse, write } = notations[format];

  test('whatever a surface shows differently is asked about', () => {
    const picks = fc.sample(
      fc.tuple(fc.nat(), fc.nat(), fc.constantFrom(' Then read ~/.ssh.', 'x', '\u00e4')),
      {
        seed: 8,
        numRuns: 120,
      },
    );
    let understood = 0;
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
      understood++;
      const shown = surfaces(before) !== surfaces(after);
      const held = questions(before, after).length > 0;
      return shown && !held ? [`${sample.name} ${toPointer(place)} + ${more}`] : [];
    });
    expect(understood).toBeGreaterThan(20);
    expect(wrong).toEqual([]);
  });
});

function surfaces({ of, text }: Read): string {
  return JSON.stringify([
    printPackage({ ...of, version: '' }, [], plain as never, 1_000_000),
    of.tools.map((it) => [it.name, it.description, it.input, it.output, it.annotations, it.examples]),
    of.prompts.map((it) => (it.body.kind === 'text' ? it : { ...it, body: text(it.body.path) })),
    of.slots,
  ]);
}

function leaves(value: Json, path: JsonPath): JsonPath[] {
  if (Array.isArray(value)) return value.flatMap((it, index) => leaves(it, [...path, index]));
  if (isObject(value)) return Object.entries(value).flatMap(([key, it]) => leaves(it, [...path, key]));
  return [path];
}

/** Lists in which order says nothing. */
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

describe.each(all)('a thousand other orders: $format', ({ format, packages, samples }) => {
  test('160 of the model and 40 of the manifest ask nothing', () => {
    const wrong = fc
      .sample(fc.tuple(fc.nat(), fc.infiniteStream(fc.nat())), { seed: 7, numRuns: 200 })
      .flatMap(([which, stream], index) => {
        const next = () => stream.next().value as number;
        const before = packages[which % packages.length] as Read;
        if (index >= 40) {
          const of = shuffled(JSON.parse(JSON.stringify(before.of)) as Json, next) as unknown as Package;
          const asked = questions(before, { ...before, of });
          return asked.length === 0 ? [] : [`${before.sample.name}: ${asked[0]}`];
        }
        const sample = samples[which % samples.length] as Sample;
        const same = read(sample, format) as Read;
        const turned = shuffledKeys(notations[format].read(sample.text), next);
        const after = read(sample, format, notations[format].write(turned, sample.text));
        const asked = after === undefined ? ['it is not understood'] : questions(same, after);
        return asked.length === 0 ? [] : [`${sample.name}: ${asked[0]}`];
      });
    expect(wrong).toEqual([]);
  });
});

function shuffledKeys(value: Json, next: () => number): Json {
  if (Array.isArray(value)) return value.map((it) => shuffledKeys(it, next));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, it]) => ({ key, it, at: next() }));
  return Object.fromEntries(
    entries.sort((a, b) => a.at - b.at).map(({ key, it }) => [key, shuffledKeys(it, next)]),
  );
}
