import { expect, test } from 'vitest';
import { fixture, parseValue } from '../../../test/support/toolspace-sample.js';
import type { Explanation } from '../../host/host.js';
import { isSupportFact } from '../../model/support-facts.js';
import { printExplanation } from './explanation.js';
import { smokeTestText } from './lifecycle.js';
import { printPackage } from './package.js';
import { makeStyle } from './style.js';

const plain = makeStyle(false);
const pkg = parseValue(fixture('accept-everything')).package;
if (pkg === undefined) throw new Error('the fixture is valid');

test('info shows the smoke test, the estimate and support', () => {
  const text = printPackage(pkg, [], plain, 200);
  expect(text).toContain('Smoke test   runs its program smoke, within 300 s');
  expect(text).toContain('estimate: https://example.com/estimate');
  expect(text).toMatch(/^Support {6}issues: https:\/\/example\.com\/issues$/m);
  expect(text).toMatch(/^Other facts {2}about:/m);
  expect(text.split('issues: ')).toHaveLength(2);
});

test('an explanation shows them too, and the inputs that may be untrusted', () => {
  const explanation = {
    tool: 'a/b',
    verdict: 'allow',
    because: [],
    effect: { value: 'none', declared: true },
    taint: { mode: 'standard', untrusted: false, inputs: { to: 'destination' } },
    untrustedInputs: ['text', 'page'],
    trusted: false,
    inactive: [],
    policy: 'abc',
    permissions: {
      network: { kind: 'none' },
      filesystem: 'none',
      roots: null,
      granted: { network: [], read: [], write: [], environment: [] },
      denied: [],
    },
    limits: [],
    guardrails: { denyPatterns: [], redact: [], outputs: [], guesses: true, exempt: [] },
    smoke: pkg.smoke,
    cost: pkg.cost,
    support: pkg.facts.filter(isSupportFact),
  } as unknown as Explanation;
  const lines = printExplanation(explanation, 'me', plain).split('\n');
  expect(lines).toContain('  untrusted  data from untrusted sources may be in: text, page');
  expect(lines).toContain('  taint      standard; this session has seen no text of others');
  expect(lines).toContain('  inputs     to (destination)');
  expect(lines).toContain('  costs      estimate: https://example.com/estimate');
  expect(lines).toContain('  smoke test runs its program smoke, within 300 s');
  expect(lines).toContain('  support    issues: https://example.com/issues');
});

test.each([
  [{ kind: 'http', method: 'GET', url: 'https://a/b', headers: [] } as const, 'GET https://a/b, within 5 s'],
  [{ kind: 'tool', tool: 't', arguments: { a: 1 } } as const, 'calls t with {"a":1}, within 5 s'],
])('a smoke test %j', (check, text) => {
  const success = { pointers: [], noErrorField: false };
  expect(smokeTestText({ check, timeoutSeconds: 5, success })).toBe(text);
});
