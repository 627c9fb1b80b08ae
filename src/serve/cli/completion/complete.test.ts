import { expect, test } from 'vitest';
import { type CompletionSources, complete } from './complete.js';

const sources: CompletionSources = {
  commands: [{ name: 'info', summary: 'show a package' }],
  loadCommand: async (name) =>
    name === 'info'
      ? {
          name,
          summary: '',
          usage: 'info PACKAGE|PATH [--dir DIR]',
          examples: [],
          options: [{ name: 'dir', value: 'DIR', text: 'folder' }],
          run: async () => 0,
        }
      : undefined,
  lookUp: async (placeholder, paths) =>
    placeholder === 'PACKAGE'
      ? ['weather', 'a$(touch x)', 'b;c', 'd e', '`f`', ...paths].map((text) => ({ text }))
      : [],
};
const texts = async (...argv: string[]) => (await complete(argv, sources)).candidates.map((it) => it.text);

test('names with characters that mean something to a shell are not offered', async () => {
  expect(await texts('info', '')).toEqual(['weather']);
});

test('packages are looked up in the folders of --dir', async () => {
  expect(await texts('info', '--dir', 'tools', '')).toEqual(['weather', 'tools']);
  expect(await texts('info', '--dir=tools', 'to')).toEqual(['tools']);
});

test('an unknown command offers nothing', async () => {
  expect(await complete(['nothing', ''], sources)).toEqual({ paths: 'none', candidates: [] });
});

test('help completes commands and the exit codes', async () => {
  expect(await texts('help', '')).toEqual(['info', 'exit-codes']);
  expect(await texts('')).toEqual(['info', 'help']);
});

test('the value of an option may be folders', async () => {
  expect(await complete(['info', '--dir', ''], sources)).toEqual({ paths: 'folders', candidates: [] });
  expect(await complete(['info', '--dir=x'], sources)).toEqual({ paths: 'folders', candidates: [] });
});
