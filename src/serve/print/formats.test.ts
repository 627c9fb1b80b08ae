import { expect, test } from 'vitest';
import type { Diagnostic } from '../../model/diagnostic.js';
import { printDiagnostics } from './diagnostics.js';
import { toGithub } from './github.js';
import { toSarif } from './sarif.js';
import { makeStyle } from './style.js';

const one: Diagnostic = {
  code: 'schema.enum',
  severity: 'error',
  message: 'unknown kind "shel"\u001B[2J',
  file: 'a b/x.json',
  range: { line: 2, column: 3, endLine: 2, endColumn: 9 },
  hint: 'did you mean "shell"? 100%, surely',
};

test('text output shows the source and the marked range', () => {
  const printer = { style: makeStyle(false), columns: 80, source: () => '{\n  "shel"\n}\n' };
  expect(printDiagnostics([one], printer)).toBe(
    [
      'error[schema.enum] unknown kind "shel"<U+001B>[2J',
      ' --> a b/x.json:2:3',
      '  |',
      '2 |   "shel"',
      '  |   ^^^^^^',
      '  = help: did you mean "shell"? 100%, surely',
      '',
    ].join('\n'),
  );
});

test('text output works without the source', () => {
  const printer = { style: makeStyle(false), columns: 80, source: () => undefined };
  expect(printDiagnostics([{ ...one, message: 'gone' }], printer)).toBe(
    'error[schema.enum] gone\n --> a b/x.json:2:3\n  = help: did you mean "shell"? 100%, surely\n',
  );
});

test('GitHub output escapes its values', () => {
  expect(toGithub([one])).toBe(
    '::error file=a b/x.json,line=2,col=3,endLine=2,endColumn=9,title=schema.enum::unknown kind "shel"\u001B[2J%0Adid you mean "shell"? 100%25, surely\n',
  );
});

test('SARIF output has the rule, the level and the position', () => {
  expect(toSarif([one], '1.2.3')).toMatchObject({
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'toolwharf', version: '1.2.3', rules: [{ id: 'schema.enum' }] } },
        results: [
          {
            ruleId: 'schema.enum',
            ruleIndex: 0,
            level: 'error',
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: 'a%20b/x.json' },
                  region: { startLine: 2, startColumn: 3, endColumn: 9 },
                },
              },
            ],
          },
        ],
      },
    ],
  });
});
