// Makes dist/: the command with lazily loaded parts, the library, and their type declarations.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { compile } from './compile.mjs';
import { later } from './later.mjs';
import { reachOf } from './reach.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
process.chdir(root);
await import('./generate.mjs');

rmSync('dist', { recursive: true, force: true });
const shared = {
  platform: 'node',
  // A native module cannot be bundled; everything else is, so that a start reads few files.
  external: ['libsql'],
  resolve: { mainFields: ['module', 'main'], extensionAlias: { '.js': ['.ts', '.js'] } },
  logLevel: 'warn',
  // The library loads these parts at once, the command later; the same source serves both.
  checks: { ineffectiveDynamicImport: false },
};
const minify = { compress: true, mangle: false, codegen: { removeWhitespace: true } };
// A script too: Node takes longer to get ready for modules.
const entryFileNames = '[name].cjs';
await build({
  ...shared,
  input: { main: 'src/launch.ts' },
  output: { dir: 'dist', format: 'cjs', minify, entryFileNames },
});
writeFileSync('dist/main.js', "#!/usr/bin/env node\nimport './main.cjs';\n");
await build({
  ...shared,
  transform: {
    define: {
      TOOLWHARF_BUILD: JSON.stringify(
        digestOf('src/formats', 'src/model', 'src/host/parse-cache.ts', 'schemas', 'package-lock.json'),
      ),
    },
  },
  plugins: [later],
  input: { command: 'src/main.ts' },
  output: {
    dir: 'dist',
    // Scripts and not modules: only for those Node can keep what V8 made of them.
    format: 'cjs',
    exports: 'named',
    minify,
    entryFileNames,
    chunkFileNames: 'parts/[name]-[hash].cjs',
    codeSplitting: {
      groups: [
        // What is loaded together travels in one file: opening thirty small ones costs more than reading it.
        {
          name: 'core',
          priority: 3,
          test: reachOf('src/main.ts', 'src/serve/cli/run.ts', 'src/serve/cli/commands/mcp.ts'),
        },
        { name: 'host', priority: 2, test: reachOf('src/host/create.ts') },
        {
          name: 'reading',
          priority: 1,
          test: /\/src\/(?:model|bundle|wire|version|formats\/[a-z-]+\.ts|formats\/document\/(?:document|text|json)\.ts|formats\/[a-z]+\/claim\.ts|serve\/(?:print|errors|cli\/[a-z-]+\.ts|cli\/commands\/(?:validate|list|info|call|approvals|audit|schema|explain)\.ts))/,
        },
      ],
    },
  },
});
for (const it of ['dist/main.cjs', 'dist/main.js']) chmodSync(it, 0o755);
plain('dist');
await compile();
await build({
  ...shared,
  input: { index: 'src/index.ts', formats: 'src/formats/index.ts' },
  output: { dir: 'dist', format: 'esm', chunkFileNames: 'library/[name]-[hash].js' },
});

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

/** Scripts without letters beyond ASCII take half the memory, and nobody has to decode them. */
function plain(folder) {
  for (const it of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, it.name);
    if (it.isDirectory()) plain(path);
    else if (path.endsWith('.cjs')) {
      const text = readFileSync(path, 'utf8');
      const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
      writeFileSync(path, text.replace(/[^\x00-\x7f]/g, escaped));
    }
  }
}

const types = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
});
process.exit(types.status ?? 1);
