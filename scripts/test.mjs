// All checks, the cheap ones first. "npm run test:unit" is the quick subset.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'));

const rest = process.argv.slice(2).filter((it) => it !== '--write-security');

const steps = [
  ['system', ['scripts/system.mjs']],
  ['build', ['scripts/build.mjs']],
  ['lint', ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']],
  ['types', ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json']],
  ['types of the pure folders', ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.pure.json']],
  ['unused code', ['node_modules/knip/bin/knip.js', '--no-progress']],
  ['package', ['node_modules/publint/src/cli.js', '--strict']],
  ['tests', ['node_modules/vitest/vitest.mjs', 'run', ...rest]],
];

for (const [name, args] of steps) {
  const started = performance.now();
  console.log(`\n── ${name}`);
  // Only a whole run can compare SECURITY.md with the tests; arguments select a part of them.
  const promises = process.argv.includes('--write-security') ? 'write' : 'check';
  const env = { ...process.env, ...(rest.length === 0 ? { TOOLWHARF_PROMISES: promises } : {}) };
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', env });
  if (status !== 0) {
    console.error(`\n${name} failed`);
    process.exit(status ?? 1);
  }
  console.log(`── ${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
}
