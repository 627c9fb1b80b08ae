// The official conformance suite against "toolwharf serve": as a server, and as a gateway. It and a Node that can run it
// come from the package registry into a temporary folder, so this is not part of "npm test".
//   node scripts/conformance.mjs           compares with test/conformance/expected.json
//   node scripts/conformance.mjs --write   also writes docs/conformance.md
//   … --setup NAME, --only REVISION        one part, without comparing the others
//   … --installed FOLDER                   uses the suite and the Node that are installed there
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openForward } from '../test/conformance/forward.mjs';
import { conformancePage, tableOf } from '../test/conformance/page.mjs';
import { serveHost } from '../test/conformance/served-host.mjs';
import { setups } from '../test/conformance/setups.mjs';
import { findSuite, installSuite, runSuite } from '../test/conformance/suite.mjs';
import { compare } from '../test/conformance/verdict.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const expected = JSON.parse(readFileSync(join(root, 'test/conformance/expected.json'), 'utf8'));
const { values } = parseArgs({
  options: {
    write: { type: 'boolean' },
    only: { type: 'string' },
    setup: { type: 'string' },
    installed: { type: 'string' },
  },
});
const isWhole = values.only === undefined && values.setup === undefined;

const place = mkdtempSync(join(tmpdir(), 'toolwharf-conformance-'));
chmodSync(place, 0o755);
try {
  process.exitCode = await main();
} finally {
  rmSync(place, { recursive: true, force: true });
}

async function main() {
  if (values.installed === undefined) console.log('installing the suite');
  const names = Object.keys(expected.setups).filter((it) => (values.setup ?? it) === it);
  const suite = values.installed === undefined ? installSuite(place, expected) : findSuite(values.installed);
  const parts = [];
  let good = true;
  for (const name of names) {
    const { scenarios, failures } = expected.setups[name];
    const revisions = Object.keys(scenarios).filter((it) => (values.only ?? it) === it);
    const served = await setups[name].prepare(root, place);
    const runs = [];
    for (const revision of revisions)
      runs.push(...(await runRevision(suite, { ...setups[name], served }, name, revision)));
    if (runs.length === 0) continue;
    const chosen = failures.map((it) => ({
      ...it,
      revisions: it.revisions.filter((revision) => revisions.includes(revision)),
    }));
    const counts = Object.fromEntries(revisions.map((it) => [it, scenarios[it]]));
    console.log(`\n${setups[name].title}\n\n${tableOf(runs).join('\n')}\n`);
    good = report(runs, { scenarios: counts, failures: chosen }) && good;
    parts.push({ name, title: setups[name].title, runs, failures });
  }
  if (parts.length === 0) throw new Error('nothing was run: unknown setup or revision');
  console.log(good ? 'As expected.' : 'Fix the server, or test/conformance/expected.json.');
  if (good && values.write && isWhole) {
    writeFileSync(join(root, 'docs/conformance.md'), conformancePage(expected, parts));
    console.log('docs/conformance.md is written.');
  }
  return good ? 0 : 1;
}

async function runRevision(suite, setup, name, revision) {
  const folder = join(place, name, revision);
  mkdirSync(folder, { recursive: true });
  const host = await serveHost({ root, folder, ...setup });
  const forward = await openForward(host.start, setup.flips);
  try {
    return await runSuite(suite, { url: forward.url, revision, folder });
  } finally {
    await forward.close();
    await host.close();
  }
}

function report(runs, wanted) {
  const { unexpected, stale, miscounted } = compare(runs, wanted);
  for (const it of unexpected) console.log(`failed unexpectedly: ${it}${why(runs, it)}`);
  for (const it of stale) console.log(`passed, but was expected to fail: ${it}`);
  for (const it of miscounted) console.log(`${it}: the list of scenarios has changed`);
  return unexpected.length + stale.length + miscounted.length === 0;
}

function why(runs, line) {
  const [revision, scenario, check] = line.split(' ');
  const message = runs.find((it) => it.revision === revision && it.scenario === scenario)?.messages[check];
  return message === undefined ? '' : `\n    ${message.slice(0, 400)}`;
}
