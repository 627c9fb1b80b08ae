import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/model/json.js';
import { processorMs } from '../../support/processor-time.js';
import { fixture, parseText } from '../../support/toolspace-sample.js';

describe('a hostile Toolspace manifest is parsed in bounded time', () => {
  const everything = () => JSON.stringify(fixture('accept-everything'));
  const long = 'a'.repeat(900_000);
  /** Valid but unusual manifests: they have no diagnostics, and must be cheap to parse. */
  const harmless = ['a long URL', 'a slow pattern'];

  test.each<[string, () => string]>([
    ['200,000 nested lists', () => '['.repeat(200_000)],
    ['a long id', () => everything().replace('"line-counter"', `"${long}"`)],
    ['a long URL', () => everything().replace('https://example.com/docs', `https://${long}!`)],
    [
      'a long URL of slashes',
      () => everything().replace('https://example.com/docs', `https://${'/'.repeat(9e5)} `),
    ],
    ['a long email address', () => everything().replace('author@example.com', `${'a.'.repeat(4e5)}@`)],
    ['a long version', () => everything().replace('"1.0.0"', `"1.0.0-${long}!"`)],
    ['many tokens', () => everything().replace(`\${input.file}`, `\${input.x}\${`.repeat(80_000))],
    ['a long path token', () => everything().replace(`\${input.file}`, `\${input.${'a.'.repeat(4e5)}b}`)],
    ['a slow pattern', () => everything().replace('[0-9]{1,5}', `(${'(a+)+'.repeat(5000)})$`)],
    ['deep groups', () => everything().replace('[0-9]{1,5}', '('.repeat(500_000))],
    ['many unknown fields', () => `{${Array.from({ length: 45_000 }, (_, n) => `"k${n}":1`).join()}}`],
    [
      'many wrong headers',
      () =>
        JSON.stringify(fixture('accept-http')).replace(
          '"headers":{',
          `"headers":{${Array.from({ length: 40_000 }, (_, n) => `"${n} x":1`).join()},`,
        ),
    ],
    [
      'a schema with exponential references',
      () => {
        const twice = { anyOf: [{ $ref: '#' }, { $ref: '#' }], allOf: [{ $ref: '#' }, { $ref: '#' }] };
        const manifest = fixture('accept-everything') as { actions: readonly JsonObject[] };
        return JSON.stringify({ ...manifest, actions: [{ ...manifest.actions[0], input: twice }] });
      },
    ],
  ])('%s', (name, make) => {
    const text = make();
    const start = processorMs();
    const { diagnostics } = parseText(text);
    expect(processorMs() - start).toBeLessThan(4000);
    expect(diagnostics.length > 0).toBe(!harmless.includes(name));
  });
});
