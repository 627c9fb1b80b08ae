// Whether find_tools finds the right tool: labeled questions over a catalog of about 1,300 tools (bench/search/), through the
// MCP front as a client would ask. Then time, index and event loop with 100,000 tools. `--misses` also prints what the first
// half of the questions missed; the second half is never printed.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleModule } from '../scripts/bundle.mjs';
import { readPackages, readQuestions } from './search/corpus.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const work = mkdtempSync(join(tmpdir(), 'toolwharf-bench-'));
const bundle = join(work, 'front.mjs');
const exported = `
  export { createMcpServer } from './src/serve/mcp/server.ts';
  export { createMcpServerParts } from './src/serve/mcp/server-options.ts';`;
await bundleModule(exported, root, bundle);
const { createMcpServer, createMcpServerParts } = await import(bundle);
rmSync(work, { recursive: true, force: true });

const packages = readPackages();
const toolsOf = (it, copy) =>
  it.tools.map(({ name, description, inputs }) => ({
    name: `${it.id}${copy}/${name}`,
    exposed: `${it.id}${copy}_${name}`,
    tool: {
      ...{ name, description, annotations: {}, effect: 'read', effectDeclared: true, idempotent: true },
      ...{ untrustedInputs: [], approval: 'none', examples: [], action: null },
      input: { type: 'object', properties: Object.fromEntries(inputs.map((key) => [key, {}])) },
    },
  }));
const sessionOf = (copies) => {
  const tools = copies.flatMap((copy) => packages.flatMap((it) => toolsOf(it, copy)));
  const states = copies.flatMap((copy) =>
    packages.map(({ id, name, description, tags }) => ({
      ...{ id: `${id}${copy}`, sandbox: 'enforced', tools: [] },
      package: { name, description, facts: [{ label: 'tags', value: tags }] },
    })),
  );
  return { tools: async () => tools, packages: async () => ({ packages: states }), onChange: () => () => {} };
};
const open = (session) => {
  const onBug = (error) => console.error(error);
  const parts = createMcpServerParts({ version: '0', state: null, now: Date.now, onBug });
  const options = { approvals: {}, approver: null, principal: 'bench', holder: 'bench', expose: 'search' };
  const client = createMcpServer({ ...parts, ...options, session }).session2025({ send: () => {} });
  let id = 0;
  return async (query) => {
    const params = { name: 'find_tools', arguments: { query, limit: 5 } };
    const { text } = await client.receive({ kind: 'request', id: ++id, method: 'tools/call', params });
    return JSON.parse(JSON.parse(text).result.content[0].text).tools;
  };
};
/** Processor time of the main thread alone. */
const cpuMs = () =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
const at = (times, share) => times.toSorted((a, b) => a - b)[Math.floor(times.length * share)].toFixed(2);

const names = new Map(
  packages.flatMap((it) => it.tools.map((tool) => [`${it.id}_${tool.name}`, `${it.id}/${tool.name}`])),
);
const halves = readQuestions();
const search = open(sessionOf(['']));
console.log(
  `find_tools over ${names.size} tools of ${packages.length} packages, Node ${process.versions.node}`,
);
for (const [half, questions] of Object.entries(halves)) {
  let [first, five, reciprocal] = [0, 0, 0];
  const misses = [];
  for (const { query, accepted } of questions) {
    const found = (await search(query)).map((it) => names.get(it.name));
    const place = found.findIndex((it) => accepted.has(it));
    if (place === 0) first++;
    if (place >= 0) five++;
    if (place >= 0) reciprocal += 1 / (place + 1);
    if (place !== 0) misses.push(`${place < 0 ? '–' : place + 1}  ${query} → ${found.join(', ')}`);
  }
  const share = (count) => `${(count / questions.length).toFixed(3)} (${count} of ${questions.length})`;
  const mrr = (reciprocal / questions.length).toFixed(3);
  console.log(`  ${half.padEnd(6)} half: first ${share(first)}, in five ${share(five)}, MRR ${mrr}`);
  if (half === 'first' && process.argv.includes('--misses'))
    for (const it of misses) console.log(`    ${it}`);
}

const copies = Array.from({ length: Math.ceil(100_000 / names.size) }, (_, copy) => `-${copy}`);
const many = sessionOf(copies);
const wide = open(many);
const before = process.memoryUsage().rss;
// Beside other work on the machine a turn also waits for a processor, so its processor time is measured too.
let [longest, longestCpu, last, lastCpu, isBuilding] = [0, 0, performance.now(), cpuMs(), true];
const turn = () => {
  const [now, cpu] = [performance.now(), cpuMs()];
  longest = Math.max(longest, now - last);
  longestCpu = Math.max(longestCpu, cpu - lastCpu);
  [last, lastCpu] = [now, cpu];
  if (isBuilding) setImmediate(turn);
};
setImmediate(turn);
const began = performance.now();
await wide('warm up');
const built = performance.now() - began;
turn();
isBuilding = false;
const memory = (process.memoryUsage().rss - before) / 2 ** 20;
const asked = [...halves.first, ...halves.second];
const round = async () => {
  const times = [];
  for (const { query } of asked) {
    const from = performance.now();
    await wide(query);
    times.push(performance.now() - from);
  }
  return `p50 ${at(times, 0.5)} ms, p99 ${at(times, 0.99)} ms`;
};
const [cold, warm] = [await round(), await round()];
console.log(`find_tools over ${copies.length * names.size} tools`);
console.log(`  ${asked.length} questions, first time: ${cold}; again: ${warm} (target: p50 ≤ 5 ms)`);
console.log(
  `  index built in ${built.toFixed(0)} ms, longest block of the event loop ${longest.toFixed(1)} ms (${longestCpu.toFixed(1)} ms of processor time), ${memory.toFixed(0)} MiB`,
);
