// Checks the examples in docs/diagnostics.md: the bad one has the diagnostic, the good one does not.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'smol-toml';
import { expect, test } from 'vitest';
import { memoryBundle } from '../../bundle/memory-bundle.js';
import { builtInFormats } from '../built-in-formats.js';
import { diagnosticCodesOf } from '../diagnostic-codes.js';
import { defaultParseOptions } from '../index.js';
import { nexoCodes } from './codes.js';
import { nexo } from './format.js';

const diagnosticCodes = diagnosticCodesOf(builtInFormats);
const document = readFileSync(join(import.meta.dirname, '../../../docs/diagnostics.md'), 'utf8');
const page = document.slice(document.indexOf('\n# nexo\n'));
const entries = page.split(/^## /m).slice(1);

test('docs/diagnostics.md has one entry for each code, in catalog order', () => {
  const described = entries.map((it) => /^`([^`]+)`\n+[*_](\w+)\./.exec(it)?.slice(1));
  expect(described).toEqual(Object.entries(nexoCodes));
});

test.each(entries.map((it) => [/^`([^`]+)`/.exec(it)?.[1] as string, it]))(
  'the examples of %s are correct',
  (code, entry) => {
    const [bad, good] = [...entry.matchAll(/^(?:~~~|```)(\w+)\n([\s\S]*?)\n(?:~~~|```)$/gm)];
    expect(codes(bad, code)).toContain(code);
    const remaining = codes(good, code).filter((it) => diagnosticCodes[it] !== 'info');
    expect(remaining).toEqual([]);
  },
);

/** Adds the required tables that an example omits. */
function codes(example: RegExpExecArray | undefined, code: string) {
  const [, language, text = ''] = example ?? [];
  const tables = language === 'toml' ? (parse(text) as Record<string, object>) : {};
  const manifest = {
    capabilities: { tools: ['next_tide'] },
    transport: { type: 'stdio', command: './tides' },
    ...tables,
    plugin: { id: 'tide-tables', version: '1.0.0', ...tables.plugin },
  };
  const sidecar = code === 'nexo.sidecar-ignored' ? '{ "mcpServers": {} }' : text;
  const sidecarFile = language === 'json' || code === 'nexo.sidecar-ignored' ? { '.mcp.json': sidecar } : {};
  const bundle = memoryBundle({ ...sidecarFile, 'plugin.toml': stringify(manifest) }, 'plugin.toml');
  return nexo.parse(bundle, defaultParseOptions).diagnostics.map((it) => it.code);
}
