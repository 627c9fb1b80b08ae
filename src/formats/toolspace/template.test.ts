import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseTemplate } from './template.js';

describe('tokens of actions', () => {
  test.each([
    ['plain', [{ kind: 'text', text: 'plain' }]],
    ['', []],
    ['$HOME 5$ {x}', [{ kind: 'text', text: '$HOME 5$ {x}' }]],
    [`\${input.a}`, [{ kind: 'input', path: ['a'] }]],
    [`\${input.a.b-c.0}`, [{ kind: 'input', path: ['a', 'b-c', '0'] }]],
    [`\${env.API_KEY}`, [{ kind: 'slot', slot: 'API_KEY' }]],
    [
      `x=\${input.a}&y=\${env.B}!`,
      [
        { kind: 'text', text: 'x=' },
        { kind: 'input', path: ['a'] },
        { kind: 'text', text: '&y=' },
        { kind: 'slot', slot: 'B' },
        { kind: 'text', text: '!' },
      ],
    ],
    [
      `$\${input.a}`,
      [
        { kind: 'text', text: '$' },
        { kind: 'input', path: ['a'] },
      ],
    ],
  ])('%j is parsed without problems', (text, parts) => {
    expect(parseTemplate(text)).toEqual({ template: { parts }, problems: [] });
  });

  test.each([
    [`\${input.a`, `\${input.a`],
    [`a \${`, `\${`],
    [`\${}`, `\${}`],
    [`\${input}`, `\${input}`],
    [`\${input.}`, `\${input.}`],
    [`\${input..a}`, `\${input..a}`],
    [`\${input. a}`, `\${input. a}`],
    [`\${Input.a}`, `\${Input.a}`],
    [`\${env.}`, `\${env.}`],
    [`\${env.A-B}`, `\${env.A-B}`],
    [`\${env.A.B}`, `\${env.A.B}`],
    [`\${ env.A }`, `\${ env.A }`],
    [`\${input.\${env.A}}`, `\${input.\${env.A}`],
  ])('%j is malformed', (text, token) => {
    expect(parseTemplate(text).problems.map((it) => it.token)).toEqual([token]);
  });

  test('the hint for the older syntax shows the newer one', () => {
    expect(parseTemplate(`\${API_KEY}`).problems).toEqual([
      {
        token: `\${API_KEY}`,
        reason: 'in actions, a token starts with "input." or "env."',
        hint: `write \${env.API_KEY}`,
      },
    ]);
  });
});

describe('tokens of the smoke test', () => {
  test('variables have no prefix', () => {
    expect(parseTemplate(`Bearer \${TOKEN}`, 'smoke').template.parts).toEqual([
      { kind: 'text', text: 'Bearer ' },
      { kind: 'slot', slot: 'TOKEN' },
    ]);
  });

  test.each([`\${env.TOKEN}`, `\${token}`, `\${input.a}`, `\${1A}`])('%s is malformed', (text) => {
    expect(parseTemplate(text, 'smoke').problems).toHaveLength(1);
  });
});

test('the parts of a template add up to the original text', () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom('action' as const, 'smoke' as const), (text, dialect) => {
      const { template, problems } = parseTemplate(text, dialect);
      if (problems.length > 0) return;
      const written = template.parts.map((part) => {
        if (part.kind === 'text') return part.text;
        if (part.kind === 'input') return `\${input.${part.path.join('.')}}`;
        return dialect === 'smoke' ? `\${${part.slot}}` : `\${env.${part.slot}}`;
      });
      expect(written.join('')).toBe(text);
    }),
  );
});
