// What a confined call costs in a running host, as ratios to the bare process in the same interleaved run.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createHost } from '../dist/index.js';

const rounds = Number(process.env.ROUNDS ?? 40);
const folder = mkdtempSync(join(tmpdir(), 'toolwharf-bench-'));
chmodSync(folder, 0o755);

const patch = (name, filesystem) => `# ---
# name: ${name}
# version: "1.0.0"
# description: Count the words of a text.
# inputs:
#   - name: text
#     type: string
#     description: The text.
# outputs:
#   type: object
# capabilities:
#   network: false
#   filesystem: ${filesystem}
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.11"
# ---
import collections
import datetime
import json
import re
import statistics
import sys
import { knownEffects } from './known-effects.mjs';


def main(text):
    words = re.findall(r"\\w+", text)
    return {"words": len(words), "longest": max(map(len, words), default=0)}


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.stdin.read()))))
`;
const write = (path, text) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};
write('count_words.py', patch('count_words', 'none'));
// What may write is never started ahead: the same tool, cold each time.
write('count_cold.py', patch('count_cold', 'read-write'));
mkdirSync(join(folder, 'workspace'));
chmodSync(join(folder, 'workspace'), 0o777);
write(
  'echo/manifest.json',
  JSON.stringify({
    id: 'echo',
    name: 'Echo',
    description: 'Says what it is told.',
    version: '1.0.0',
    credentials: [],
    functions: [
      {
        name: 'say',
        description: 'Say a text.',
        parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      },
    ],
  }),
);
write('echo/index.js', 'export function say({ text }) { return { text }; }\n');
// The same as pure compute: nothing has to be on the disk before it runs.
write(
  'pure/findagent.json',
  JSON.stringify({
    name: 'Pure',
    description: 'Says what it is told, and does nothing else.',
    system_prompt: 'You say what you are told, word by word, using the tool say and nothing else at all.',
    kind: 'code-bundle',
    example_prompts: ['Say hello.'],
    runtime: { kind: 'node', version: '20' },
    entrypoint: { path: 'index.mjs' },
    mcp: { mode: 'wrap' },
    allowed_hosts: [],
    tools: [
      {
        name: 'say',
        description: 'Say a text.',
        input_schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        annotations: { readOnlyHint: true },
      },
    ],
  }),
);
write('pure/index.mjs', 'export function handler({ input }) { return { text: input.text }; }\n');

const python = '/usr/bin/python3';
const input = JSON.stringify({ text: 'one two three' });
/** A process as anybody would start it, from the same place, read to its end. */
const bare = (command, words) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, words, { cwd: folder, env: { PATH: '/usr/bin:/bin' } });
    child.stdout.resume();
    child.stderr.resume();
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`it ended with ${code}`))));
    child.stdin.end(input);
  });

const host = await createHost({ state: join(folder, 'state'), onBug: console.error });
const session = await host.session({
  directories: [folder],
  root: join(folder, 'workspace'),
  policy: knownEffects,
});
const call = async (tool) => {
  const answer = await session.call({ tool, arguments: { text: 'one two three' } });
  if (answer.status !== 'ok') throw new Error(JSON.stringify(answer));
};
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const timed = async (work) => {
  const started = performance.now();
  await work();
  return performance.now() - started;
};

// The first calls stage the files, load the schema engine and fill the pool.
for (const tool of ['count_words', 'count_cold', 'echo/say', 'pure/say']) {
  await call(tool);
  await call(tool);
}
await pause(500);

const cases = {
  'bare python': () => bare(python, [join(folder, 'count_words.py')]),
  'bare node': () => bare(process.execPath, [join(folder, 'echo/index.js')]),
  'python, cold': () => call('count_cold'),
  'python, warm': async () => call('count_words'),
  'function, pure': () => call('pure/say'),
  'function, may write': () => call('echo/say'),
};
const times = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
for (let round = 0; round < rounds; round++) {
  for (const [name, work] of Object.entries(cases)) {
    // Calls of kept processes come in bursts: what is measured is not how long the machine takes to wake up.
    const burst = name.startsWith('function') ? 10 : 1;
    for (let count = 0; count < burst; count++) times[name].push(await timed(work));
    // The next warm sandbox starts in the background, where it must not disturb what is measured next.
    if (name === 'python, warm') await pause(150);
  }
}
const at = (list, part) =>
  list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * part))];
const median = (list) => at(list, 0.5);
const targets = {
  'python, cold': ['bare python', 2.0],
  'python, warm': ['bare python', 0.05],
  'function, pure': ['bare node', 0.02],
};

console.log(`calls in a running host, ${rounds} interleaved rounds, Node ${process.versions.node}`);
const rows = [];
for (const [name, list] of Object.entries(times)) {
  const [floor, target] = targets[name] ?? [name.startsWith('function') ? 'bare node' : name, null];
  const ratio = median(list) / median(times[floor]);
  rows.push({ name, floor, ratio, ms: median(list), p99: at(list, 0.99) });
  const verdict = target === null ? '' : `${ratio <= target ? 'met' : 'NOT MET'} (≤ ${target} × ${floor})`;
  console.log(
    `  ${ratio.toFixed(3).padStart(6)} ×  p50 ${median(list).toFixed(2).padStart(7)} ms  p99 ${at(list, 0.99).toFixed(2).padStart(7)} ms  ${name.padEnd(22)} ${verdict}`,
  );
}

const floor = median(times['bare python']);
const memoryOf = (pids) => {
  let total = 0;
  for (const pid of pids) {
    try {
      total += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    } catch {
      // It ended meanwhile.
    }
  }
  return total / 1024;
};
const descendants = (pid) => {
  let children = '';
  try {
    children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
  } catch {
    return [];
  }
  const own = children.split('\n').map(Number).filter(Boolean);
  return [...own, ...own.flatMap(descendants)];
};
await pause(300);
const resting = descendants(process.pid);
console.log(
  `  at rest: ${resting.length} processes below the host, ${memoryOf(resting).toFixed(1)} MiB (one warm sandbox, two kept functions)`,
);

const row = [];
for (let count = 0; count < 200; count++) row.push(await timed(() => call('count_words')));
console.log(
  `  200 calls in a row, warm where one is ready: p50 ${median(row).toFixed(1)} ms, p99 ${at(row, 0.99).toFixed(1)} ms, worst ${Math.max(...row).toFixed(1)} ms (bare ${floor.toFixed(1)} ms)`,
);

for (const [name, tool] of [
  ['python', 'count_cold'],
  ['function', 'pure/say'],
]) {
  const each = [];
  const all = await timed(() =>
    Promise.all(Array.from({ length: 64 }, async () => each.push(await timed(() => call(tool))))),
  );
  console.log(
    `  64 at once, ${name}: ${(64_000 / all).toFixed(0)} a second, p50 ${median(each).toFixed(0)} ms, worst ${Math.max(...each).toFixed(0)} ms`,
  );
}
const bareAll = await timed(() =>
  Promise.all(Array.from({ length: 64 }, () => bare(python, [join(folder, 'count_words.py')]))),
);
console.log(`  64 at once, bare python: ${(64_000 / bareAll).toFixed(0)} a second`);
await host.close();
rmSync(folder, { recursive: true, force: true });
console.log(JSON.stringify({ bench: 'run', node: process.versions.node, rounds, rows }));
