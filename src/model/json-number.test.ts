import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inexactNumber } from './json-number.js';

const exact = [
  '0',
  '-0',
  '1',
  '9007199254740991',
  '9007199254740992',
  '-9007199254740992',
  '10000000000000000',
  '1.5',
  '0.1',
  '1e2',
  '1E+2',
  '1e22',
  '1e23',
  '1.7976931348623157e308',
  '5e-324',
  '0e999',
  '0.000e400',
  '1.152921504606847e+18',
  '3.141592653589793238462643383279',
  '"9007199254740993"',
  '{"1e400":"1e400"}',
  '123456789.5',
];
const inexact: [string, string, string][] = [
  ['9007199254740993', '9007199254740993', ''],
  ['-9007199254740993', '-9007199254740993', ''],
  ['1152921504606846976', '1152921504606846976', ''],
  ['12345678901234567890', '12345678901234567890', ''],
  ['100000000000000000000000', '100000000000000000000000', ''],
  ['1e400', '1e400', ''],
  ['-1E400', '-1E400', ''],
  ['1e-400', '1e-400', ''],
  ['9007199254740993.0', '9007199254740993.0', ''],
  ['900719925474099.3e1', '900719925474099.3e1', ''],
  ['{"a":{"b/c":[1,2,1e400]}}', '1e400', '/a/b~1c/2'],
  ['{"a":[],"b":{"x":1},"c\\n":9007199254740993}', '9007199254740993', '/c\n'],
  ['[{"a":"9007199254740993"},[9007199254740993]]', '9007199254740993', '/1/0'],
];

describe('numbers in JSON', () => {
  test.each(exact)('%s keeps its value', (text) => {
    expect(inexactNumber(text)).toBeUndefined();
  });

  test.each(inexact)('%s would change, and is found', (text, number, pointer) => {
    expect(inexactNumber(text)).toEqual({ text: number, pointer });
  });

  test('whole numbers are exact only if parsing and printing keeps every digit', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }), fc.json(), (number, other) => {
        const text = `{"n":${number},"other":[1]}`;
        const keeps = JSON.stringify(JSON.parse(text)) === text;
        expect(inexactNumber(text) === undefined).toBe(keeps);
        // What JavaScript prints is never rejected.
        expect(inexactNumber(JSON.stringify(JSON.parse(other)))).toBeUndefined();
      }),
    );
  });
});
