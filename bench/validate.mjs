// Discovering and checking many manifests, against reading and parsing them with each format's bare parser.
// One process, interleaved rounds; ratios first. The whole command for one manifest is in bench/start.mjs.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import { bundleModule } from '../scripts/bundle.mjs';
import { manifests } from './manifests.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const total = Number(process.env.COUNT ?? 10_000);
const rounds = Number(process.env.ROUNDS ?? 5);
const target = 2;

const work = mkdtempSync(join(tmpdir(), 'toolwharf-bench-'));
const bundle = join(work, 'check.mjs');
await bundleModule(
  `export { discover } from './src/bundle/discover.ts';
   export { builtInFormats } from './src/formats/built-in-formats.ts';
   export { inspect, formatNamed } from './src/formats/index.ts';`,
  root,
  bundle,
);
const { discover, builtInFormats, inspect, formatNamed } = await import(bundle);

const kinds = manifests(60);
for (let index = 0; index < total; index++) {
  const { format, path, text } = kinds[index % kinds.length];
  const files = typeof text === 'string' ? { [path]: text } : text;
  for (const [name, content] of Object.entries(files)) {
    const file = join(work, format, String(index), name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

const bare = {
  patch: (text) => parseYaml(text.split('# ---')[1].replace(/^# ?/gm, '')),
  talos: JSON.parse,
  toolspace: JSON.parse,
  findagent: JSON.parse,
  nexo: parseToml,
};
const manifestPath = Object.fromEntries(kinds.map(({ format, path }) => [format, path]));

function readBare(format) {
  const folder = join(work, format);
  for (const name of readdirSync(folder))
    bare[format](readFileSync(join(folder, name, manifestPath[format]), 'utf8'));
}

function check(format) {
  const { found } = discover([join(work, format)], { cwd: work, formats: builtInFormats });
  for (const it of found) {
    const { package: understood } = inspect(formatNamed(it.format.name), it.bundle);
    if (understood === undefined) throw new Error(`${it.file} was refused`);
  }
  return found.length;
}

const rows = [];
for (const { format } of kinds) {
  const count = check(format);
  readBare(format);
  const times = { bare: [], check: [] };
  for (let round = 0; round < rounds; round++) {
    let started = performance.now();
    readBare(format);
    times.bare.push(performance.now() - started);
    started = performance.now();
    check(format);
    times.check.push(performance.now() - started);
  }
  const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
  rows.push({
    format,
    count,
    ratio: median(times.check) / median(times.bare),
    bareUs: (median(times.bare) / count) * 1000,
    checkUs: (median(times.check) / count) * 1000,
  });
}
rmSync(work, { recursive: true, force: true });
const sum = (key) =>
  rows.reduce((total, it) => total + it[key] * it.count, 0) / rows.reduce((total, it) => total + it.count, 0);
rows.push({
  format: 'mixed',
  count: total,
  ratio: sum('checkUs') / sum('bareUs'),
  bareUs: sum('bareUs'),
  checkUs: sum('checkUs'),
});

console.log(
  `checking ${total} manifests, median of ${rounds} interleaved rounds, Node ${process.versions.node}; target ≤ ${target} × reading and parsing`,
);
for (const { format, count, ratio, bareUs, checkUs } of rows) {
  console.log(
    `  ${ratio.toFixed(2).padStart(5)} ×  ${format.padEnd(10)} ${String(count).padStart(6)} manifests  bare ${bareUs.toFixed(0).padStart(5)} µs  checked ${checkUs.toFixed(0).padStart(5)} µs  ${ratio <= target ? 'met' : 'NOT MET'}`,
  );
}
console.log(JSON.stringify({ bench: 'validate', node: process.versions.node, total, rounds, rows }));
