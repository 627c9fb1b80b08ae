import { describe, expect, test } from 'vitest';
import { parseToml } from '../../../src/formats/document/toml.js';
import { processorMs } from '../../support/processor-time.js';

describe('hostile TOML is parsed in bounded time', () => {
  const fill = (piece: string) => piece.repeat(Math.floor((1024 * 1024 - 64) / piece.length));
  const numbered = (line: (n: number) => string, count: number) =>
    Array.from({ length: count }, (_, n) => line(n)).join('\n');

  test.each<[string, string, string | undefined]>([
    ['nested lists', `a = ${fill('[')}`, 'syntax.too-deep'],
    ['nested tables', `a = ${fill('{a=')}`, 'syntax.too-deep'],
    ['a dotted key', `${fill('a.')}b = 1`, 'syntax.too-deep'],
    ['a dotted header', `[${fill('a.')}b]`, 'syntax.too-deep'],
    ['only brackets', fill('[[[['), 'syntax.too-deep'],
    ['depth by header and key', `[${'a.'.repeat(40)}b]\n${'c.'.repeat(40)}d = 1`, 'syntax.too-deep'],
    ['a million numbers', `a = [${fill('1,')}]`, 'syntax.too-many-values'],
    ['a million headers', fill('[[a]]\n'), 'syntax.too-many-values'],
    ['one repeated key', fill('a=1\n'), 'syntax.too-many-values'],
    ['many keys', numbered((n) => `k${n} = 1`, 90_000), undefined],
    ['many headers', numbered((n) => `[t${n}]`, 90_000), undefined],
    ['many inf', `a = [${'inf,'.repeat(90_000)}]`, 'syntax.not-json-value'],
    ['many dates', `a = [${fill('1979-05-27T07:32:00Z,')}]`, undefined],
    ['a long number', `a = ${fill('1')}`, 'syntax.not-json-value'],
    ['a long float', `a = 1e${fill('1')}`, 'syntax.not-json-value'],
    ['a long key', `${fill('a')} = inf`, 'syntax.not-json-value'],
    ['an unclosed string', `a = "${fill('\\"')}`, 'syntax.toml'],
    ['an unclosed multi-line string', `a = """${fill('""x')}`, 'syntax.toml'],
    ['escapes', `a = "${fill('\\u0041')}"`, undefined],
    ['carriage returns', `a = ${fill('\r')}`, 'syntax.toml'],
    ['comments', `a = [${fill('#\n')}]`, undefined],
  ])('%s', (_, text, code) => {
    const start = processorMs();
    const document = parseToml(text);
    document.locate(['k1']);
    expect(document.problems[0]?.code).toBe(code);
    expect(processorMs() - start).toBeLessThan(5_000);
  });
});
