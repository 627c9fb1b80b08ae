// A registry with 100,000 packages in 1,000 namespaces: what a client transfers and computes that is one publication behind,
// how fast a search is, and how long the check of the whole registry takes. `--namespaces N` and `--packages N` (per
// namespace) make it smaller, `--keep DIR` keeps it or uses it again.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundleModule } from '../scripts/bundle.mjs';
import { buildRegistry } from './registry/large-registry.mjs';

const { values } = parseArgs({
  options: {
    namespaces: { type: 'string', default: '1000' },
    packages: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '15' },
    keep: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const [namespaces, packages, rounds] = [values.namespaces, values.packages, values.rounds].map(Number);
const here = dirname(fileURLToPath(import.meta.url));
const base = values.keep ?? mkdtempSync(join(tmpdir(), 'toolwharf-bench-registry-'));
const engine = join(base, 'engine.mjs');
mkdirSync(base, { recursive: true });
// The engine loads SQLite's native module from here.
if (!existsSync(join(base, 'node_modules')))
  symlinkSync(join(here, '../node_modules'), join(base, 'node_modules'));
await bundleModule("export * from './test/support/registry-bench.ts';", join(here, '..'), engine);
if (!existsSync(join(base, 'registry')))
  await buildRegistry(await import(engine), { base, namespaces, packages });

/** Each measurement in a process of its own, as a command would be. */
const run = (name, ...args) =>
  JSON.parse(
    execFileSync(process.execPath, [join(here, 'registry', `${name}.mjs`), engine, base, ...args], {
      encoding: 'utf8',
    }),
  );
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

const behind = Array.from({ length: rounds }, (_, round) => {
  const copy = join(base, `behind-${round}`);
  cpSync(join(base, 'behind'), copy, { recursive: true });
  const result = run('behind', copy);
  rmSync(copy, { recursive: true, force: true });
  return result;
});
const search = run('search');
const report = {
  entries: namespaces * packages,
  behind: {
    bytes: behind[0].bytes,
    files: behind[0].files,
    processorMs: median(behind.map((it) => it.processorMs)),
    processorMostMs: Math.max(...behind.map((it) => it.processorMs)),
    again: median(behind.map((it) => it.againMs)),
  },
  search,
  check: run('check'),
};
if (values.keep === undefined) rmSync(base, { recursive: true, force: true });

if (values.json) console.log(JSON.stringify(report, null, 2));
else {
  const say = (number, name, target, met) =>
    console.log(
      `  ${number.padStart(14)}  ${name.padEnd(64)}${target === undefined ? '' : `${target}  ${met ? 'met' : 'NOT MET'}`}`.trimEnd(),
    );
  const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
  const { bytes, files, processorMs, processorMostMs, again } = report.behind;
  console.log(
    `${report.entries.toLocaleString('en')} releases in ${namespaces.toLocaleString('en')} namespaces`,
  );
  say(kilobytes(bytes), 'one publication behind, new namespace: transferred', '≤ 100 kB', bytes <= 100_000);
  for (const [path, size] of files) say(kilobytes(size), `  ${path}`);
  say(
    `${processorMs.toFixed(1)} ms`,
    `processor time, new process (most: ${processorMostMs.toFixed(1)} ms)`,
    '≤ 50 ms',
    processorMs <= 50,
  );
  say(`${again.toFixed(1)} ms`, 'processor time, the same again in that process');
  say(`${search.p50.toFixed(2)} ms`, `search, median of ${search.count}`, '≤ 5 ms', search.p50 <= 5);
  say(`${search.processor50.toFixed(2)} ms`, 'search, median of the processor time');
  say(`${search.p95.toFixed(2)} ms`, 'search, 95th percentile');
  say(kilobytes(search.indexBytes), 'search index, all parts transferred');
  say(`${search.indexMs.toFixed(0)} ms`, 'search index, copied for the first time');
  say(kilobytes(search.partBytes), 'search index, one part after one publication');
  say(
    `${(report.check.ms / 1000).toFixed(1)} s`,
    `check of the whole registry (${report.check.problems} problems)`,
  );
}
