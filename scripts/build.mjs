// Makes dist/: the command with lazily loaded parts, the library, and their type declarations.
import { spawnSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

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
await build({
  ...shared,
  input: { main: 'src/main.ts' },
  output: {
    dir: 'dist',
    format: 'esm',
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
    chunkFileNames: 'parts/[name]-[hash].js',
    codeSplitting: {
      groups: [
        // What every command needs travels in one file: opening thirty small ones costs more than reading it.
        {
          name: 'core',
          test: /\/src\/(?:model|bundle|wire|version|formats\/[a-z-]+\.ts|formats\/document\/(?:document|text|json)\.ts|formats\/[a-z]+\/claim\.ts|serve\/(?:print|errors|cli\/[a-z-]+\.ts|cli\/commands\/(?:validate|list|info|call|approvals|audit|schema|explain)\.ts))/,
        },
      ],
    },
  },
});
chmodSync('dist/main.js', 0o755);
await build({
  ...shared,
  input: { index: 'src/index.ts', formats: 'src/formats/index.ts' },
  output: { dir: 'dist', format: 'esm', chunkFileNames: 'library/[name]-[hash].js' },
});

const types = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
});
process.exit(types.status ?? 1);
