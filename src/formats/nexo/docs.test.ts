// The examples in docs/diagnostics.md show what they say: the bad one has the finding, the good one has not.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'smol-toml';
import { expect, test } from 'vitest';
import { memoryBundle } from '../../../test/memory-bundle.js';
import { nexoCodes } from '../../model/codes/nexo.js';
import { diagnosticCodes } from '../../model/codes.js';
import { defaultParseOptions } from '../index.js';
import { nexo } from './format.js';

const document = readFileSync(join(import.meta.dirname, '../../../docs/diagnostics.md'), 'utf8');
const page = document.slice(document.indexOf('\n# nexo\n'));
const entries = page.split(/^## /m).slice(1);

test('there is one entry for each code, in the order of the catalog', () => {
  const described = entries.map((it) => /^`([^`]+)`\n+[*_](\w+)\./.exec(it)?.slice(1));
  expect(described).toEqual(Object.entries(nexoCodes));
});

test.each(entries.map((it) => [/^`([^`]+)`/.exec(it)?.[1] as string, it]))('%s', (code, entry) => {
  const [bad, good] = [...entry.matchAll(/^(?:~~~|```)(\w+)\n([\s\S]*?)\n(?:~~~|```)$/gm)];
  expect(codes(bad, code)).toContain(code);
  const left = codes(good, code).filter((it) => diagnosticCodes[it] !== 'info');
  expect(left).toEqual([]);
});

/** Tables that an example leaves out are as in the simplest manifest. */
function codes(example: RegExpExecArray | undefined, code: string) {
  const [, language, text = ''] = example ?? [];
  const shown = language === 'toml' ? (parse(text) as Record<string, object>) : {};
  const manifest = {
    capabilities: { tools: ['next_tide'] },
    transport: { type: 'stdio', command: './tides' },
    ...shown,
    plugin: { id: 'tide-tables', version: '1.0.0', ...shown.plugin },
  };
  const sidecar = code === 'nexo.sidecar-ignored' ? '{ "mcpServers": {} }' : text;
  const beside = language === 'json' || code === 'nexo.sidecar-ignored' ? { '.mcp.json': sidecar } : {};
  const bundle = memoryBundle({ ...beside, 'plugin.toml': stringify(manifest) }, 'plugin.toml');
  return nexo.parse(bundle, defaultParseOptions).diagnostics.map((it) => it.code);
}
