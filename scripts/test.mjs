// All checks, the cheap ones first. "npm run test:unit" is the quick subset.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'));

const rest = process.argv.slice(2).filter((it) => it !== '--write-security');
// Only a whole run can compare SECURITY.md with the tests; arguments select a part of them.
const isWhole = rest.length === 0;
const promises = process.argv.includes('--write-security') ? 'write' : 'check';

const steps = [
  ['system', ['scripts/system.mjs']],
  ['build', ['scripts/build.mjs']],
  ['lint', ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']],
  ['types', ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json']],
  ['types of the pure folders', ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.pure.json']],
  ['unused code', ['node_modules/knip/bin/knip.js', '--no-progress']],
  ['package', ['node_modules/publint/src/cli.js', '--strict']],
  [
    'tests',
    ['node_modules/vitest/vitest.mjs', 'run', ...rest],
    isWhole ? { TOOLWHARF_PROMISES: promises } : {},
  ],
];
// The machine of CI runs everything as root. These show that the quick part works elsewhere too.
if (isWhole && process.env.CI === 'true' && process.getuid?.() === 0)
  steps.push(
    ['tests as an ordinary user', ['scripts/test-as-user.mjs']],
    ['tests on Node 24', ['scripts/test-on-node.mjs', '24']],
  );

const folder = mkdtempSync(join(tmpdir(), 'toolwharf-counts-'));
const countsFile = join(folder, 'counts');
writeFileSync(countsFile, '');
let failed;
for (const [name, args, more = {}] of steps) {
  const started = performance.now();
  console.log(`\n── ${name}`);
  const env = { ...process.env, TOOLWHARF_COUNTS: countsFile, ...more };
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', env });
  if (status !== 0) {
    failed = status ?? 1;
    console.error(`\n${name} failed`);
    break;
  }
  console.log(`── ${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
}
const runs = readFileSync(countsFile, 'utf8').split('\n').filter(Boolean);
rmSync(folder, { recursive: true });
if (runs.length > 0) {
  const counts = runs.map((it) => JSON.parse(it));
  const sum = (name) => counts.reduce((all, it) => all + it[name], 0);
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);
}
process.exit(failed ?? 0);
