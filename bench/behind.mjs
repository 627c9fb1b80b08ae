// An MCP server over stdio through the library beside the same server asked directly, with the processor time of each, and
// the time until fifty of them are listed, interleaved in one run on loopback. Ratios count; times move with the machine.
import { spawn } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createHost } from '../dist/index.js';
import { at, freePort, median, pause } from './gateway/machine.mjs';
import { knownEffects } from './known-effects.mjs';

const rounds = Number(process.env.ROUNDS ?? 20);
const callsARound = 50;
const many = 50;
const folder = mkdtempSync(join(tmpdir(), 'toolwharf-behind-'));
chmodSync(folder, 0o755);
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const echo = here('gateway/echo-server.mjs');
const load = loadavg()[0];

function write(path, id) {
  const page = 'https://example.com/tool';
  mkdirSync(join(path, id), { recursive: true });
  copyFileSync(echo, join(path, id, 'server.mjs'));
  const about = { id, version: '1.0.0', name: id, summary: 'Says a text.', homepage: page, license: 'MIT' };
  const manifest = {
    manifest_version: '0.2',
    tool: about,
    runtime: {
      kind: 'mcp-stdio',
      install: { method: 'git', url: page, ref: '0'.repeat(40) },
      entrypoint: { command: ['node', 'server.mjs'] },
    },
    smoke: { kind: 'mcp-tool-call', tool_name: 'say', arguments: { text: 'x' }, success: {} },
    kill_switch: { kind: 'manual', instructions_url: page },
  };
  writeFileSync(join(path, id, 'toolspace.json'), JSON.stringify(manifest));
}

/** The same server without anybody between. */
function direct() {
  const child = spawn(process.execPath, [echo], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let id = 0;
  const ask = async (method, params) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params })}\n`);
    return JSON.parse((await lines.next()).value).result;
  };
  const call = async (text) =>
    (await ask('tools/call', { name: 'say', arguments: { text } })).content[0].text;
  return { call, close: () => child.kill() };
}

async function calls() {
  write(join(folder, 'one'), 'echo');
  const host = await createHost({ state: join(folder, 'state') });
  const session = await host.session({
    directories: [join(folder, 'one')],
    principal: 'bench',
    policy: knownEffects,
  });
  const bare = direct();
  const ways = {
    directly: bare.call,
    'through the host': async (text) => {
      const answer = await session.call({ tool: 'echo/say', arguments: { text } });
      if (answer.status !== 'ok') throw new Error(JSON.stringify(answer));
      return answer.result;
    },
  };
  const results = Object.fromEntries(Object.keys(ways).map((name) => [name, { times: [], cpu: 0 }]));
  for (let round = -1; round < rounds; round++) {
    for (const [name, call] of Object.entries(ways)) {
      const before = process.cpuUsage();
      const times = [];
      for (let count = 0; count < callsARound; count++) {
        const from = performance.now();
        if ((await call(`hello ${count}`)) !== `hello ${count}`) throw new Error(`${name}: another answer`);
        times.push(performance.now() - from);
      }
      const { user, system } = process.cpuUsage(before);
      // The first round warms both and is not counted.
      if (round < 0) continue;
      results[name].times.push(...times);
      results[name].cpu += user + system;
    }
  }
  bare.close();
  await host.close();
  return results;
}

/** Milliseconds from the start of a process until its list has so many tools. */
async function untilListed(words, ask) {
  const from = performance.now();
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'ignore'] });
  const said = new Promise((resolve) =>
    createInterface({ input: child.stdout }).once('line', (line) => resolve(line)),
  );
  const gone = new Promise((resolve) => child.once('close', resolve));
  for (;;) {
    const count = await ask(said).catch(() => 0);
    if (count === many) break;
    await pause(5);
  }
  const ms = performance.now() - from;
  child.kill();
  await gone;
  return ms;
}

async function lists() {
  const packages = join(folder, 'many');
  for (let index = 0; index < many; index++) write(packages, `echo${index}`);
  const floor = async () => {
    const port = await freePort();
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const words = [here('gateway/fan.mjs'), String(port), String(many), process.execPath, echo];
    return untilListed(words, async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', body });
      return (await answer.json()).result.tools.length;
    });
  };
  const words = [here('../dist/main.cjs'), 'serve', packages, '--port', '0', '--json'];
  const toolwharf = () =>
    untilListed([...words, '--state', join(folder, 'state-many')], async (said) => {
      const { api, agentToken } = JSON.parse(await said);
      const headers = { authorization: `Bearer ${agentToken}` };
      return (await (await fetch(`${api}/tools`, { headers })).json()).tools.length;
    });
  const times = { floor: [], toolwharf: [] };
  for (let round = -1; round < 5; round++) {
    for (const [name, measure] of Object.entries({ floor, toolwharf })) {
      const ms = await measure();
      // In the first round the servers are asked what they can do; afterwards that is known.
      if (round >= 0) times[name].push(ms);
      else if (name === 'toolwharf') process.stderr.write(`the first time: ${ms.toFixed(0)} ms\n`);
    }
  }
  return times;
}

try {
  const results = await calls();
  console.log(
    `a call of an MCP server over stdio, ${rounds * callsARound} calls in interleaved rounds, Node ${process.versions.node}, load ${load.toFixed(1)} → ${loadavg()[0].toFixed(1)}`,
  );
  const summary = Object.entries(results).map(([name, { times, cpu }]) => ({
    name,
    p50: at(times, 0.5),
    p99: at(times, 0.99),
    cpu: cpu / times.length / 1000,
  }));
  for (const { name, p50, p99, cpu } of summary)
    console.log(
      `  p50 ${p50.toFixed(3)} ms  p99 ${p99.toFixed(3)} ms  ${cpu.toFixed(3)} ms of processor a call  ${name}`,
    );
  const [bare, ours] = summary;
  console.log(
    `  added: p50 ${(ours.p50 - bare.p50).toFixed(3)} ms  p99 ${(ours.p99 - bare.p99).toFixed(3)} ms  ${(ours.cpu - bare.cpu).toFixed(3)} ms of processor a call`,
  );
  const { floor, toolwharf } = await lists();
  const ratio = median(toolwharf) / median(floor);
  console.log(
    `${many} servers, start → whole list: floor ${median(floor).toFixed(0)} ms, Toolwharf from what they said before ${median(toolwharf).toFixed(0)} ms`,
  );
  console.log(`  ${ratio.toFixed(2)} ×, target ≤ 0.3: ${ratio <= 0.3 ? 'met' : 'NOT MET'}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
