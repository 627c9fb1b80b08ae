// What the life cycle of installed packages costs, as ratios within interleaved rounds: a plan beside `validate`, `list`
// with installed packages beside linked ones, an update with a large environment, and restoring ten packages from their
// lock file beside copying their files. Prints a table and a JSON line, with elapsed time and processor time: on a busy
// machine the second says more. ROUNDS: how many rounds (default 15).
// Usage: node bench/lifecycle.mjs [plan] [list] [update] [reinstall]. Default: all.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from '../dist/index.js';
import { carefulCopy } from './lifecycle/careful-copy.mjs';
import { writeLargeWheel, writeTool, writeTools } from './lifecycle/packages.mjs';

const main = join(import.meta.dirname, '../dist/main.cjs');
const rounds = Number(process.env.ROUNDS ?? 15);
const by = 'operator';
const folder = mkdtempSync(join(tmpdir(), 'toolwharf-bench-'));
const rows = [];
const loadBefore = loadavg()[0].toFixed(1);
// Sandboxed installers run as another user.
chmodSync(folder, 0o755);
// Commands search the current folder for packages.
const empty = join(folder, 'empty');
mkdirSync(empty);

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];

/** Processor time of finished commands, in ms. */
let commandCpu = 0;

function cpuNow() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + commandCpu;
}

/**
 * Runs the base and the work in turn, and adds a row. The first round warms the disk. `before` and `after` prepare and
 * clean up, and are not measured.
 */
async function compare(name, target, base, work, { before = () => {}, after = () => {} } = {}) {
  const sides = { base: { run: base, ms: [], cpu: [] }, work: { run: work, ms: [], cpu: [] } };
  for (let round = 0; round <= rounds; round++)
    for (const [key, side] of Object.entries(sides)) {
      if (key === 'work') await before(round);
      const [started, cpu] = [performance.now(), cpuNow()];
      await side.run(round);
      const [ms, cpuMs] = [performance.now() - started, cpuNow() - cpu];
      if (key === 'work') await after(round);
      if (round === 0) continue;
      side.ms.push(ms);
      side.cpu.push(cpuMs);
    }
  const [baseMs, ms, baseCpu, cpu] = [sides.base.ms, sides.work.ms, sides.base.cpu, sides.work.cpu].map(
    median,
  );
  rows.push({ name, target, ratio: ms / baseMs, baseMs, ms, cpuRatio: cpu / baseCpu, baseCpu, cpu });
}

/** Bash reports the processor time of the command in its last line. */
function command(state, ...args) {
  const env = { ...process.env, TOOLWHARF_HOME: state, HOME: folder, XDG_DATA_HOME: join(folder, 'data') };
  const timed = ['-c', 'TIMEFORMAT="%U %S"; time "$@"', 'bash', process.execPath, main, ...args];
  const { status, stdout, stderr } = spawnSync('bash', timed, { env, cwd: empty, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  const [user, system] = stderr.trim().split('\n').at(-1).split(' ').map(Number);
  commandCpu += (user + system) * 1000;
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

/**
 * Ten packages of 1 MB in 12 files each, below a project with a lock file, as on a new machine after a checkout: the state
 * is new in each round. The host is open; its start is not part of it. The base does what an installation cannot leave
 * out: it reads, hashes and writes every file and waits for the disk (careful-copy.mjs). Smoke tests run programs of the
 * packages, so they are a row of their own.
 */
async function measureReinstall() {
  const root = join(folder, 'project');
  const tools = join(root, 'tools');
  const sources = writeTools(tools, 10, 1_000_000);
  await withSession(join(folder, 'first-state'), { root }, async (session) => {
    for (const it of sources) await install(session, it, { skipSmoke: true, save: true });
  });
  let run = 0;
  let open;
  const before = async () => {
    const host = await createHost({ state: join(folder, `restored-${++run}`) });
    const session = await host.session({ directories: [], accept: null, root });
    open = { host, session };
    // The host tries its sandbox when it starts, and prepares a process for the next call.
    await session.packages();
    await new Promise((done) => setTimeout(done, 500));
  };
  const restore = (skipSmoke) => async () => {
    const { installations } = open.session;
    const { digest } = await installations.planRestore();
    const { changes } = await installations.restore({ agree: digest, by, skipSmoke });
    const installed = changes.filter((it) => it.operation === 'install');
    if (installed.length !== sources.length) throw new Error(`only ${installed.length} were installed`);
  };
  const sides = { before, after: () => open.host.close() };
  const careful = () => carefulCopy(sources, join(folder, `careful-${++run}`));
  const plain = () => cpSync(tools, join(folder, `copied-${++run}`), { recursive: true });
  await compare('restore 10 packages / copying, hashed and on disk', 2, careful, restore(true), sides);
  await compare('for comparison: restore / plain copy', undefined, plain, restore(true), sides);
  await compare('for comparison: restore with smoke tests', undefined, careful, restore(false), sides);
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

const load = `load ${loadBefore} → ${loadavg()[0].toFixed(1)}`;
console.log(`life cycle, median of ${rounds} interleaved rounds, Node ${process.versions.node}, ${load}`);
for (const { name, target, ratio, baseMs, ms, cpuRatio, baseCpu, cpu, written, isSame } of rows) {
  if (written !== undefined) {
    const verdict = isSame && written < 1_000_000 ? 'met' : 'NOT MET';
    console.log(
      `  ${(written / 1000).toFixed(0).padStart(7)} kB written in ${ms.toFixed(0)} ms  ${name}; copies none: ${verdict}`,
    );
    continue;
  }
  const verdict = target === undefined ? '' : `  target ≤ ${target}: ${ratio <= target ? 'met' : 'NOT MET'}`;
  const times = (by, from, to) =>
    `${by.toFixed(2).padStart(5)} × ${from.toFixed(0).padStart(5)} → ${to.toFixed(0).padStart(5)} ms`;
  console.log(`  ${times(ratio, baseMs, ms)}  processor ${times(cpuRatio, baseCpu, cpu)}  ${name}${verdict}`);
}
console.log(JSON.stringify({ bench: 'lifecycle', node: process.versions.node, rounds, rows }));
