import type { FormatDescriptor } from '../../../formats/format-descriptor.js';
import { suggest } from '../../../formats/suggest.js';
import { HostError } from '../../../model/host-error.js';
import type { JsonObject } from '../../../model/json.js';
import { type DocumentName, documentNames, documents, publishedSchema } from '../../documents/documents.js';
import { printTwoColumns, type TwoColumnRow } from '../../print/two-columns.js';
import type { Command } from '../command/command.js';

export function schemaCommand(formats: readonly FormatDescriptor[]): Command {
  const names = formats.map((it) => it.name);
  return {
    name: 'schema',
    summary: 'Print the JSON Schema of a manifest format, or of a document that --json prints.',
    usage: `schema [${names.join('|')}|DOCUMENT]`,
    examples: [
      { line: 'toolwharf schema toolspace > toolspace.schema.json', text: 'keep a copy for your editor' },
      { line: 'toolwharf schema patch', text: 'see what the comments of a Patch file may contain' },
      { line: 'toolwharf schema list', text: 'see what "toolwharf list --json" prints' },
      { line: 'toolwharf schema', text: 'list all names' },
    ],
    options: [],
    async run(args, terminal) {
      const [name, ...more] = args.positionals;
      if (more.length > 0)
        throw new HostError('usage', 'name one schema', { hint: 'see "toolwharf schema"' });
      if (name === undefined) {
        const list = {
          schema: 'toolwharf/schemas@1',
          formats: names,
          documents: documentNames.map((it) => ({ name: it, description: documents[it].description })),
        };
        terminal.out(args.has('json') ? `${JSON.stringify(list)}\n` : overview(formats, terminal.columns));
        return 0;
      }
      const { canonical, content } = await find(name, formats);
      terminal.out(
        args.has('json')
          ? `${JSON.stringify({ schema: 'toolwharf/schema@1', name: canonical, content })}\n`
          : `${JSON.stringify(content, null, 2)}\n`,
      );
      return 0;
    },
  };
}

function overview(formats: readonly FormatDescriptor[], columns: number): string {
  const rows = documentNames.map((it): TwoColumnRow => [it, documents[it].description]);
  const lines = [
    'Manifest formats',
    ...formats.map((it) => `  ${it.name}`),
    '',
    'Documents of --json',
    ...printTwoColumns(rows, columns, 20),
  ];
  return `${lines.join('\n')}\n`;
}

/** A document may be written as `list`, `list@1` or `toolwharf/list@1`. A format comes first. */
async function find(
  name: string,
  formats: readonly FormatDescriptor[],
): Promise<{ canonical: string; content: JsonObject }> {
  const format = formats.find((it) => it.name === name);
  if (format !== undefined) return { canonical: name, content: (await format.load()).schema as JsonObject };
  const wanted = name.replace(/^toolwharf\//, '');
  const found = documentNames.filter((it) => it === wanted || plainName(it) === wanted).at(-1);
  if (found !== undefined) return { canonical: found, content: publishedSchema(found) };
  const known = [...formats.map((it) => it.name), ...documentNames.map(plainName)];
  const meant = suggest(wanted, known);
  throw new HostError('usage', `unknown schema ${JSON.stringify(name)}`, {
    hint:
      meant === undefined
        ? `the formats are ${formats.map((it) => it.name).join(', ')}; "toolwharf schema" lists the documents too`
        : `did you mean ${meant}?`,
  });
}

function plainName(name: DocumentName): string {
  return name.replace(/@\d+$/, '');
}
