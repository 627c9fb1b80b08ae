// Hosts in use, with everything going wrong around them, for minutes: nothing may be left over and nothing may grow.
//   npm run soak -- --minutes 10 --seed 7
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createHost } from '../dist/index.js';
import { crew } from '../test/support/upstreams/crew.mjs';
import { random, Trouble } from './soak/trouble.mjs';
import { isThere, measure, namesOf, pause, sandboxesOf } from './soak/watch.mjs';

const { values } = parseArgs({ options: { minutes: { type: 'string' }, seed: { type: 'string' } } });
const minutes = Number(values.minutes ?? 10);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const main = fileURLToPath(new URL('../dist/main.cjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'toolwharf-soak-'));
chmodSync(folder, 0o755);
const packages = join(folder, 'packages');
const state = join(folder, 'state');

const code =
  'export const handlers = { act: ({ text, ms = 0 }) => new Promise((resolve) => setTimeout(() => resolve({ text }), ms)) };\n';
const functions = [
  {
    name: 'act',
    description: 'Says it again.',
    parameters: { type: 'object', properties: {}, additionalProperties: true },
  },
];
const talos = (id, rest = {}) => ({
  [`${id}/manifest.json`]: JSON.stringify({
    id,
    name: id,
    description: 'One function.',
    version: '1.0.0',
    functions,
    ...rest,
  }),
  [`${id}/index.mjs`]: code,
});
const files = {
  ...crew('nexo', 'nexo-good', 'good'),
  ...crew('mcp', 'mcp-good', 'good'),
  ...talos('kept'),
  ...talos('locked', { credentials: [{ name: 'key', label: 'Key', required: true }] }),
};
for (const [name, text] of Object.entries(files)) {
  mkdirSync(dirname(join(packages, name)), { recursive: true });
  writeFileSync(join(packages, name), text);
}

process.stdout.write(`soak of ${minutes} min, seed ${seed}, Node ${process.versions.node}\n`);
const bugs = [];
const library = await createHost({ state: join(folder, 'own'), onBug: (error) => bugs.push(String(error)) });
const words = [main, 'serve', packages, '--port', '0', '--json', '--state', state];
const host = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] });
const complaints = [];
host.stderr.on('data', (chunk) => complaints.push(String(chunk)));
const ended = new Promise((resolve) => host.once('close', resolve));
const served = await new Promise((resolve) =>
  createInterface({ input: host.stdout }).once('line', (line) => resolve(JSON.parse(line))),
);
host.stdout.resume();

const trouble = new Trouble({ next: random(seed), served, library, state, packages, files, host });
const samples = { 'the served host': [], 'the library': [] };
const seen = new Set();
const working = trouble.run();
const started = performance.now();
const every = Math.min(5, minutes * 2) * 1000;
let told = 0;
while (performance.now() - started < minutes * 60_000) {
  await pause(every);
  samples['the served host'].push(measure(host.pid));
  samples['the library'].push(measure(process.pid));
  for (const name of namesOf([host.pid, process.pid].flatMap(sandboxesOf))) seen.add(name);
  const minute = Math.floor((performance.now() - started) / 60_000);
  if (minute > told) tell(++told);
}
trouble.stop();
await working;

function tell(minute) {
  for (const [name, list] of Object.entries(samples)) {
    const { processes, descriptors, rss } = list.at(-1);
    const line = `${String(processes).padStart(4)} processes ${String(descriptors).padStart(4)} descriptors ${rss.toFixed(0).padStart(5)} MiB`;
    process.stdout.write(`${String(minute).padStart(3)} min  ${name.padEnd(16)}${line}\n`);
  }
  const codes = [...trouble.codes].map(([name, count]) => `${name} ${count}`).join(', ');
  process.stdout.write(`         ${trouble.calls} calls: ${codes}\n`);
}

const high = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length * 0.9)];
const failures = [];
const hold = (what, isTrue) => {
  process.stdout.write(`${isTrue ? 'met    ' : 'NOT MET'}  ${what}\n`);
  if (!isTrue) failures.push(what);
};
process.stdout.write(`acts: ${[...trouble.acts].map(([name, count]) => `${name} ${count}`).join(', ')}\n`);
// What is kept ready fills up in the beginning; from the second quarter to the last one nothing may grow. Processes come and go by
// the dozen, so what nine of ten looks do not exceed is compared: what leaks raises that too, and chance does not.
const bounds = { processes: 12, descriptors: 24, rss: 48 };
for (const [name, list] of Object.entries(samples)) {
  const quarter = Math.floor(list.length / 4);
  for (const [what, bound] of Object.entries(bounds)) {
    const early = high(list.slice(quarter, 2 * quarter).map((it) => it[what]));
    const late = high(list.slice(-quarter).map((it) => it[what]));
    const unit = what === 'rss' ? 'MiB' : what;
    hold(
      `${name}: ${early.toFixed(0)} → ${late.toFixed(0)} ${unit}, at most ${bound} more`,
      late - early <= bound,
    );
  }
}
const record = await library.verifyAudit();
await library.close();
host.kill('SIGTERM');
hold(`the served host ended by itself (${await ended})`, host.exitCode === 0);
await pause(500);
const left = [...seen].filter(isThere);
hold(`none of ${seen.size} processes is left`, left.length === 0 && sandboxesOf(process.pid).length === 0);
const checked = spawnSync(process.execPath, [main, 'audit', 'verify', '--state', state], {
  encoding: 'utf8',
});
hold(`the records are whole: ${checked.stdout.trim().split('\n')[0]}`, checked.status === 0 && record.ok);
hold(`every answer was that of its call (${trouble.calls} calls)`, trouble.wrong.length === 0);
hold('no mistake of the host came to light', bugs.length === 0 && complaints.length === 0);
for (const it of [...trouble.wrong, ...bugs].slice(0, 20)) process.stdout.write(`  ${it}\n`);
if (complaints.length > 0) process.stdout.write(`${complaints.join('').slice(0, 2000)}\n`);
rmSync(folder, { recursive: true, force: true });
process.exitCode = failures.length === 0 ? 0 : 1;
