import type { FormatDescriptor } from '../../../formats/format-descriptor.js';
import { HostError } from '../../../model/host-error.js';
import type { Command } from '../command/command.js';

export function schemaCommand(formats: readonly FormatDescriptor[]): Command {
  const names = formats.map((it) => it.name);
  return {
    name: 'schema',
    summary: 'Print the JSON Schema of a manifest format, for editors and validators.',
    usage: `schema ${names.join('|')}`,
    examples: [
      { line: 'toolwharf schema toolspace > toolspace.schema.json', text: 'keep a copy for your editor' },
      { line: 'toolwharf schema patch', text: 'see what the comments of a Patch file may contain' },
      { line: 'toolwharf schema nexo | jq .properties', text: 'look up fields' },
    ],
    options: [],
    async run(args, terminal) {
      const [name, ...more] = args.positionals;
      const format = formats.find((it) => it.name === name);
      if (format === undefined || more.length > 0)
        throw new HostError(
          'usage',
          name === undefined ? 'name a format' : `unknown format ${JSON.stringify(name)}`,
          { hint: `use one of ${names.join(', ')}` },
        );
      const { schema } = await format.load();
      terminal.out(`${JSON.stringify(schema, null, 2)}\n`);
      return 0;
    },
  };
}
