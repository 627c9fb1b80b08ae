// What a call of a stdio extension costs through the host, beside the same line over a bare pipe, interleaved in one run.
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createHost } from '../dist/index.js';
import { knownEffects } from './known-effects.mjs';

const rounds = Number(process.env.ROUNDS ?? 400);
const folder = mkdtempSync(join(tmpdir(), 'toolwharf-bench-'));
chmodSync(folder, 0o755);
const pack = join(folder, 'echo');
mkdirSync(pack);
writeFileSync(
  join(pack, 'plugin.toml'),
  `[plugin]
id = "echo"
version = "1.0.0"
[capabilities]
tools = ["say"]
[transport]
type = "stdio"
command = "/usr/bin/node"
args = ["extension.mjs"]
`,
);
writeFileSync(
  join(pack, 'extension.mjs'),
  `import { createInterface } from 'node:readline';
const tools = [{ name: 'say', description: 'Says it again.', input_schema: { type: 'object', properties: { text: { type: 'string' } } } }];
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const result = method === 'initialize' ? { tools, hooks: [] } : method === 'tools/call' ? { said: params.arguments.text } : {};
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
  if (method === 'shutdown') process.exit(0);
});
`,
);

const bare = spawn('/usr/bin/node', [join(pack, 'extension.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] });
const answers = createInterface({ input: bare.stdout })[Symbol.asyncIterator]();
let id = 0;
const overPipe = async (text) => {
  const params = { name: 'say', arguments: { text } };
  bare.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++id, method: 'tools/call', params })}\n`);
  return JSON.parse((await answers.next()).value).result.said;
};

const host = await createHost({ state: join(folder, 'state') });
const session = await host.session({
  directories: [pack],
  root: folder,
  principal: 'bench',
  policy: knownEffects,
});
const throughHost = async (text) => {
  const answer = await session.call({ tool: 'echo/say', arguments: { text } });
  if (answer.status !== 'ok') throw new Error(JSON.stringify(answer));
  return answer.result.said;
};

const cases = { 'bare pipe': overPipe, 'through the host': throughHost };
const times = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
for (let round = 0; round < rounds + 20; round++) {
  for (const [name, call] of Object.entries(cases)) {
    const text = `hello ${round}`;
    const started = performance.now();
    if ((await call(text)) !== text) throw new Error(`${name} answered something else`);
    if (round >= 20) times[name].push(performance.now() - started);
  }
}
const started = performance.now();
await Promise.all(Array.from({ length: 200 }, (_, index) => throughHost(String(index))));
const atOnce = performance.now() - started;

const at = (list, share) => list.toSorted((a, b) => a - b)[Math.floor(list.length * share)];
console.log(`a call of a stdio extension, ${rounds} interleaved rounds, Node ${process.versions.node}`);
const floor = at(times['bare pipe'], 0.5);
for (const [name, list] of Object.entries(times)) {
  const p50 = at(list, 0.5);
  console.log(
    `  ${(p50 / floor).toFixed(2).padStart(6)} ×  p50 ${p50.toFixed(3)} ms  p99 ${at(list, 0.99).toFixed(3)} ms  ${name}`,
  );
}
console.log(`  200 calls at once through the host: ${atOnce.toFixed(0)} ms together`);
console.log(
  JSON.stringify({ bench: 'extension', rounds, floor, p50: at(times['through the host'], 0.5), atOnce }),
);

bare.kill();
await host.close();
rmSync(folder, { recursive: true, force: true });
