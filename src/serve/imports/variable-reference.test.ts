import { expect, test } from 'vitest';
import { resolveReferences } from './variable-reference.js';

const place = { environment: { KEY: 'v', EMPTY: '' }, home: '/home/ada', project: '/work' };

test.each([
  ['plain', 'plain', []],
  ['${KEY}', 'v', ['KEY']],
  ['${env:KEY}', 'v', ['KEY']],
  ['{env:KEY}', 'v', ['KEY']],
  ['${{ secrets.KEY }}', 'v', ['KEY']],
  ['$KEY', 'v', ['KEY']],
  ['costs $KEY', 'costs $KEY', []],
  ['Bearer ${KEY}', 'Bearer v', ['KEY']],
  ['${NONE:-other}', 'other', []],
  ['${KEY:-other}', 'v', ['KEY']],
  ['${userHome}/notes', '/home/ada/notes', []],
  ['${workspaceFolder}/notes', '/work/notes', []],
  ['a{b}c', 'a{b}c', []],
])('%s means %s', (text, expected, from) => {
  expect(resolveReferences(text, place)).toEqual({ kind: 'text', text: expected, from });
});

test.each([
  ['${input:token}', 'its value comes from a question of the client (token)'],
  ['${NONE}', 'it needs the variable NONE, which is not set here'],
  ['${EMPTY}', 'it needs the variable EMPTY, which is not set here'],
  ['$NONE', 'it needs the variable NONE, which is not set here'],
  ['${command:x.y}', 'it uses "command:x.y", which only the client knows'],
])('%s cannot be resolved', (text, reason) => {
  expect(resolveReferences(text, place)).toEqual({ kind: 'unresolved', reason });
});

test('without a project there is no workspace folder', () => {
  const found = resolveReferences('${workspaceFolder}', { ...place, project: undefined });
  expect(found).toMatchObject({ kind: 'unresolved' });
});
