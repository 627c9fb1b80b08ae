// Builds dist/: the command with lazily loaded parts, the library, and their type declarations.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import { bundleModule, resolve } from './bundle.mjs';
import { buildConsole } from './console.mjs';
import { lazyLibraries } from './lazy-libraries.mjs';
import { precompile } from './precompile.mjs';
import { readSchemas } from './schemas.mjs';
import { escapeWithMap } from './source-map.mjs';
import { staticImportsOf } from './static-imports.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
process.chdir(root);
await import('./generate.mjs');

rmSync('dist', { recursive: true, force: true });
const shared = {
  platform: 'node',
  // A native module cannot be bundled. Everything else is bundled, so that a start reads few files.
  external: ['libsql'],
  resolve,
  logLevel: 'warn',
  // The library loads these parts at once, the command later; the same source serves both.
  checks: { ineffectiveDynamicImport: false },
};
const minify = { compress: true, mangle: false, codegen: { removeWhitespace: true } };
// A script and not a module: Node loads it faster.
const entryFileNames = '[name].cjs';
await build({
  ...shared,
  input: { main: 'src/launch.ts' },
  output: { dir: 'dist', format: 'cjs', minify, entryFileNames, sourcemap: true },
});
writeFileSync('dist/main.js', "#!/usr/bin/env node\nimport './main.cjs';\n");
await build({
  ...shared,
  transform: {
    define: {
      TOOLWHARF_BUILD: JSON.stringify(
        digestOf('src/formats', 'src/model', 'src/host/packages/parse-cache.ts', 'package-lock.json'),
      ),
    },
  },
  plugins: [lazyLibraries],
  input: { command: 'src/main.ts' },
  output: {
    dir: 'dist',
    // Scripts and not modules: Node can use saved V8 code only for scripts.
    format: 'cjs',
    exports: 'named',
    minify,
    sourcemap: true,
    entryFileNames,
    chunkFileNames: 'parts/[name]-[hash].cjs',
    codeSplitting: {
      groups: [
        // Modules that are loaded together share a file: opening thirty small files costs more than reading one.
        {
          name: 'core',
          priority: 3,
          test: staticImportsOf(
            'src/main.ts',
            'src/serve/cli/command/run.ts',
            'src/serve/cli/commands/mcp.ts',
          ),
        },
        // Above the host: checking a manifest needs these modules, and must not load the host for them.
        {
          name: 'reading',
          priority: 2,
          test: /\/src\/(?:model\/(?!host-name|public-suffix)|bundle|wire|version|formats\/[a-z-]+\.ts|formats\/document\/(?:document|text|json)\.ts|formats\/[a-z]+\/(?:claim|codes|descriptor)\.ts)/,
        },
        // With the list of public suffixes, which is larger than everything else that is read.
        { name: 'host-names', priority: 2, test: /\/src\/model\/(?:host-name|public-suffix)\.ts/ },
        { name: 'host', priority: 1, test: staticImportsOf('src/host/create.ts') },
        {
          name: 'printing',
          priority: 0,
          test: /\/src\/serve\/(?:print|errors|cli\/[a-z-]+\.ts|cli\/commands\/(?:validate|list|info|call|approvals|audit|schema|explain)\.ts)/,
        },
      ],
    },
  },
});
await buildConsole(root);
mkdirSync('dist/schemas');
for (const { name, text } of readSchemas(root)) writeFileSync(`dist/schemas/${name}.schema.json`, text);
await writePublished();
for (const it of ['dist/main.cjs', 'dist/main.js']) chmodSync(it, 0o755);
escapeScripts('dist');
await precompile();
await build({
  ...shared,
  input: { index: 'src/index.ts', formats: 'src/formats/index.ts' },
  output: { dir: 'dist', format: 'esm', sourcemap: true, chunkFileNames: 'library/[name]-[hash].js' },
});

/** The manual page and the schemas of documents, which the sources describe. */
async function writePublished() {
  const script = join(root, 'dist', 'published-files.mjs');
  await bundleModule("export { publishedFiles } from './src/serve/cli/published-files.ts';", root, script);
  const { publishedFiles } = await import(pathToFileURL(script).href);
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  for (const [path, text] of await publishedFiles(version)) {
    mkdirSync(dirname(join('dist', path)), { recursive: true });
    writeFileSync(join('dist', path), text);
  }
  rmSync(script);
}

/** Over the names and contents of files. */
function digestOf(...paths) {
  const digest = createHash('sha256');
  const visit = (path) => {
    if (statSync(path).isDirectory()) for (const it of readdirSync(path).sort()) visit(join(path, it));
    else digest.update(`${path}\0`).update(createHash('sha256').update(readFileSync(path)).digest());
  };
  for (const it of paths) visit(it);
  return digest.digest('hex');
}

/** Scripts of ASCII alone take half the memory in V8 and need no decoding. */
function escapeScripts(folder) {
  for (const it of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, it.name);
    if (it.isDirectory()) escapeScripts(path);
    else if (path.endsWith('.cjs')) {
      // A script of the bundler's own has no source and no map.
      const hasMap = existsSync(`${path}.map`);
      const map = hasMap ? JSON.parse(readFileSync(`${path}.map`, 'utf8')) : { mappings: '' };
      const escaped = escapeWithMap(readFileSync(path, 'utf8'), map);
      writeFileSync(path, escaped.text);
      if (hasMap) writeFileSync(`${path}.map`, JSON.stringify(escaped.map));
    }
  }
}

/** Source maps keep the text of our own sources; those of dependencies can be had from their packages. */
function trimMaps(folder) {
  for (const it of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, it.name);
    if (it.isDirectory()) trimMaps(path);
    else if (path.endsWith('.map')) {
      const map = JSON.parse(readFileSync(path, 'utf8'));
      const sourcesContent = map.sources.map((source, index) =>
        source.includes('node_modules/') ? null : map.sourcesContent[index],
      );
      writeFileSync(path, JSON.stringify({ ...map, sourcesContent }));
    }
  }
}

trimMaps('dist');
const types = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
});
process.exit(types.status ?? 1);
