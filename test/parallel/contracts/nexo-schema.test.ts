// Parts of the schema report no message of their own, because a rule checks the same. Both must agree.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { stringify } from 'smol-toml';
import { expect, test } from 'vitest';
import { memoryBundle } from '../../../src/bundle/memory-bundle.js';
import { parseToml } from '../../../src/formats/document/toml.js';
import { defaultParseOptions } from '../../../src/formats/index.js';
import { nexo } from '../../../src/formats/nexo/format.js';
import { validateNexo } from '../../../src/generated/nexo.js';
import { validateNexoSidecar } from '../../../src/generated/nexoSidecar.js';
import type { Json } from '../../../src/model/json.js';
import { change, mutate } from '../../support/contracts/mutants.js';

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

const rich = parseToml(
  readFileSync(join(import.meta.dirname, '../../fixtures/nexo/clean-full/plugin.toml'), 'utf8'),
).value as Json;
const sidecar: Json = {
  mcpServers: {
    a: { type: 'stdio', command: './a', args: ['x'], env: { K: 'v' }, cwd: 'd' },
    b: { url: 'https://example.com', headers: { H: 'v' } },
  },
};

test('a changed manifest that the schema rejects always has an error', () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
      const text = written(() => stringify(mutate(rich, changes) as Record<string, unknown>));
      const value = text === undefined ? undefined : parseToml(text).value;
      if (text === undefined || value === undefined || validateNexo(value)) return;
      expect(parse(text).diagnostics.some((it) => it.severity === 'error')).toBe(true);
    }),
    { numRuns: 3000 },
  );
});

test('a changed sidecar that the schema rejects always has an error', () => {
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

/** Undefined if the notation cannot represent the value, such as one that contains itself. */
function written(write: () => string): string | undefined {
  try {
    return write();
  } catch {
    return undefined;
  }
}
