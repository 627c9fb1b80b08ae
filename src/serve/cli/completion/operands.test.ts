import { describe, expect, test } from 'vitest';
import { builtInFormats } from '../../../formats/built-in-formats.js';
import { optionsOf } from '../command/arguments.js';
import { commands } from '../command/commands.js';
import { nextOperands, parseUsage } from './operands.js';

const options = [{ name: 'dir', value: 'DIR', text: '' }];

test.each([
  ['x list | show ID', [], ['list', 'show'], []],
  ['x list | show ID', ['show'], [], ['ID']],
  ['x list | show ID', ['list'], [], []],
  ['x [all | PKG | principal:NAME] [--lift]', [], ['all'], ['PKG']],
  ['x PKG/TOOL|FILE [--dir DIR]… [TOOL]', ['a'], [], ['TOOL']],
  ['x [DIR…] [WORD…] [options]', ['a', 'b'], [], ['WORD']],
  ['x a|b [FOLDER]', ['c'], [], []],
])('%s after %j', (usage, given, literals, placeholders) => {
  const next = nextOperands(parseUsage(usage, options), given);
  expect(next.flatMap((it) => it.literals)).toEqual(literals);
  expect([...new Set(next.flatMap((it) => it.placeholders))]).toEqual(expect.arrayContaining(placeholders));
});

describe('the usage of every command', () => {
  test.each(commands.filter((it) => !it.hidden).map((it) => it.name))(
    'of %s has only known parts',
    async (name) => {
      const entry = commands.find((it) => it.name === name);
      const command = await entry?.load(async () => builtInFormats);
      if (command === undefined) throw new Error(name);
      const operands = parseUsage(command.usage, optionsOf(command)).flat();
      for (const it of operands) expect([...it.literals, ...it.placeholders, name].length).toBeGreaterThan(1);
    },
  );
});
