import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { editToml, type TomlValue } from './toml-edit.js';

function edited(text: string, key: string, value: TomlValue | undefined): string {
  const edit = editToml(text, key.split('.'), value);
  if (!edit.ok) throw new Error(edit.conflict);
  return edit.text;
}

test.each<[string, string, TomlValue | undefined, string]>([
  ['', 'limits.seconds', 5, '[limits]\nseconds = 5\n'],
  ['', 'paths', ['a b', 'c'], 'paths = ["a b", "c"]\n'],
  [
    '# mine\n\n[limits]\nseconds = 60 # a minute\n',
    'limits.seconds',
    5,
    '# mine\n\n[limits]\nseconds = 5 # a minute\n',
  ],
  [
    '[limits]\nseconds = 60\n\n# next\n[audit]\n',
    'limits.processes',
    9,
    '[limits]\nseconds = 60\nprocesses = 9\n\n# next\n[audit]\n',
  ],
  ['limits.seconds = 60\n', 'limits.processes', 9, 'limits.seconds = 60\nlimits.processes = 9\n'],
  ['limits = { seconds = 60 }\n', 'limits.processes', 9, 'limits = { seconds = 60, processes = 9 }\n'],
  ['limits = {}\n', 'limits.processes', 9, 'limits = { processes = 9 }\n'],
  ['[limits]\n', 'limits.processes', 9, '[limits]\nprocesses = 9\n'],
  [
    '[http]\noidc.audience = "x"\n',
    'http.oidc.issuer',
    'y',
    '[http]\noidc.audience = "x"\noidc.issuer = "y"\n',
  ],
  ['[[rules]]\ntool = "*"\n', 'paths', ['x'], 'paths = ["x"]\n\n[[rules]]\ntool = "*"\n'],
  [
    '# about rules\n[[rules]]\ntool = "*"\n',
    'limits.seconds',
    1,
    '# about rules\n[[rules]]\ntool = "*"\n\n[limits]\nseconds = 1\n',
  ],
  ['a = 1\r\n', 'paths', ['x'], 'a = 1\r\npaths = ["x"]\r\n'],
  ['seen = "1"', 'paths', ['x'], 'seen = "1"\npaths = ["x"]\n'],
  ['# keep\npaths = ["x"] # gone\n# keep too\n', 'paths', undefined, '# keep\n# keep too\n'],
  [
    'limits = { seconds = 60, processes = 9 }\n',
    'limits.processes',
    undefined,
    'limits = { seconds = 60 }\n',
  ],
  ['limits = { seconds = 60, processes = 9 }\n', 'limits.seconds', undefined, 'limits = { processes = 9 }\n'],
  ['a = 1\n', 'paths', undefined, 'a = 1\n'],
])('%j, %s = %j', (text, key, value, result) => {
  expect(edited(text, key, value)).toBe(result);
});

test('names that are not bare keys are quoted', () => {
  const path = ['servers', 'a.b', 'with space'];
  const edit = editToml('', path, 'x');
  expect(edit).toEqual({ ok: true, text: '[servers."a.b"]\n"with space" = "x"\n' });
});

test('a comment inside the value is never lost', () => {
  const text = 'paths = [\n  "a", # the first\n]\n';
  expect(editToml(text, ['paths'], ['b'])).toMatchObject({ ok: false, offset: 17 });
  expect(editToml(text, ['paths'], undefined)).toMatchObject({ ok: false });
});

describe('for any document of these parts', () => {
  const keys = ['paths', 'limits.seconds', 'limits.processes', 'http.oidc.issuer', 'trusted'];
  const line = fc.constantFrom('# note', '', 'paths = ["a"]', 'limits.seconds = 3', 'trusted = []');
  const table = fc.constantFrom(
    '[limits]\n# note\nprocesses = 4 # few',
    '[http.oidc]\nissuer = "https://a"',
    '[http]\noidc.audience = "b"',
    '[[rules]]\ntool = "x"',
  );
  const document = fc
    .tuple(fc.array(line, { maxLength: 4 }), fc.array(table, { maxLength: 3 }))
    .map(([lines, tables]) => [...lines, ...tables, ''].join('\n'))
    .filter(isValid);

  test('exactly the one value changes, and every comment stays', () => {
    fc.assert(
      fc.property(document, fc.constantFrom(...keys), fc.string(), (text, key, value) => {
        const result = edited(text, key, value);
        const expected = structuredClone(parse(text)) as Record<string, unknown>;
        setAt(expected, key.split('.'), value);
        expect(parse(result)).toEqual(expected);
        for (const comment of ['# note', '# few'])
          expect(result.split(comment).length).toBe(text.split(comment).length);
        expect(parse(edited(result, key, undefined))).toEqual(withoutKey(expected, key.split('.')));
      }),
    );
  });
});

function isValid(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

function setAt(root: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [first = '', ...rest] = path;
  if (rest.length === 0) root[first] = value;
  else {
    root[first] ??= {};
    setAt(root[first] as Record<string, unknown>, rest, value);
  }
}

/** A table that became empty may stay. */
function withoutKey(root: Record<string, unknown>, path: readonly string[]): unknown {
  const [first = '', ...rest] = path;
  if (rest.length === 0) delete root[first];
  else withoutKey(root[first] as Record<string, unknown>, rest);
  return expect.objectContaining(
    Object.fromEntries(
      Object.entries(root).filter(
        ([, value]) => JSON.stringify(value) !== '{}' && JSON.stringify(value) !== '{"oidc":{}}',
      ),
    ),
  );
}
