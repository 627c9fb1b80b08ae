import { expect, test } from 'vitest';
import { gitSteeringPlaces, isSteeringPlace, steeringPlaceAbove } from './steering-places.js';

test.each([
  ['/w', '.mcp.json', true],
  ['/w/a/b', '.vscode', true],
  ['/w/.git', 'hooks', true],
  ['/w/src', 'hooks', false],
  ['/w/.git', 'config', true],
  ['/w', 'config', false],
  ['/w', 'package.json', false],
  ['/w/.config', 'fish', true],
  ['/w', 'fish', false],
] as const)('%s/%s: %s', (folder, name, expected) => {
  expect(isSteeringPlace(folder, name)).toBe(expected);
});

test('a folder with the data of git is found whatever its name is', () => {
  expect(gitSteeringPlaces(new Set(['objects', 'refs', 'HEAD', 'config', 'hooks']))).toEqual([
    'config',
    'hooks',
  ]);
  expect(gitSteeringPlaces(new Set(['objects', 'config']))).toEqual([]);
});

test.each([
  ['/home/a/p', undefined],
  ['/home/a/p/.vscode', '/home/a/p/.vscode'],
  ['/home/a/p/.git/hooks/x', '/home/a/p/.git/hooks'],
  ['/home/a/.claude/worktrees/one', undefined],
  ['/home/a/.claude/worktrees/one/src', undefined],
  ['/home/a/.claude/worktrees', '/home/a/.claude'],
  ['/home/a/.claude/worktrees/one/.vscode/x', '/home/a/.claude/worktrees/one/.vscode'],
] as const)('the steering place above %s is %s', (path, expected) => {
  expect(steeringPlaceAbove(path)).toBe(expected);
});
