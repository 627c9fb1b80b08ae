// The help as JSON, schema `toolwharf/help@1`.
import type { TwoColumnRow } from '../../print/two-columns.js';
import { optionsOf } from './arguments.js';
import type { Command, Option } from './command.js';
import type { HelpEntry } from './help.js';

const schema = 'toolwharf/help@1';

export const helpDocument = {
  commands: (commands: readonly HelpEntry[]) => ({
    schema,
    commands: commands.map(({ name, summary }) => ({ name, summary })),
  }),
  command: (command: Command) => ({
    schema,
    command: {
      name: command.name,
      summary: command.summary,
      usage: `toolwharf ${command.usage}`,
      examples: command.examples,
      options: optionsOf(command).map(toEntry),
    },
  }),
  exitCodes: (codes: readonly TwoColumnRow[]) => ({
    schema,
    exitCodes: codes.map(([code, meaning]) => ({ code: Number(code), meaning })),
  }),
};

function toEntry({ name, short, value, multiple = false, text }: Option) {
  return {
    name,
    ...(short === undefined ? {} : { short }),
    ...(value === undefined ? {} : { value }),
    multiple,
    text,
  };
}
