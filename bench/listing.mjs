// How fast a registry server searches 100,000 packages whose texts have few different words, so that each word is in about
// fifteen thousand of them. `--postgres`: also in a PostgreSQL that is started for it (needs Debian's postgresql).
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundleModule } from '../scripts/bundle.mjs';

const { values: options } = parseArgs({
  options: { postgres: { type: 'boolean', default: false }, packages: { type: 'string', default: '100000' } },
});
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = mkdtempSync(join(tmpdir(), 'toolwharf-bench-listing-'));
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
const words =
  'weather forecast invoice parcel calendar note mail search convert currency file folder image text translate summarize stock price bank pay order shop ticket issue git commit branch deploy log metric alert user group team chat message voice video map route hotel flight train bike car recipe food health sport news book music movie game photo print scan sign pdf table chart query database backup cache queue job worker cloud vm container cluster secret token key login'.split(
    ' ',
  );
let seed = 1;
function random(count) {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed % count;
}
const pick = () => words[random(words.length)];
const time = '2026-11-01T00:00:00Z';
const releases = [];
const summaries = [];
for (let number = 0; number < Number(options.packages); number++) {
  const name = `team${number % 1000}/${pick()}-${pick()}-${number}`;
  const status = { publishedAt: time, changedAt: time, status: 'active', reason: undefined };
  releases.push({ name, version: '1.0.0', sha256: 'a'.repeat(64), ...status });
  summaries.push({
    ...{ name, version: '1.0.0', title: `${pick()} ${pick()}`, format: 'patch', tags: [pick(), pick()] },
    description: Array.from({ length: 14 }, pick).join(' '),
    tools: [`${pick()}_${pick()}`, `${pick()}_${pick()}`],
  });
}

async function measure(label, store) {
  const begun = performance.now();
  await store.apply({ position: { size: 1, root: 'x', index: 1 }, isNew: true, releases, summaries });
  const built = performance.now() - begun;
  const times = [];
  const before = process.cpuUsage();
  for (let count = 0; count < 400; count++) {
    const question = Array.from({ length: 1 + random(3) }, pick).join(' ');
    const started = performance.now();
    await store.search(question, 20);
    times.push(performance.now() - started);
  }
  const { user, system } = process.cpuUsage(before);
  times.sort((a, b) => a - b);
  await store.close();
  const [p50, p95] = [times[200], times[380]].map((it) => it.toFixed(2));
  console.log(
    `${label.padEnd(10)}  p50 ${p50} ms  p95 ${p95} ms  processor ${((user + system) / 400_000).toFixed(2)} ms a search  built in ${(built / 1000).toFixed(1)} s  ${Number(p50) <= 5 ? 'met' : 'NOT MET'} (p50 ≤ 5 ms)`,
  );
}

try {
  const engine = join(folder, 'engine.mjs');
  const parts = ['src/registry/listing/sqlite-listing.ts', 'src/registry/listing/postgres-listing.ts'];
  const code = [...parts, 'test/support/postgres.ts'].map((it) => `export * from './${it}';`).join('\n');
  await bundleModule(code, root, engine);
  const { sqliteListing, postgresListing, startPostgres } = await import(engine);
  console.log(
    `${Number(options.packages).toLocaleString('en')} packages, 400 questions of one to three words`,
  );
  await measure('SQLite', sqliteListing(join(folder, 'listing.db')));
  if (options.postgres) {
    const postgres = await startPostgres();
    try {
      await measure('PostgreSQL', await postgresListing(postgres.url));
    } finally {
      await postgres.close();
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
