import { formatNames } from '../../../model/format.js';
import { HostError } from '../../../model/host-error.js';
import type { Command } from '../command.js';

export const schema: Command = {
  name: 'schema',
  summary: 'Print the JSON Schema of a manifest format, for editors and validators.',
  usage: `schema ${formatNames.join('|')}`,
  examples: [
    { line: 'toolwharf schema toolspace > toolspace.schema.json', text: 'keep a copy for your editor' },
    { line: 'toolwharf schema patch', text: 'see what the comments of a Patch file may contain' },
    { line: 'toolwharf schema nexo | jq .properties', text: 'look up fields' },
  ],
  options: [],
  async run(args, terminal) {
    const [name, ...more] = args.positionals;
    const known = formatNames.find((it) => it === name);
    if (known === undefined || more.length > 0)
      throw new HostError(
        'usage',
        name === undefined ? 'name a format' : `unknown format ${JSON.stringify(name)}`,
        { hint: `use one of ${formatNames.join(', ')}` },
      );
    const text = terminal.readFile(terminal.resource(`schemas/${known}.schema.json`));
    if (text === undefined)
      throw new HostError('not_found', `the schema of ${known} is missing from this installation`, {
        hint: 'install Toolwharf again',
      });
    terminal.out(text);
    return 0;
  },
};
