// Names have no meaning: real traces with all tools and inputs renamed get the same verdicts.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/index.js';

const data = join(import.meta.dirname, '../../../../shared/data');
const own = join(import.meta.dirname, '../../../bench/taint');
const files = [
  ['agentdyn', join(data, 'agentdyn-replay.json.gz'), join(data, 'agentdyn-effects.json')],
  ['agentdojo', join(data, 'agentdojo-replay.json.gz'), join(own, 'agentdojo-effects.json')],
] as const;

const names = new Map<string, string>();

/** Another name for each name: `n` and some letters. */
function renamed(name: string): string {
  let found = names.get(name);
  if (found === undefined) {
    const number = names.size.toString(26);
    found = `n${[...number].map((it) => String.fromCharCode(97 + Number.parseInt(it, 26))).join('')}`;
    names.set(name, found);
  }
  return found;
}

/** With other names for all members, at any depth. */
function renamedKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(renamedKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, it]) => [renamed(key), renamedKeys(it)]));
}

/** All tools and their inputs with other names, in tools, traces and labels alike. */
function renameAll(value: Json, key = ''): Json {
  if (Array.isArray(value)) return value.map((it) => renameAll(it, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, it]): [string, Json] => {
      if (name === 'tool' && typeof it === 'string') return [name, renamed(it)];
      if (key === 'tools' && name === 'name') return [name, renamed(String(it))];
      if (name === 'args' || (name === 'inputs' && typeof it === 'object')) return [name, renamedKeys(it)];
      if (name !== 'properties') return [name, renameAll(it, name)];
      const fields = Object.entries(it as JsonObject);
      return [name, Object.fromEntries(fields.map(([field, schema]) => [renamed(field), renameAll(schema)]))];
    }),
  );
}

for (const [name, file, labels] of files)
  test.skipIf(!existsSync(file))(
    `the traces of ${name} have the same verdicts under other names (needs ../shared/data)`,
    async () => {
      const { engine } = await import(join(own, 'engine.mjs'));
      const { measure } = await import(join(own, 'measure.mjs'));
      const core = await engine();
      const traces = JSON.parse(gunzipSync(readFileSync(file)).toString('utf8'));
      const effects = JSON.parse(readFileSync(labels, 'utf8'));
      const tools = Object.fromEntries(
        Object.entries(effects.tools as JsonObject).map(([tool, it]) => [
          renamed(tool),
          renameAll(it as Json),
        ]),
      );
      const original = { name: 'a', data: traces, effects: [effects] };
      const other = { name: 'b', data: renameAll(traces), effects: [{ ...effects, tools }] };
      for (const words of ['known', 'unknown', 'field'])
        for (const mode of ['standard', 'strict']) {
          const options = { words, mode, concat: 1 };
          const { missed: _, ...expected } = measure(core, original, options);
          expect(expected.attacks).toBeGreaterThan(300);
          const { missed: __, ...counts } = measure(core, other, options);
          expect(counts).toEqual(expected);
        }
      expect(names.size).toBeGreaterThan(80);
    },
    120_000,
  );
