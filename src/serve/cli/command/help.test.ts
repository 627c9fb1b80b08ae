import { describe, expect, test } from 'vitest';
import { builtInFormats } from '../../../formats/built-in-formats.js';
import { width } from '../../print/width.js';
import { commands } from './commands.js';
import { commandHelp, mainHelp, printExitCodes } from './help.js';

const long = (text: string, columns: number) => text.split('\n').filter((it) => width(it) > columns);

describe.each([40, 50, 80, 100])('help in %d columns', (columns) => {
  test.each(commands.map((it) => it.name))('help of %s fits and never wraps its examples', async (name) => {
    const command = await (commands.find((it) => it.name === name) as (typeof commands)[number]).load(
      async () => builtInFormats,
    );
    const text = commandHelp(command, columns);
    const examples = command.examples.map((it) => it.line);
    for (const it of examples) expect(text.split('\n').some((line) => line.startsWith(`  ${it}`))).toBe(true);
    const heads = [...examples, ...command.options.map((it) => `--${it.name} ${it.value ?? ''}`.trim())];
    // Text that cannot be wrapped may be too long, alone on its line.
    const tooLong = long(text, columns).filter((it) => !heads.some((head) => it.trim().endsWith(head)));
    expect(tooLong).toEqual([]);
    const words = text.replace(/\s+/g, ' ');
    for (const { text: about } of [...command.examples, ...command.options]) expect(words).toContain(about);
  });

  test('help of all commands and of the exit codes fits', () => {
    const text = mainHelp(commands, columns);
    expect(long(text, columns).filter((it) => !it.includes('toolwharf call ./word_count.py'))).toEqual([]);
    expect(long(printExitCodes(columns), columns)).toEqual([]);
    const words = text.replace(/\s+/g, ' ');
    for (const it of commands) expect(words).toContain(`${it.name} ${it.summary}`);
  });
});
