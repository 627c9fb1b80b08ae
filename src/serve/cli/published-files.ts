// Files of the npm package that are written from the sources. Only the build uses this module.
import { builtInFormats } from '../../formats/built-in-formats.js';
import { documentNames, publishedSchema } from '../documents/documents.js';
import { commands } from './command/commands.js';
import { manPage } from './man-page.js';

/** Paths below dist/, and their texts. */
export async function publishedFiles(version: string): Promise<ReadonlyMap<string, string>> {
  const shown = commands.filter((it) => !it.hidden);
  const loaded = await Promise.all(shown.map((it) => it.load(async () => builtInFormats)));
  return new Map([
    ['man/toolwharf.1', manPage(loaded, version)],
    ...documentNames.map(
      (it) => [`schemas/${it}.schema.json`, `${JSON.stringify(publishedSchema(it), null, 2)}\n`] as const,
    ),
  ]);
}
