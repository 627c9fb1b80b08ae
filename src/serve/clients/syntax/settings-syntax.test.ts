import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonSettings } from './json-settings.js';
import type { SettingsPath } from './settings-syntax.js';
import { tomlSettings } from './toml-settings.js';
import { yamlSettings } from './yaml-settings.js';

const entry = { command: 'node', args: ['a b', '--x=ü'], enabled: true };

describe.each([
  ['yaml', yamlSettings, ['servers', 'tool']],
  ['yaml list', yamlSettings, ['list', { named: 'tool' }]],
  ['toml', tomlSettings, ['servers', 'tool']],
] as const)('%s', (kind, syntax, path) => {
  const value = kind === 'yaml list' ? { name: 'tool', ...entry } : entry;
  const parts =
    kind === 'toml'
      ? [
          '# note',
          'a = 1 # one',
          '[other]\nb = "x"',
          '[servers.one]\ncommand = "x"\n\n[servers.one.env]\nK = "v"',
          '',
        ]
      : [
          '# note',
          'a: 1 # one',
          'other:\n  b: x\n  c: [1, 2]',
          'servers:\n  # first\n  one:\n    command: x\n    args:\n      - a',
          'list:\n  - name: one\n    command: x # here',
          '',
        ];
  const empties =
    kind === 'toml'
      ? []
      : [
          'servers: {}',
          'servers:',
          'list: []',
          'list:',
          'list: [{name: one}]',
          'servers: {one: {command: x}}',
        ];
  const document = fc
    .uniqueArray(fc.constantFrom(...parts, ...empties), { selector: (it) => it.split(/[:.\]=]/)[0] ?? '' })
    .map(
      (them) =>
        `${them.filter((it) => it.startsWith('a ') || it.startsWith('#')).join('\n')}\n${them.filter((it) => !it.startsWith('a ') && !it.startsWith('#')).join('\n')}`,
    );

  test('a value that is set is found, can be changed, and is gone after removing it', () => {
    fc.assert(
      fc.property(document, fc.boolean(), (text, isCrlf) => {
        const before = isCrlf ? text.replaceAll('\n', '\r\n') : text;
        const added = syntax.set(before, path as SettingsPath, value);
        expect(syntax.find(added, path as SettingsPath)).toEqual(value);
        for (const line of before.split(/\r?\n/).filter((it) => it.startsWith('#')))
          expect(added).toContain(line);
        const changed = syntax.set(added, [...path, 'args'] as SettingsPath, ['z']);
        expect(syntax.find(changed, path as SettingsPath)).toEqual({ ...value, args: ['z'] });
        const less = syntax.remove(changed, [...path, 'enabled'] as SettingsPath);
        expect(syntax.find(less, [...path, 'enabled'] as SettingsPath)).toBeUndefined();
        const removed = syntax.remove(less, path as SettingsPath);
        expect(syntax.find(removed, path as SettingsPath)).toBeUndefined();
        expect(removed.includes('\r\n') || !isCrlf || !removed.includes('\n')).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

test('a comment inside a TOML value is not lost: the edit is refused', () => {
  const text = '[servers.tool]\nargs = [\n  "a", # why\n]\n';
  expect(() => tomlSettings.set(text, ['servers', 'tool', 'args'], ['b'])).toThrow('comment');
});

test('an inline table of TOML is removed as a whole', () => {
  expect(
    tomlSettings.remove('servers = { tool = { command = "x" }, b = { command = "y" } }\n', [
      'servers',
      'tool',
    ]),
  ).toBe('servers = { b = { command = "y" } }\n');
});

test('a value of another type above the entry is not replaced', () => {
  expect(() => yamlSettings.set('servers: text\n', ['servers', 'tool'], entry)).toThrow();
  expect(() => jsonSettings.find('{"servers": 1}', ['servers', 'tool'])).toThrow(
    '"servers" is not an object',
  );
});

test('an alias of YAML is not edited behind the back of its anchor', () => {
  const text = 'base: &b\n  one: 1\nservers: *b\n';
  expect(() => yamlSettings.set(text, ['servers', 'tool'], entry)).toThrow();
});
