// The published schema and the schema of the specification must agree on every JSON value: schema.* findings
// appear exactly when the schema of the specification rejects the value.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { validateToolspace } from '../../../src/generated/toolspace.js';
import type { Json } from '../../../src/model/json.js';
import { codesOf, fixtureTexts, mutant, parseText, replacements } from '../../support/toolspace-sample.js';

const document = join(import.meta.dirname, '../../../../shared/seeds/002_f51896a305402fbf.txt');
const present = existsSync(document);

describe.skipIf(!present)("same verdict as the document's schema (needs ../shared/seeds)", () => {
  const accepts = present ? oracle() : () => false;
  const verdicts = { accepted: 0, rejected: 0 };

  const agree = (value: Json) => {
    const text = JSON.stringify(value);
    const expected = accepts(JSON.parse(text));
    verdicts[expected ? 'accepted' : 'rejected']++;
    const found = parseText(text).diagnostics.filter((it) => it.code.startsWith('schema.'));
    if (expected) expect(found).toEqual([]);
    else expect(found.length, text).toBeGreaterThan(0);
  };

  test('both schemas agree on mutants of valid manifests', () => {
    fc.assert(fc.property(mutant, agree), { numRuns: 6000 });
    // A comparison that only ever sees one verdict compares nothing.
    expect(verdicts.accepted).toBeGreaterThan(300);
    expect(verdicts.rejected).toBeGreaterThan(1000);
  }, 120_000);

  test('both schemas agree when any part is replaced by any significant value', () => {
    let compared = 0;
    for (const value of replacements()) {
      compared++;
      if (validateToolspace(value) !== accepts(value)) expect(value).toBe('judged alike');
    }
    expect(compared).toBeGreaterThan(50_000);
  });

  test('both schemas agree on any JSON value', () => {
    fc.assert(fc.property(fc.jsonValue() as fc.Arbitrary<Json>, agree), { numRuns: 1500 });
  });

  test('both schemas agree on any URL and email address', () => {
    const [base] = fixtureTexts().filter((it) => it.name.startsWith('accept-everything/'));
    const manifest = JSON.parse(base?.text ?? '');
    const url = fc.oneof(
      fc.webUrl(),
      fc.string(),
      fc.string().map((it) => `https://${it}`),
      fc.ipV6(),
    );
    const mail = fc.oneof(
      fc.emailAddress(),
      fc.string(),
      fc.string().map((it) => `${it}@example.com`),
    );
    const samples = fc.tuple(url, mail).map(([homepage, email]) => ({
      ...manifest,
      tool: { ...manifest.tool, homepage, author: { email } },
    }));
    fc.assert(fc.property(samples, agree), { numRuns: 2000 });
  });

  test.each(fixtureTexts())('both schemas agree on the fixture $name', ({ text }) => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      expect(codesOf(parseText(text)).filter((it) => it.startsWith('schema.'))).toEqual([]);
      return;
    }
    const found = codesOf(parseText(text)).some((it) => it.startsWith('schema.'));
    expect(found).toBe(!accepts(value));
  });
});

function oracle(): (value: unknown) => boolean {
  const ajv = new Ajv2020.default({ strict: false });
  addFormats.default(ajv, ['uri', 'email']);
  return ajv.compile(JSON.parse(readFileSync(document, 'utf8')));
}
