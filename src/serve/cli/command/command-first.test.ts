import { expect, test } from 'vitest';
import { commandFirst } from './command-first.js';

test.each([
  ['list', 'list', ''],
  ['--json list', 'list', '--json'],
  ['--state DIR call a/b {}', 'call', '--state DIR a/b {}'],
  ['--state=DIR --cwd x -q list tools', 'list', '--state=DIR --cwd x -q tools'],
  ['-qv list', 'list', '-qv'],
  ['--format json list', 'list', '--format json'],
  ['--json --version', '--version', '--json'],
  ['--json', undefined, '--json'],
  ['-h', '-h', ''],
])('%s', (line, verb, rest) => {
  expect(commandFirst(line.split(' '))).toEqual({ verb, rest: rest === '' ? [] : rest.split(' ') });
});

test.each([
  ['--config x list', '--config is not an option of every command'],
  ['--state', '--state needs a value: --state DIR'],
  ['-x list', '-x is not an option of every command'],
])('%s is rejected', (line, message) => {
  expect(() => commandFirst(line.split(' '))).toThrow(message);
});
