// Checks the examples in docs/diagnostics.md: the bad one has the diagnostic, the good one does not.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryBundle } from '../../bundle/memory-bundle.js';
import { defaultParseOptions } from '../index.js';
import { manifestName } from './claim.js';
import { mcpCodes } from './codes.js';
import { mcpParser } from './format.js';

const document = readFileSync(join(import.meta.dirname, '../../../docs/diagnostics.md'), 'utf8');
const page = document.slice(document.indexOf('\n# MCP\n'), document.indexOf('\n# nexo\n'));
const entries = page.split(/^## /m).slice(1);

test('docs/diagnostics.md has one entry for each code, in catalog order', () => {
  const described = entries.map((it) => /^`([^`]+)`\n+[*_](\w+)\./.exec(it)?.slice(1));
  expect(described).toEqual(Object.entries(mcpCodes));
});

test.each(entries.map((it) => [/^`([^`]+)`/.exec(it)?.[1] as string, it]))(
  'the examples of %s are correct',
  (code, entry) => {
    const [bad, good] = [...entry.matchAll(/^~~~json\n([\s\S]*?)\n~~~$/gm)].map((it) => it[1] ?? '');
    expect(codes(bad)).toContain(code);
    expect(codes(good)).toEqual([]);
  },
);

/** Adds the required members that an example omits. */
function codes(example = ''): string[] {
  const given = JSON.parse(`{${example}}`);
  const hasTarget = given.command !== undefined || given.url !== undefined;
  const manifest = {
    ...{ schema: 'toolwharf/mcp@1', name: 'notes' },
    ...(hasTarget ? {} : { command: 'notes-server' }),
    ...given,
  };
  const bundle = memoryBundle({ [manifestName]: JSON.stringify(manifest) }, manifestName);
  return mcpParser.parse(bundle, defaultParseOptions).diagnostics.map((it) => it.code);
}
