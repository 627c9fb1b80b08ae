// Compiles the published schemas to plain functions, so that no command has to load a schema compiler.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Ajv2020 from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import addFormats from 'ajv-formats';
import { bundleModule } from './bundle.mjs';
import { readSchemas } from './schemas.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const ajv = new Ajv2020.default({
  allErrors: true,
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allowUnionTypes: true,
  code: { source: true, esm: true, lines: true },
});
addFormats.default(ajv, ['uri', 'email']);
ajv.addVocabulary(['x-toolwharf']);

const target = join(root, 'src', 'generated');
mkdirSync(target, { recursive: true });
for (const { name, schema } of readSchemas(root)) {
  ajv.addSchema(inlined(schema, schema, []));
  const exported = `validate${name[0].toUpperCase()}${name.slice(1)}`;
  // One file per schema: a command loads only the one it needs.
  const code = standalone.default(ajv, { [exported]: schema.$id });
  await bundleModule(code, root, join(target, `${name}.js`), 'neutral');
  const declaration = `import type { Validator } from '../formats/check.js';\n\nexport declare const ${exported}: Validator;\n`;
  writeFileSync(join(target, `${name}.d.ts`), declaration);
}

/** Replaces each reference by its definition, so that an error has the path of its place and not of a definition. */
function inlined(part, schema, path) {
  if (Array.isArray(part)) return part.map((it) => inlined(it, schema, path));
  if (typeof part !== 'object' || part === null) return part;
  const { $ref, $defs, ...rest } = part;
  const own = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, inlined(value, schema, path)]),
  );
  if ($ref === undefined) return own;
  if (path.includes($ref)) throw new Error(`${$ref} refers to itself`);
  const target = $ref
    .split('/')
    .slice(1)
    .reduce((at, step) => at[step], schema);
  return { ...inlined(target, schema, [...path, $ref]), ...own };
}
