// Compiles the published schemas to plain functions, so that no command pays for a schema compiler.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Ajv2020 from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import addFormats from 'ajv-formats';
import { build } from 'esbuild';

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
ajv.addVocabulary(['x-toolport']);

const names = {};
for (const file of readdirSync(join(root, 'schemas')).sort()) {
  if (!file.endsWith('.schema.json')) continue;
  const schema = JSON.parse(readFileSync(join(root, 'schemas', file), 'utf8'));
  ajv.addSchema(schema);
  const name = file.slice(0, -'.schema.json'.length);
  names[`validate${name[0].toUpperCase()}${name.slice(1)}`] = schema.$id;
}

const target = join(root, 'src', 'generated');
mkdirSync(target, { recursive: true });
await build({
  stdin: { contents: standalone.default(ajv, names), resolveDir: root, loader: 'js' },
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  mainFields: ['module', 'main'],
  outfile: join(target, 'validators.js'),
  banner: { js: '// Made by scripts/generate.mjs from schemas/. Do not edit.' },
});
const declarations = Object.keys(names).map((name) => `export declare const ${name}: Validator;\n`);
writeFileSync(
  join(target, 'validators.d.ts'),
  `import type { Validator } from '../formats/check.js';\n\n${declarations.join('')}`,
);
