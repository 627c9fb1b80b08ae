// The published schemas: `schema.json` in the folder of each format, and `<part>.schema.json` for its other files.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The last part of a schema's `$id` is the name under which it is published and compiled. */
export function readSchemas(root) {
  const formats = join(root, 'src', 'formats');
  return readdirSync(formats, { recursive: true, encoding: 'utf8' })
    .filter((it) => /^[a-z]+\/(?:[a-z]+\.)?schema\.json$/.test(it))
    .sort()
    .map((it) => {
      const text = readFileSync(join(formats, it), 'utf8');
      const schema = JSON.parse(text);
      return { name: schema.$id.split(':').at(-1), text, schema };
    });
}
