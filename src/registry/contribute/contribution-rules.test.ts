import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contributionRules } from './contribution-rules.js';

test('docs/design/contribute.md has each rule with its severity, and no other', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/design/contribute.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (`contribute\.[^|]*) \| (\w+) \|/gm)];
  const documented = rows.flatMap(([, codes = '', severity]) =>
    [...codes.matchAll(/`(contribute\.[a-z-]+)`/g)].map(([, code]) => [code, severity]),
  );
  const own = Object.entries(contributionRules).map(([code, { severity }]) => [code, severity]);
  expect(documented.sort()).toEqual(own.sort());
});
