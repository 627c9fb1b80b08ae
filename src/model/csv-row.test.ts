import { expect, test } from 'vitest';
import { csvRow } from './csv-row.js';

test('cells are quoted, quotes are doubled, and null is empty', () => {
  expect(csvRow(['a', 'say "hi"', 'two\nlines', 12.5, -3, null])).toBe(
    '"a","say ""hi""","two\nlines",12.5,-3,\r\n',
  );
});

test.each([
  '=1+1',
  '+1',
  '-2+3',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '  =cmd',
  '＝1',
  "|calc.exe'",
  '=HYPERLINK("http://127.0.0.1","x")',
])('the text %j does not start a formula', (text) => {
  expect(csvRow([text])).toMatch(/^"'/);
});

test('text that only contains such characters stays as it is', () => {
  expect(csvRow(['a=b', 'http/agent', 'desk/add-note'])).toBe('"a=b","http/agent","desk/add-note"\r\n');
});
