// What the life cycle of installed packages costs, as ratios within interleaved rounds: a plan beside `validate`, `list`
// with installed packages beside linked ones, an update with a large environment, and installing ten packages beside
// copying their files. Prints a table and a JSON line. ROUNDS: how many rounds (default 15).
// Usage: node bench/lifecycle.mjs [plan] [list] [update] [reinstall]. Default: all.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from '../dist/index.js';
import { writeLargeWheel, writeTool, writeTools } from './lifecycle/packages.mjs';

const main = join(import.meta.dirname, '../dist/main.cjs');
const rounds = Number(process.env.ROUNDS ?? 15);
const by = 'operator';
const folder = mkdtempSync(join(tmpdir(), 'toolwharf-bench-'));
const rows = [];
// Sandboxed installers run as another user.
chmodSync(folder, 0o755);
// Commands search the current folder for packages.
const empty = join(folder, 'empty');
mkdirSync(empty);

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];

/** Runs both in turn, and adds a row. The first round warms the disk. `after`: cleans up, and is not measured. */
async function compare(name, target, base, work, after = () => {}) {
  const times = { base: [], work: [] };
  for (let round = 0; round <= rounds; round++)
    for (const [key, run] of [
      ['base', base],
      ['work', work],
    ]) {
      const started = performance.now();
      await run(round);
      if (round > 0) times[key].push(performance.now() - started);
      if (key === 'work') await after();
    }
  const [baseMs, ms] = [median(times.base), median(times.work)];
  rows.push({ name, target, ratio: ms / baseMs, baseMs, ms });
}

function command(state, ...args) {
  const env = { ...process.env, TOOLWHARF_HOME: state, HOME: folder, XDG_DATA_HOME: join(folder, 'data') };
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    env,
    cwd: empty,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return stdout;
}

async function withSession(state, options, work) {
  const host = await createHost({ state });
  try {
    return await work(await host.session({ directories: [], accept: null, root: folder, ...options }));
  } finally {
    await host.close();
  }
}

async function install(session, source, more = {}) {
  const { digest } = await session.installations.plan({ source });
  return session.installations.install({ source, agree: digest, by, ...more });
}

/** A plan of a folder on this machine, beside checking its manifest. */
async function measurePlan() {
  const [source] = writeTools(join(folder, 'planned'), 1);
  const state = join(folder, 'plan-state');
  const check = () => command(state, 'validate', source);
  await compare('plan of a local folder / validate', 1.3, check, () => command(state, 'plan', source));
  await compare('for comparison: info / validate', undefined, check, () => command(state, 'info', source));
}

async function measureList() {
  const linked = join(folder, 'linked');
  const [linkedState, installedState] = [join(folder, 'linked-state'), join(folder, 'installed-state')];
  const sources = writeTools(linked, 200);
  command(linkedState, 'review', linked, '--yes');
  await withSession(installedState, {}, async (session) => {
    for (const it of sources) await install(session, it, { skipSmoke: true });
  });
  const count = (text) => {
    const ready = /200 packages?: 200 ready/.test(text);
    if (!ready) throw new Error(`not all packages are ready: ${text.slice(-300)}`);
  };
  await compare(
    'list with 200 installed / 200 linked',
    1.3,
    () => count(command(linkedState, 'list', linked)),
    () => count(command(installedState, 'list')),
  );
}

/** One changed file of a package whose language packages have 200 MB. */
async function measureUpdate() {
  const links = join(folder, 'links');
  const bytes = 200_000_000;
  writeLargeWheel(links, bytes);
  const source = writeTool(join(folder, 'large'), 'large', { packages: ['large_data==1.0'] });
  const state = join(folder, 'update-state');
  const used = () =>
    Number(spawnSync('/usr/bin/du', ['-sb', state], { encoding: 'utf8' }).stdout.split('\t')[0]);
  const policy = { indexes: { findLinks: [links] } };
  await withSession(state, { policy }, async (session) => {
    await install(session, source, { skipSmoke: true });
    const place = spawnSync('find', [state, '-name', 'large_data.bin'], { encoding: 'utf8' }).stdout.trim();
    const [before, inode] = [used(), statSync(place).ino];
    writeTool(join(folder, 'large'), 'large', { packages: ['large_data==1.0'], version: '1.0.1' });
    const started = performance.now();
    const { digest } = await session.installations.plan({ package: 'large' });
    await session.installations.install({ package: 'large', agree: digest, by, skipSmoke: true });
    const ms = performance.now() - started;
    const written = used() - before;
    const isSame = statSync(place).ino === inode;
    rows.push({
      name: 'update of one file with a 200 MB environment',
      ms,
      written,
      isSame,
      environment: before,
    });
  });
}

/** Ten packages of 1 MB: from their lock file where the host has one, else one after the other. */
async function measureReinstall() {
  const sources = writeTools(join(folder, 'ten'), 10, 1_000_000);
  const copies = join(folder, 'copies');
  const state = join(folder, 'ten-state');
  let run = 0;
  await withSession(join(folder, 'lock-state'), {}, async (session) => {
    if (session.installations.restore === undefined) return;
    for (const it of sources) await install(session, it, { skipSmoke: true, save: true });
  });
  const host = await createHost({ state });
  const session = await host.session({ directories: [], accept: null, root: folder });
  const { installations } = session;
  const hasLock = installations.restore !== undefined;
  await compare(
    hasLock ? 'reinstall 10 packages from their lock / copying' : 'install 10 packages / copying',
    2,
    () => cpSync(join(folder, 'ten'), `${copies}-${++run}`, { recursive: true }),
    async () => {
      if (!hasLock) for (const it of sources) await install(session, it, { skipSmoke: true });
      else {
        const { digest } = await installations.planRestore();
        await installations.restore({ agree: digest, by, skipSmoke: true });
      }
    },
    async () => {
      for (const it of await installations.list()) await installations.remove({ package: it.package, by });
    },
  );
  await host.close();
}

const parts = { plan: measurePlan, list: measureList, update: measureUpdate, reinstall: measureReinstall };
const wanted = process.argv.slice(2);
try {
  for (const [name, measure] of Object.entries(parts))
    if (wanted.length === 0 || wanted.includes(name)) await measure();
} finally {
  spawnSync('chmod', ['-R', 'u+w', folder]);
  rmSync(folder, { recursive: true, force: true });
}

console.log(`life cycle, median of ${rounds} interleaved rounds, Node ${process.versions.node}`);
for (const { name, target, ratio, baseMs, ms, written, isSame } of rows) {
  if (written !== undefined) {
    const verdict = isSame && written < 1_000_000 ? 'met' : 'NOT MET';
    console.log(
      `  ${(written / 1000).toFixed(0).padStart(7)} kB written in ${ms.toFixed(0)} ms  ${name}; copies none: ${verdict}`,
    );
    continue;
  }
  const verdict = target === undefined ? '' : `target ≤ ${target}: ${ratio <= target ? 'met' : 'NOT MET'}`;
  console.log(
    `  ${ratio.toFixed(2).padStart(5)} ×  ${baseMs.toFixed(1).padStart(7)} → ${ms.toFixed(1).padStart(7)} ms  ${name}  ${verdict}`,
  );
}
console.log(JSON.stringify({ bench: 'lifecycle', node: process.versions.node, rounds, rows }));
