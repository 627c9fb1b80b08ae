// Kills a host with `kill -9` at random instants while it installs, updates, rolls back, revokes or removes a package
// with a secret and an environment, starts it again, and checks that the old or the new state is there, and nothing else.
// Usage: node bench/lifecycle-kill.mjs [--count N] [--seed N] [--workers N] [--plain|--wheels]. A long run: --count 2000 --workers 2.
// `--plain`: without language packages, which are slow to install; `--wheels`: each version has some. `--workers`: so many
// runs at once, each with a state of its own and the next seed. Changes that end before their kill are not counted.
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { checkState } from './lifecycle-kill/check.mjs';
import { markOf, origins, wheelVersions, writePackage, writeWheels } from './lifecycle-kill/packages.mjs';
import { runWorkers } from './lifecycle-kill/workers.mjs';
import { chance } from './trust/chance.mjs';

const { values: options } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string' },
    plain: { type: 'boolean', default: false },
    wheels: { type: 'boolean', default: false },
    workers: { type: 'string', default: '1' },
  },
});
const count = Number(options.count);
const { plain, wheels } = options;
const seed = Number(options.seed ?? Math.floor(Math.random() * 2 ** 32));
const { below, pick } = chance(seed);
if (Number(options.workers) > 1)
  process.exit(await runWorkers({ workers: Number(options.workers), count, seed, plain, wheels }));
console.log(`${count} kills, seed ${seed}`);

const script = fileURLToPath(new URL('lifecycle-kill/change.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'lifecycle-kill-'));
chmodSync(folder, 0o755);
for (const it of ['wheels', 'package', 'workspace']) mkdirSync(join(folder, it));
chmodSync(join(folder, 'workspace'), 0o777);
writeWheels(join(folder, 'wheels'));

/** How long each operation takes, from what was seen. The instants of kills are spread over it. */
const times = { install: 1500, update: 1500, rollback: 100, remove: 200, revoke: 300, open: 300 };
const steps = ['credentials', 'environment', 'smoke', 'switch'];
const totals = { before: 0, after: 0, stopped: 0, ended: 0, openKilled: 0 };
const kills = { install: 0, update: 0, rollback: 0, remove: 0, revoke: 0 };
const killed = () => totals.before + totals.after + totals.stopped;
const startedAtMs = performance.now();
const problems = [];

/** A process that has loaded the code and waits for its change; started while the state is checked. */
let waiting = startProcess();

function startProcess() {
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => {});
  return child;
}

/** Runs one change and kills it: at a time after its start, or soon after a step began. Returns whether it ended. */
async function runAndKill(change, { afterMs, step }) {
  const child = waiting;
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const exited = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
  let startedAt;
  let isDone = false;
  const killLater = () =>
    afterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), afterMs);
  let timer;
  child.stdin.end(`${JSON.stringify({ ...change, folder })}\n`);
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === 'ready') startedAt = performance.now();
    if (line === 'done') {
      isDone = true;
      times[change.operation] = (times[change.operation] + performance.now() - startedAt) / 2;
    }
    const first = change.operation === 'open' ? 'begun' : 'ready';
    const isInstant = line === (step === undefined ? first : `step ${step}`);
    if (isInstant) timer ??= killLater();
  }
  const code = await exited;
  clearTimeout(timer);
  waiting = startProcess();
  if (code !== 0 && code !== null) {
    problems.push(`${change.operation} failed: ${errors.slice(-2000)}`);
    console.log(problems.at(-1));
  }
  if (!isDone && afterMs !== undefined && step === undefined && change.operation !== 'open')
    times[change.operation] = Math.max(times[change.operation], afterMs);
  return isDone;
}

/** Versions that were served before, oldest first. A rollback goes to the one before. */
let history = [];
let current;
let secret;
const textOf = (it, value) => (it === undefined ? 'nothing' : `1.0.${it.name} ${it.origin} ${markOf(value)}`);

const wanted = [
  'update',
  'rollback',
  'revoke',
  'update',
  'remove',
  'rollback',
  'update',
  'revoke',
  'rollback',
  'remove',
];

/** Whether the last change was an installation that a kill prevented. */
let wasPrevented = false;
let turn = 0;

// Some changes are not killed, so that later ones have something to change.
for (let round = 0; killed() < count; round += 1) {
  const canRollBack = history.length > 0 && history[0].name < (current?.name ?? 0);
  const due = wanted[turn % wanted.length];
  const isPreparing = current === undefined ? wasPrevented : due === 'rollback' && !canRollBack;
  const operation = current === undefined ? 'install' : isPreparing ? 'update' : due;
  if (operation === due) turn += 1;
  const isNew = operation === 'install' || operation === 'update';
  const next = isNew
    ? { name: round, origin: pick(plain ? ['files'] : wheels ? wheelVersions : origins) }
    : undefined;
  const newSecret =
    operation === 'install' || (isNew && below(2) === 0) ? `value-${seed}-${round}` : undefined;
  if (next !== undefined) {
    rmSync(join(folder, 'package'), { recursive: true });
    writePackage(join(folder, 'package'), String(next.name), next.origin);
  }
  const earlier = history.filter((it) => it.name < (current?.name ?? 0)).at(-1);
  const isLeaving = operation === 'remove' || operation === 'revoke';
  const target = isLeaving ? undefined : operation === 'rollback' ? earlier : next;
  const before = textOf(current, secret);
  const after = textOf(target, newSecret ?? secret);

  const step = isNew && below(2) === 0 ? pick(steps) : undefined;
  const afterMs = below(step === undefined ? Math.ceil(times[operation] * 1.1) : step === 'switch' ? 12 : 40);
  const values = newSecret === undefined ? {} : { COUNTER_TOKEN: newSecret };
  const isDone = await runAndKill({ operation, values }, isPreparing ? {} : { step, afterMs });
  if (!isPreparing && below(4) === 0) {
    await runAndKill({ operation: 'open' }, { afterMs: below(times.open) });
    totals.openKilled += 1;
  }

  const where = `round ${round}: ${operation}, killed ${afterMs} ms after ${step ?? 'its start'}`;
  let { served, problems: found } = await check();
  const isStopped = operation === 'revoke' && !isDone && served === 'stopped';
  if (isStopped && found.length === 0) {
    // What a person does then: revoke it again. This time it is not killed.
    await runAndKill({ operation }, {});
    ({ served, problems: found } = await check());
    if (served !== after) found.push(`after another revocation, it serves ${served}`);
  }
  if (served !== after && (isDone || served !== before))
    found.push(`it serves ${served}; expected ${isDone ? after : `${before}, or ${after}`}`);
  for (const it of found) console.log(`${where}: ${it}`);
  problems.push(...found);
  wasPrevented = operation === 'install' && served === before;
  if (!isPreparing) {
    totals[isDone ? 'ended' : isStopped ? 'stopped' : served === after ? 'after' : 'before'] += 1;
    if (!isDone) kills[operation] += 1;
  }
  if (problems.length > 0) break;
  if (served === after && served !== before) {
    secret = target === undefined ? undefined : (newSecret ?? secret);
    if (target === undefined) history = [];
    else if (isNew && current !== undefined)
      history = kept([...history.filter((it) => it !== target), current]);
    else if (current !== undefined) history = [...history.filter((it) => it !== target), current];
    history.sort((a, b) => a.name - b.name);
    current = target;
  }
  if (round > 0 && round % 50 === 0)
    console.log(
      `${round} rounds, ${killed()} kills, ${Math.round((performance.now() - startedAtMs) / 1000)} s`,
    );
}

function check() {
  return checkState(folder).catch((error) => ({
    served: 'unknown',
    problems: [String(error?.stack ?? error)],
  }));
}

/** The host keeps three generations with the current one. */
function kept(list) {
  return list.sort((a, b) => a.name - b.name).slice(-2);
}

console.log(
  `${problems.length} problems; ${killed()} kills: old state ${totals.before}, new state ${totals.after}, stopped while it was revoked ${totals.stopped}; ${totals.openKilled} starts killed too; ended before the kill ${totals.ended}`,
);
waiting.stdin.end();
console.log(`kills by operation: ${JSON.stringify(kills)}`);
if (problems.length === 0) rmSync(folder, { recursive: true, force: true });
else console.log(`the state is in ${folder}`);
process.exitCode = problems.length === 0 ? 0 : 1;
