import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../model/json.js';
import type { SlotValue } from '../model/slot.js';
import type { Template } from '../model/template.js';
import { fillArgs, fillHeader, fillJson, fillPath, fillQuery, fillText, type Values } from './fill.js';

function given(input: Record<string, Json>, slots: Record<string, string> = {}): Values {
  const filled = Object.entries(slots).map(([name, value]): [string, SlotValue] => [
    name,
    { value, secret: true, recipients: { kind: 'any' } },
  ]);
  return { input, slots: new Map(filled) };
}

const hole: Template = { parts: [{ kind: 'input', path: ['a'] }] };
const inPath: Template = {
  parts: [
    { kind: 'text', text: '/v1/' },
    { kind: 'input', path: ['a'] },
    { kind: 'text', text: '/end' },
  ],
};

describe('a path', () => {
  test('keeps a value in its segment', () => {
    expect(fillPath(inPath, given({ a: 'x/y?z#w%00é' }))).toBe('/v1/x%2Fy%3Fz%23w%2500%C3%A9/end');
    expect(fillPath(inPath, given({ a: 5 }))).toBe('/v1/5/end');
  });

  test.each(['', '.', '..', 'a\nb', 'a\0b', '\ud800'])('refuses %j', (a) => {
    expect(() => fillPath(inPath, given({ a }))).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  });

  test('cannot leave its place, whatever is put in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (a) => {
        let filled: string;
        try {
          filled = fillPath(inPath, given({ a }));
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
  test('is one parameter, whatever is put in', () => {
    expect(fillQuery(hole, given({ a: 'x&b=c#d e' }))).toBe('x%26b%3Dc%23d%20e');
  });
  test('leaves out what was not given', () => expect(fillQuery(hole, given({}))).toBeUndefined());
  test('needs every part of a longer text', () => {
    expect(() => fillQuery({ parts: [{ kind: 'text', text: 'id:' }, ...hole.parts] }, given({}))).toThrow(
      expect.objectContaining({ code: 'invalid_input' }),
    );
  });
});

describe('a header', () => {
  test.each(['a\r\nx: y', 'a\nb', 'a\0', 'ключ'])('refuses %j', (a) => {
    expect(() => fillHeader(hole, given({ a }), 'x-name')).toThrow(
      expect.objectContaining({ code: 'invalid_input' }),
    );
  });
  test('takes plain text', () => expect(fillHeader(hole, given({ a: 'tok en' }), 'x-name')).toBe('tok en'));
});

describe('JSON', () => {
  test('keeps the type of a whole hole and leaves out what was not given', () => {
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
        given({ a: [1, { b: null }] }),
      ),
    ).toEqual({
      n: [1, { b: null }],
      k: [1],
    });
  });
});

test('what is put in is never read as a template', () => {
  expect(fillText(hole, given({ a: '{a} ${env.HOME}' }))).toBe('{a} ${env.HOME}');
  expect(fillText(hole, given({ a: { nested: 1 } }))).toBe('{"nested":1}');
  expect(() => fillText({ parts: [{ kind: 'input', path: ['__proto__'] }] }, given({}))).toThrow(
    expect.objectContaining({ code: 'invalid_input' }),
  );
});

describe('the words of a command', () => {
  const word = (text: string): Template => ({ parts: [{ kind: 'text', text }] });
  test('keep a value from becoming an option', () => {
    expect(() => fillArgs([word('find'), hole], given({ a: '--exec=rm' }))).toThrow(
      expect.objectContaining({ code: 'invalid_input' }),
    );
    expect(fillArgs([word('find'), word('--'), hole], given({ a: '--exec=rm' }))).toEqual([
      'find',
      '--',
      '--exec=rm',
    ]);
    expect(
      fillArgs([{ parts: [{ kind: 'text', text: '--name=' }, ...hole.parts] }], given({ a: '-x' })),
    ).toEqual(['--name=-x']);
    expect(fillArgs([hole], given({ a: -5 }))).toEqual(['-5']);
    expect(fillArgs([hole], given({ a: '-1.5e3' }))).toEqual(['-1.5e3']);
    for (const a of ['-1rf', '-.x', '-', '--'])
      expect(() => fillArgs([hole], given({ a }))).toThrow(
        expect.objectContaining({ code: 'invalid_input' }),
      );
  });
  test('are one word each, whatever is put in', () => {
    expect(fillArgs([hole], given({ a: 'two words; $(rm) "x"\nline' }))).toEqual([
      'two words; $(rm) "x"\nline',
    ]);
    expect(() => fillArgs([hole], given({ a: 'nul\0' }))).toThrow();
    expect(() => fillArgs([hole], given({ a: ['list'] }))).toThrow();
    expect(() => fillArgs([hole], given({}))).toThrow(/needed/);
  });
});

describe('a slot', () => {
  const slot: Template = {
    parts: [
      { kind: 'text', text: 'Bearer ' },
      { kind: 'slot', slot: 'KEY' },
    ],
  };
  test('goes where it is named', () => {
    expect(fillHeader(slot, given({}, { KEY: 'k1' }), 'authorization')).toBe('Bearer k1');
  });
  test('that is empty leaves its header out and is an error in a text', () => {
    expect(fillHeader(slot, given({}), 'authorization')).toBeUndefined();
    expect(() => fillText(slot, given({}))).toThrow(expect.objectContaining({ code: 'needs_setup' }));
  });
});
