// Every folder test/fixtures/<format>/<case> is a test: its manifests are discovered and checked, and the
// findings must equal its expect.txt, one per line. An empty expect.txt means no findings.
// UPDATE_FIXTURES=1 writes the files again; read the diff before you commit it.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { discover } from '../../../src/bundle/discover.js';
import { builtInFormats, type FormatName } from '../../../src/formats/built-in-formats.js';
import { formatNamed, inspect } from '../../../src/formats/index.js';
import { compareDiagnostics, type Diagnostic } from '../../../src/model/diagnostic.js';

const root = join(import.meta.dirname, '../../fixtures');

for (const { name: format } of builtInFormats) {
  const folder = join(root, format);
  if (!existsSync(folder)) continue;
  describe(`fixtures/${format}`, () => {
    for (const name of readdirSync(folder).sort()) {
      test(name, () => {
        const home = join(folder, name);
        const expected = join(home, 'expect.txt');
        const actual = check(home, format)
          .map((it) => `${line(it)}\n`)
          .join('');
        if (process.env.UPDATE_FIXTURES === '1') writeFileSync(expected, actual);
        expect(actual).toBe(readFileSync(expected, 'utf8'));
      });
    }
  });
}

function check(home: string, format: FormatName): Diagnostic[] {
  // Python files are named one by one, because most Python files in a folder are not tools.
  const named = format === 'patch' ? readdirSync(home).filter((it) => it.endsWith('.py')) : [];
  const { found, problems } = discover(named.length === 0 ? ['.'] : named, {
    cwd: home,
    formats: builtInFormats,
  });
  const mine = found.filter((it) => it.format.name === format);
  // A case that no format claims would test nothing.
  if (mine.length === 0 && problems.length === 0)
    throw new Error(`no ${format} manifest was found in ${home}`);
  const findings = mine.flatMap((it) => inspect(formatNamed(format), it.bundle).diagnostics);
  return [...problems, ...findings].sort(compareDiagnostics);
}

function line(it: Diagnostic): string {
  return `${it.file}:${it.range.line}:${it.range.column} ${it.severity}[${it.code}] ${it.message}`;
}
