// Toolwharf with everything on beside gateways that do less: a hand-written floor, the official SDK and three peers, in one
// interleaved run on loopback. Ratios to the floor count; times move with the machine.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { gateways, installPeers, writePackages, writeServers } from './gateway/gateways.mjs';
import { at, endAll, endHostOf, hostOf, median, memoryOf, pause } from './gateway/machine.mjs';
import { atOnce, oneByOne, tally, timed } from './gateway/measure.mjs';
import { report } from './gateway/report.mjs';
import { measureSameWork } from './gateway/same-work.mjs';
import { goalLines, sameWorkReport } from './gateway/same-work-report.mjs';

if (!existsSync(new URL('../dist/main.cjs', import.meta.url)))
  throw new Error('there is no dist/main.cjs; run "npm run build" first');
const rounds = Number(process.env.ROUNDS ?? 6);
// ONLY=same-work measures these rows alone.
const only = process.env.ONLY;
const sameWorkRounds = Number(process.env.ROUNDS ?? 10);
const startRounds = Math.max(2, Math.ceil(rounds / 2));
const idle = 1000;
// The peers are installed first; everything is then started again in a network namespace that has loopback and nothing
// else, because some of them fetch catalogs from the internet when they start.
const inside = process.argv[2] === '--inside' ? process.argv[3] : undefined;
const folder = inside ?? mkdtempSync(join(tmpdir(), 'toolwharf-gateway-'));
chmodSync(folder, 0o755);
process.once('exit', endAll);
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => process.exit(1));

const say = (text) =>
  process.stderr.write(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${text}\n`);
const loadBefore = loadavg()[0];
if (inside === undefined) {
  say('installing the peers …');
  writeFileSync(join(folder, 'peers.json'), JSON.stringify(await installPeers(folder)));
  const words = ['--dev-bind', '/', '/', '--unshare-net', '--die-with-parent', '--', process.execPath];
  const { status } = spawnSync('/usr/bin/bwrap', [...words, process.argv[1], '--inside', folder], {
    stdio: 'inherit',
  });
  if (process.env.KEEP === undefined) rmSync(folder, { recursive: true, force: true });
  process.exit(status ?? 1);
}
const { found, skipped } = JSON.parse(readFileSync(join(folder, 'peers.json'), 'utf8'));
for (const size of [0, idle]) {
  mkdirSync(join(folder, `tools-${size}`));
  writePackages(join(folder, `tools-${size}`), size);
}
const same = await measureSameWork({
  ...{ folder, found, rounds: sameWorkRounds, say },
  drop: (name, error) => {
    if (name.startsWith('toolwharf') || name.startsWith('floor') || name.startsWith('direct')) throw error;
    skipped[name] = String(error.message).split('\n')[0];
  },
});
const sameWork = sameWorkReport(same, { rounds: sameWorkRounds });
if (only === 'same-work') {
  console.log([...sameWork.lines, '', 'goals', ...goalLines(sameWork.goals)].join('\n'));
  for (const [name, why] of Object.entries(skipped)) console.log(`  SKIPPED ${name}: ${why}`);
  process.exit(0);
}
writeServers(join(folder, 'servers'));
const all = gateways(folder, found);
const results = Object.fromEntries(
  Object.keys(all).map((name) => [
    name,
    {
      start: [],
      pss: [],
      rss: [],
      one: tally(),
      16: tally(),
      64: tally(),
      list: [],
      fan: [],
    },
  ]),
);
const pipes = Object.fromEntries(
  Object.keys(all)
    .filter((name) => 'stdio' in all[name])
    .map((name) => [name, { start: [], calls: tally() }]),
);
pipes.toolwharf.startDown = [];

/** Leaves a gateway out for good and says why; the floor and Toolwharf must run. */
function drop(name, error) {
  if (name === 'floor' || name === 'toolwharf') throw error;
  skipped[name] ??= String(error.message).split('\n')[0];
  delete all[name];
  delete results[name];
  delete pipes[name];
}
/** The work for every gateway in turn. */
async function each(work, names = Object.keys(all)) {
  for (const name of names) {
    if (!(name in all)) continue;
    try {
      await work(name);
    } catch (error) {
      drop(name, new Error(`${name}: ${error.message}`, { cause: error }));
    }
  }
}

const pipeNames = Object.keys(pipes);
const state = join(folder, 'state-0');
try {
  say('starting …');
  for (let round = -1; round < startRounds; round++) {
    // The first start of each fills caches of the file system and is not counted.
    const counted = round >= 0;
    await each(async (name) => {
      let one;
      const ms = await timed(async () => {
        one = await all[name].http();
      });
      for (let count = 0; count < 20; count++) await one.client.call(one.tool);
      await pause(300);
      const { pss, rss } = memoryOf(one.pid);
      await one.close();
      if (!counted) return;
      results[name].start.push(ms);
      results[name].pss.push(pss);
      results[name].rss.push(rss);
    });
    await each(async (name) => {
      let one;
      const open = async () => {
        one = await all[name].stdio();
      };
      const down = await timed(open);
      await one.close();
      if (name !== 'toolwharf') {
        if (counted) pipes[name].start.push(down);
        return;
      }
      // The host that the first shim started is there for the second.
      if (hostOf(state) === 0) throw new Error('no host was left in the background');
      const up = await timed(open);
      await one.close();
      await endHostOf(state);
      if (counted) {
        pipes.toolwharf.startDown.push(down);
        pipes.toolwharf.start.push(up);
      }
    }, pipeNames);
  }

  say('calling …');
  const open = {};
  const piped = {};
  await each(async (name) => {
    open[name] = await all[name].http();
    if (name in pipes) piped[name] = await all[name].stdio(name === 'toolwharf' ? open[name].pid : undefined);
  });
  for (let round = -1; round < rounds; round++) {
    // A round that is not counted warms every gateway and fills the pools.
    const into = (real) => (round < 0 ? tally() : real);
    const calls = round < 0 ? 1000 : 300;
    await each(async (name) => {
      await oneByOne(open[name], calls, into(results[name].one));
      for (const width of [16, 64]) await atOnce(open[name], width, calls * 2, into(results[name][width]));
    });
    await each((name) => oneByOne(piped[name], calls, into(pipes[name].calls)), pipeNames);
  }
  for (const one of [...Object.values(piped), ...Object.values(open)]) await one.close();

  say('starting with fifty behind …');
  for (let round = -1; round < startRounds; round++)
    await each(
      async (name) => {
        let one;
        const ms = await timed(async () => {
          one = await all[name].fan();
        });
        await one.close();
        if (round >= 0) results[name].fan.push(ms);
        else results[name].fanFirst = ms;
      },
      Object.keys(all).filter((name) => 'fan' in all[name]),
    );

  say('listing …');
  const many = {};
  await each(async (name) => {
    many[name] = await all[name].http(idle);
  });
  for (let round = -2; round < rounds * 4; round++)
    await each(async (name) => {
      const ms = await timed(() => many[name].client.list());
      if (round >= 0) results[name].list.push(ms);
    });
  for (const one of Object.values(many)) await one.close();

  report({
    results,
    pipes,
    skipped,
    rounds,
    at,
    median,
    load: [loadBefore, loadavg()[0]],
    cores: availableParallelism(),
    idle,
    sameWork,
  });
} finally {
  await endHostOf(state);
  endAll();
  if (process.env.KEEP === undefined) rmSync(folder, { recursive: true, force: true });
  else say(`kept ${folder}`);
}
