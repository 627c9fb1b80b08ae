// A thousand tools behind the fixed few: how much smaller the list gets, and whether the right tool is found. Everything
// goes through the MCP front as a client would; only the packages behind it are made up (bench/tool-catalog.mjs).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleModule } from '../scripts/bundle.mjs';
import { catalog, questions } from './tool-catalog.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const work = mkdtempSync(join(tmpdir(), 'toolwharf-bench-'));
const bundle = join(work, 'front.mjs');
const exported = `
  export { createMcpServer } from './src/serve/mcp/server.ts';
  export { createMcpServerParts } from './src/serve/mcp/server-options.ts';`;
await bundleModule(exported, root, bundle);
const { createMcpServer, createMcpServerParts } = await import(bundle);

const made = catalog();
const keys = new Map(made.map((it) => [`${it.package}_${it.name}`, it.key]));
const tools = made.map((it) => ({
  name: `${it.package}/${it.name}`,
  exposed: `${it.package}_${it.name}`,
  tool: {
    name: it.name,
    description: it.description,
    input: it.input,
    annotations: {},
    effect: 'read',
    effectDeclared: true,
    idempotent: true,
    untrustedInputs: [],
    approval: 'none',
    examples: [],
    action: null,
  },
}));
const abouts = new Map(made.map((it) => [it.package, it.about]));
const states = [...abouts].map(([id, name]) => ({
  id,
  sandbox: 'enforced',
  tools: [],
  package: { name, facts: [] },
}));
const small = {
  tools: async () => tools,
  packages: async () => ({ packages: states }),
  onChange: () => () => {},
};

const open = (expose, session = small) => {
  const onBug = (error) => console.error(error);
  const parts = createMcpServerParts({ version: '0', state: null, now: Date.now, onBug });
  const front = createMcpServer({
    ...parts,
    session,
    approvals: {},
    approver: null,
    principal: 'bench',
    holder: 'bench',
    expose,
  });
  const client = front.session2025({ send: () => {} });
  let id = 0;
  return async (method, params = {}) => {
    const { text } = await client.receive({ kind: 'request', id: ++id, method, params });
    return { text, result: JSON.parse(text).result };
  };
};

async function listed(ask) {
  let bytes = 0;
  let pages = 0;
  let cursor;
  do {
    const { text, result } = await ask('tools/list', cursor === undefined ? {} : { cursor });
    bytes += Buffer.byteLength(text);
    pages++;
    cursor = result.nextCursor;
  } while (cursor !== undefined);
  return { bytes, pages };
}

const all = await listed(open('all'));
const ask = open('auto');
const few = await listed(ask);

const search = async (query, limit) => {
  const { result } = await ask('tools/call', { name: 'find_tools', arguments: { query, limit } });
  return { text: result.content[0].text, tools: JSON.parse(result.content[0].text).tools };
};
await search('warm up', 5);

let first = 0;
let five = 0;
let bytes = 0;
const times = [];
const missed = [];
for (const [query, ...meant] of questions) {
  const wanted = new Set(meant.map(([id, kind, noun]) => `${id}/${kind}/${noun}`));
  for (const it of wanted) if (![...keys.values()].includes(it)) throw new Error(`there is no tool ${it}`);
  const began = performance.now();
  const { text, tools: found } = await search(query, 5);
  times.push(performance.now() - began);
  bytes += Buffer.byteLength(text);
  const places = found.map((it) => wanted.has(keys.get(it.name)));
  if (places[0]) first++;
  if (places.includes(true)) five++;
  else missed.push(`${query} → ${found.map((it) => it.name).join(', ') || 'nothing'}`);
}
times.sort((a, b) => a - b);
const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(2);

console.log(`tools/list of ${made.length} tools in ${abouts.size} packages, Node ${process.versions.node}`);
console.log(`  all     ${all.bytes} bytes in ${all.pages} pages`);
console.log(
  `  search  ${few.bytes} bytes in ${few.pages} page: ${(all.bytes / few.bytes).toFixed(0)} × smaller`,
);
console.log(`  one search answers with ${Math.round(bytes / questions.length)} bytes for five tools`);
console.log(`search, ${questions.length} labeled questions`);
console.log(
  `  recall@5 ${(five / questions.length).toFixed(3)} (${five} of ${questions.length}), first place ${(first / questions.length).toFixed(3)}`,
);
console.log(`  p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
for (const it of missed) console.log(`  missed: ${it}`);

// The same hundred times over, each time under names and with a word of its own.
const times100 = Array.from({ length: 100 }, (_, copy) =>
  tools.map(({ name, exposed, tool }) => ({
    name: `${copy}${name}`,
    exposed: `${exposed}_${copy}`,
    tool: { ...tool, description: `${tool.description} For region r${copy}x${exposed.length}.` },
  })),
).flat();
const wide = open('auto', { ...small, tools: async () => times100 });
const searchWide = (query) => wide('tools/call', { name: 'find_tools', arguments: { query, limit: 5 } });
const indexing = performance.now();
await searchWide('warm up');
const indexed = performance.now() - indexing;
const wideTimes = [];
for (let round = 0; round < 3; round++) {
  for (const [query] of questions) {
    const began = performance.now();
    await searchWide(query);
    wideTimes.push(performance.now() - began);
  }
}
wideTimes.sort((a, b) => a - b);
const p50 = wideTimes[Math.floor(wideTimes.length / 2)];
console.log(
  `${times100.length} tools: p50 ${p50.toFixed(2)} ms, p99 ${wideTimes[Math.floor(wideTimes.length * 0.99)].toFixed(2)} ms, target p50 ≤ 5 ms: ${p50 <= 5 ? 'met' : 'NOT MET'}; the index is made in ${indexed.toFixed(0)} ms`,
);
rmSync(work, { recursive: true, force: true });
