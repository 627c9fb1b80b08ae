import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../model/json.js';
import type { SlotValue } from '../model/slot.js';
import type { Template } from '../model/template.js';
import {
  fillArgs,
  fillHeader,
  fillJson,
  fillPath,
  fillQuery,
  fillText,
  type TemplateValues,
} from './template-filling.js';

function values(input: Record<string, Json>, slots: Record<string, string> = {}): TemplateValues {
  const filled = Object.entries(slots).map(([name, value]): [string, SlotValue] => [
    name,
    { value, secret: true, recipients: { kind: 'any' } },
  ]);
  return { input, slots: new Map(filled) };
}

const placeholder: Template = { parts: [{ kind: 'input', path: ['a'] }] };
const inPath: Template = {
  parts: [
    { kind: 'text', text: '/v1/' },
    { kind: 'input', path: ['a'] },
    { kind: 'text', text: '/end' },
  ],
};

describe('a URL path', () => {
  test('keeps a value in its segment', () => {
    expect(fillPath(inPath, values({ a: 'x/y?z#w%00é' }))).toBe('/v1/x%2Fy%3Fz%23w%2500%C3%A9/end');
    expect(fillPath(inPath, values({ a: 5 }))).toBe('/v1/5/end');
  });

  test.each(['', '.', '..', 'a\nb', 'a\0b', '\ud800'])('rejects %j', (a) => {
    expect(() => fillPath(inPath, values({ a }))).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  });

  test('cannot be changed by any value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (a) => {
        let filled: string;
        try {
          filled = fillPath(inPath, values({ a }));
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_input' });
          return;
        }
        const url = new URL(`https://api.example.com${filled}`);
        expect(url.host).toBe('api.example.com');
        expect(url.pathname.split('/')).toHaveLength(4);
        expect([url.search, url.hash]).toEqual(['', '']);
        expect(decodeURIComponent(url.pathname.split('/')[2] as string)).toBe(a);
      }),
    );
  });
});

describe('a query', () => {
  test('is one parameter, whatever the value contains', () => {
    expect(fillQuery(placeholder, values({ a: 'x&b=c#d e' }))).toBe('x%26b%3Dc%23d%20e');
  });
  test('omits a parameter without a value', () => expect(fillQuery(placeholder, values({}))).toBeUndefined());
  test('requires every placeholder of a longer text', () => {
    expect(() =>
      fillQuery({ parts: [{ kind: 'text', text: 'id:' }, ...placeholder.parts] }, values({})),
    ).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  });
});

describe('a header', () => {
  test.each(['a\r\nx: y', 'a\nb', 'a\0', 'ключ'])('rejects %j', (a) => {
    expect(() => fillHeader(placeholder, values({ a }), 'x-name')).toThrow(
      expect.objectContaining({ code: 'invalid_input' }),
    );
  });
  test('accepts plain text', () =>
    expect(fillHeader(placeholder, values({ a: 'tok en' }), 'x-name')).toBe('tok en'));
});

describe('JSON', () => {
  test('keeps the type of a sole placeholder and omits members without a value', () => {
    const member = (name: string, path: string) =>
      ({
        name,
        value: { kind: 'template', template: { parts: [{ kind: 'input', path: [path] }] } },
      }) as const;
    expect(
      fillJson(
        {
          kind: 'object',
          members: [
            member('n', 'a'),
            member('gone', 'b'),
            { name: 'k', value: { kind: 'literal', value: [1] } },
          ],
        },
        values({ a: [1, { b: null }] }),
      ),
    ).toEqual({
      n: [1, { b: null }],
      k: [1],
    });
  });
});

test('a value is never parsed as a template', () => {
  expect(fillText(placeholder, values({ a: '{a} ${env.HOME}' }))).toBe('{a} ${env.HOME}');
  expect(fillText(placeholder, values({ a: { nested: 1 } }))).toBe('{"nested":1}');
  expect(() => fillText({ parts: [{ kind: 'input', path: ['__proto__'] }] }, values({}))).toThrow(
    expect.objectContaining({ code: 'invalid_input' }),
  );
});

describe('process arguments', () => {
  const arg = (text: string): Template => ({ parts: [{ kind: 'text', text }] });
  test('prevent a value from becoming an option', () => {
    expect(() => fillArgs([arg('find'), placeholder], values({ a: '--exec=rm' }))).toThrow(
      expect.objectContaining({ code: 'invalid_input' }),
    );
    expect(fillArgs([arg('find'), arg('--'), placeholder], values({ a: '--exec=rm' }))).toEqual([
      'find',
      '--',
      '--exec=rm',
    ]);
    expect(
      fillArgs([{ parts: [{ kind: 'text', text: '--name=' }, ...placeholder.parts] }], values({ a: '-x' })),
    ).toEqual(['--name=-x']);
    expect(fillArgs([placeholder], values({ a: -5 }))).toEqual(['-5']);
    expect(fillArgs([placeholder], values({ a: '-1.5e3' }))).toEqual(['-1.5e3']);
    for (const a of ['-1rf', '-.x', '-', '--'])
      expect(() => fillArgs([placeholder], values({ a }))).toThrow(
        expect.objectContaining({ code: 'invalid_input' }),
      );
  });
  test('are one argument each, whatever the value contains', () => {
    expect(fillArgs([placeholder], values({ a: 'two words; $(rm) "x"\nline' }))).toEqual([
      'two words; $(rm) "x"\nline',
    ]);
    expect(() => fillArgs([placeholder], values({ a: 'nul\0' }))).toThrow();
    expect(() => fillArgs([placeholder], values({ a: ['list'] }))).toThrow();
    expect(() => fillArgs([placeholder], values({}))).toThrow(/required/);
  });
});

describe('a slot', () => {
  const slot: Template = {
    parts: [
      { kind: 'text', text: 'Bearer ' },
      { kind: 'slot', slot: 'KEY' },
    ],
  };
  test('is filled in where it is named', () => {
    expect(fillHeader(slot, values({}, { KEY: 'k1' }), 'authorization')).toBe('Bearer k1');
  });
  test('without a value omits its header and is an error in a text', () => {
    expect(fillHeader(slot, values({}), 'authorization')).toBeUndefined();
    expect(() => fillText(slot, values({}))).toThrow(expect.objectContaining({ code: 'needs_setup' }));
  });
});
