// 500 calls a second of a kept function with a durable record, for a minute; then more and more until the host sheds.
// Every call is on record before it runs (its effect is undeclared, so it is taken for a write).
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from '../dist/index.js';
import { knownEffects } from './known-effects.mjs';

const seconds = Number(process.env.SECONDS_HELD ?? 60);
const rate = Number(process.env.RATE ?? 500);
const folder = mkdtempSync(join(tmpdir(), 'toolwharf-load-'));
chmodSync(folder, 0o755);
mkdirSync(join(folder, 'echo'));
writeFileSync(
  join(folder, 'echo', 'manifest.json'),
  JSON.stringify({
    id: 'echo',
    name: 'Echo',
    description: 'Says what it is told.',
    version: '1.0.0',
    functions: [
      {
        name: 'say',
        description: 'Say it.',
        parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      },
    ],
  }),
);
writeFileSync(
  join(folder, 'echo', 'index.mjs'),
  'export const handlers = { say({ text }) { return { said: text }; } };\n',
);

const megabytes = () => `${Math.round(process.memoryUsage().rss / 1024 / 1024)} MiB`;
const state = join(folder, 'state');
const host = await createHost({ state });
const session = await host.session({
  principal: 'load',
  directories: [folder],
  root: folder,
  policy: knownEffects,
});
const call = (text) => session.call({ tool: 'echo/say', arguments: { text } });
for (let index = 0; index < 200; index++) await call('warm');

/** Calls at fixed times, whether or not earlier ones were answered: slow answers show as waiting, not as fewer calls. */
async function hold(perSecond, forSeconds) {
  const codes = new Map();
  const times = [];
  const memory = [megabytes()];
  const open = new Set();
  const started = performance.now();
  const cpu = process.cpuUsage();
  let sent = 0;
  const total = perSecond * forSeconds;
  while (sent < total) {
    const due = Math.min(total, Math.floor(((performance.now() - started) / 1000) * perSecond));
    for (; sent < due; sent++) {
      const planned = started + (sent / perSecond) * 1000;
      const one = call(String(sent)).then((answer) => {
        const code = answer.status === 'ok' ? 'ok' : answer.error.code;
        codes.set(code, (codes.get(code) ?? 0) + 1);
        if (code === 'ok') times.push(performance.now() - planned);
        open.delete(one);
      });
      open.add(one);
    }
    if (memory.length === 1 && sent >= total / 2) memory.push(megabytes());
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(open);
  memory.push(megabytes());
  const used = process.cpuUsage(cpu);
  times.sort((a, b) => a - b);
  const at = (share) => (times[Math.floor(times.length * share)] ?? 0).toFixed(1);
  return {
    perSecond,
    seconds: Number(((performance.now() - started) / 1000).toFixed(1)),
    answers: Object.fromEntries(codes),
    p50ms: at(0.5),
    p99ms: at(0.99),
    memory: memory.join(' → '),
    hostCpuMsPerCall: ((used.user + used.system) / 1000 / total).toFixed(2),
  };
}

const held = await hold(rate, seconds);
console.log(held);
for (let more = rate * 2; more <= rate * 16; more *= 2) {
  const result = await hold(more, 5);
  console.log(result);
  if (Object.keys(result.answers).some((code) => code !== 'ok')) break;
}

const verdict = await host.verifyAudit();
await host.close();
// The whole log, as a person would read it.
const command = join(import.meta.dirname, '../dist/main.cjs');
const exported = spawnSync(process.execPath, [command, 'audit', 'export', '--state', state], {
  encoding: 'utf8',
  maxBuffer: 2 ** 30,
});
if (exported.status !== 0) throw new Error(exported.stderr);
const lines = exported.stdout
  .split('\n')
  .filter(Boolean)
  .map((it) => JSON.parse(it));
const count = (kind) => lines.filter((it) => it.kind === kind).length;
const ends = new Set(lines.filter((it) => it.kind === 'outcome').map((it) => it.body.callId));
const lost = lines.filter((it) => it.kind === 'intent' && !ends.has(it.body.callId)).length;
console.log({
  verified: verdict.ok,
  lines: verdict.entries,
  checkpoints: verdict.checkpoints,
  intents: count('intent'),
  outcomes: count('outcome'),
  refusals: count('refusal'),
  lost,
});
const kept = held.answers.ok === rate * seconds;
console.log(kept && verdict.ok && lost === 0 ? 'met' : 'NOT met', `${rate}/s for ${seconds} s`);
rmSync(folder, { recursive: true, force: true });
