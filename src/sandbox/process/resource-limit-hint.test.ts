import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { defaultSandboxLimits } from '../sandbox.js';
import { resourceLimitHint } from './resource-limit-hint.js';

const row = (name: string, hard: string) =>
  `Limit                     Soft Limit           Hard Limit           Units     \n${name.padEnd(26)}${'100'.padEnd(21)}${hard.padEnd(21)}units     \n`;

test.each([
  ['Max file size', '204800', 'the size of files is 204800 bytes', 'ulimit -f'],
  ['Max open files', '3', 'open files is 3 files', 'ulimit -n'],
  ['Max cpu time', '1', 'CPU time is 1 seconds', 'ulimit -t'],
  ['Max address space', '1024', 'memory is 1024 bytes', 'ulimit -v'],
])('%s of %s is too low for tools, and the hint says how to raise it', (name, hard, text, command) => {
  const hint = resourceLimitHint(row(name, hard), defaultSandboxLimits);
  expect(hint).toContain(text);
  expect(hint).toContain(command);
});

test('limits that are high enough need no hint', () => {
  expect(resourceLimitHint(row('Max file size', 'unlimited'), defaultSandboxLimits)).toBeUndefined();
  expect(resourceLimitHint(row('Max open files', '1048576'), defaultSandboxLimits)).toBeUndefined();
  expect(resourceLimitHint('', defaultSandboxLimits)).toBeUndefined();
});

test('the limits of this process can be read', () => {
  const text = readFileSync('/proc/self/limits', 'utf8');
  expect(resourceLimitHint(text, { ...defaultSandboxLimits, openFiles: 2 ** 52 })).toContain('ulimit -n');
});
