import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Template } from '../model/template.js';
import { fillHeader, fillJson, fillPath, fillQuery, fillText } from './fill.js';

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
    expect(fillPath(inPath, { a: 'x/y?z#w%00é' })).toBe('/v1/x%2Fy%3Fz%23w%2500%C3%A9/end');
    expect(fillPath(inPath, { a: 5 })).toBe('/v1/5/end');
  });

  test.each(['', '.', '..', 'a\nb', 'a\0b', '\ud800'])('refuses %j', (a) => {
    expect(() => fillPath(inPath, { a })).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  });

  test('cannot leave its place, whatever is put in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (a) => {
        let filled: string;
        try {
          filled = fillPath(inPath, { a });
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
    expect(fillQuery(hole, { a: 'x&b=c#d e' })).toBe('x%26b%3Dc%23d%20e');
  });
  test('leaves out what was not given', () => expect(fillQuery(hole, {})).toBeUndefined());
  test('needs every part of a longer text', () => {
    expect(() => fillQuery({ parts: [{ kind: 'text', text: 'id:' }, ...hole.parts] }, {})).toThrow(
      expect.objectContaining({ code: 'invalid_input' }),
    );
  });
});

describe('a header', () => {
  test.each(['a\r\nx: y', 'a\nb', 'a\0', 'ключ'])('refuses %j', (a) => {
    expect(() => fillHeader(hole, { a }, 'x-name')).toThrow(
      expect.objectContaining({ code: 'invalid_input' }),
    );
  });
  test('takes plain text', () => expect(fillHeader(hole, { a: 'tok en' }, 'x-name')).toBe('tok en'));
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
        { a: [1, { b: null }] },
      ),
    ).toEqual({
      n: [1, { b: null }],
      k: [1],
    });
  });
});

test('what is put in is never read as a template', () => {
  expect(fillText(hole, { a: '{a} ${env.HOME}' })).toBe('{a} ${env.HOME}');
  expect(() => fillText(hole, { a: { nested: 1 } })).toThrow(
    expect.objectContaining({ code: 'invalid_input' }),
  );
  expect(() => fillText({ parts: [{ kind: 'input', path: ['__proto__'] }] }, {})).toThrow(
    expect.objectContaining({ code: 'invalid_input' }),
  );
});
