import { expect, test } from 'vitest';
import { hintedMethods, hintedOperations, hintFor } from '../../model/hint.js';
import { findOperation } from './operations.js';

const hint = 'set it: toolwharf secret set desk DESK_KEY; see "toolwharf secret list"';

test('a hint for the command line stays as it is', () => {
  expect(hintFor('command-line', hint)).toBe(hint);
});

test('a hint for the library names the method, and for HTTP the operation, before the command', () => {
  expect(hintFor('library', hint)).toBe(
    "set it: host.secrets.set({ package: 'desk', slot: 'DESK_KEY', … }), or at a shell: toolwharf secret set desk DESK_KEY; see host.secrets.list(), or at a shell: \"toolwharf secret list\"",
  );
  expect(hintFor('http', 'review it: toolwharf review desk')).toBe(
    'review it: POST /api/v1/operations/session.review, or at a shell: toolwharf review desk',
  );
  expect(hintFor('http', 'check the path')).toBe('check the path');
});

test('every step that a hint names exists', () => {
  for (const name of hintedOperations) expect([name, findOperation(name)?.name]).toEqual([name, name]);
  for (const method of hintedMethods) {
    const name = method.replace(/^host\./, '');
    expect([method, findOperation(name)?.name]).toEqual([method, name]);
  }
});
