// What a start costs, as ratios to "node -e 0" in one interleaved run. Prints a table and a JSON line.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { manifests } from './manifests.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const main = join(root, 'dist', 'main.cjs');
const rounds = Number(process.env.ROUNDS ?? 40);
const target = 2.5;

const folder = mkdtempSync(join(tmpdir(), 'toolwharf-bench-'));
const cases = { 'node -e 0': ['-e', '0'], 'toolwharf --version': [main, '--version'] };
for (const { format, path, text } of manifests(150)) {
  const file = join(folder, path);
  spawnSync('mkdir', ['-p', dirname(file)]);
  for (const [name, content] of Object.entries(typeof text === 'string' ? { [path]: text } : text))
    writeFileSync(join(folder, name), content);
  cases[`toolwharf validate (${format}, 150 lines)`] = [main, 'validate', file];
}

const times = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
for (let round = 0; round < rounds + 2; round++) {
  for (const [name, words] of Object.entries(cases)) {
    const started = performance.now();
    const { status, stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${name} ended with ${status}: ${stdout}`);
    // The first rounds warm the disk.
    if (round >= 2) times[name].push(performance.now() - started);
  }
}
rmSync(folder, { recursive: true, force: true });

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
const floor = median(times['node -e 0']);
const rows = Object.entries(times).map(([name, list]) => ({
  name,
  ratio: median(list) / floor,
  ms: median(list),
}));
console.log(
  `start of a command, median of ${rounds} interleaved rounds, Node ${process.versions.node}; target ≤ ${target} ×`,
);
for (const { name, ratio, ms } of rows) {
  const verdict = name === 'node -e 0' ? '' : ratio <= target ? 'met' : 'NOT MET';
  console.log(
    `  ${ratio.toFixed(2).padStart(5)} ×  ${ms.toFixed(1).padStart(6)} ms  ${name.padEnd(44)} ${verdict}`,
  );
}
console.log(JSON.stringify({ bench: 'start', node: process.versions.node, rounds, rows }));
