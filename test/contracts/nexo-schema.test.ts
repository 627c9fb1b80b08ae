// Quiet parts of the schema rely on rules that say the same: neither may refuse alone.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { stringify } from 'smol-toml';
import { expect, test } from 'vitest';
import { readToml } from '../../src/formats/document/toml.js';
import { defaultParseOptions } from '../../src/formats/index.js';
import { nexo } from '../../src/formats/nexo/format.js';
import { validateNexo } from '../../src/generated/nexo.js';
import { validateNexoSidecar } from '../../src/generated/nexoSidecar.js';
import type { Json } from '../../src/model/json.js';
import { memoryBundle } from '../memory-bundle.js';
import { change, mutate } from './mutants.js';

const plain = `[plugin]
id = "tide-tables"
version = "0.3.1"

[capabilities]
tools = ["next_tide"]

[transport]
type = "stdio"
command = "./tides"
`;

const parse = (text: string, files: Record<string, string> = {}) =>
  nexo.parse(memoryBundle({ ...files, 'plugin.toml': text }, 'plugin.toml'), defaultParseOptions);

const rich = readToml(
  readFileSync(join(import.meta.dirname, '../fixtures/nexo/clean-full/plugin.toml'), 'utf8'),
).value as Json;
const sidecar: Json = {
  mcpServers: {
    a: { type: 'stdio', command: './a', args: ['x'], env: { K: 'v' }, cwd: 'd' },
    b: { url: 'https://example.com', headers: { H: 'v' } },
  },
};

test('what the schema refuses is an error, whatever was changed in a manifest', () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
      const text = written(() => stringify(mutate(rich, changes) as Record<string, unknown>));
      const value = text === undefined ? undefined : readToml(text).value;
      if (text === undefined || value === undefined || validateNexo(value)) return;
      expect(parse(text).diagnostics.some((it) => it.severity === 'error')).toBe(true);
    }),
    { numRuns: 3000 },
  );
});

test('what the schema refuses is an error, whatever was changed in a sidecar', () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
      const text = written(() => JSON.stringify(mutate(sidecar, changes)));
      if (text === undefined || validateNexoSidecar(JSON.parse(text))) return;
      const { diagnostics } = parse(plain, { '.mcp.json': text });
      expect(diagnostics.some((it) => it.severity === 'error' && it.file === '.mcp.json')).toBe(true);
    }),
    { numRuns: 3000 },
  );
});

/** Undefined where the notation cannot write a mutant, such as one that contains itself. */
function written(write: () => string): string | undefined {
  try {
    return write();
  } catch {
    return undefined;
  }
}
