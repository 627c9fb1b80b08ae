// What Toolwharf adds to a call of an MCP server over stdio: the same tiny server asked directly and through `toolwharf mcp`,
// which confines it, validates, records and cleans. Interleaved rounds; the difference counts.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pipeClient } from './gateway/client.mjs';
import { at, end, endAll, endHostOf, median, start } from './gateway/machine.mjs';
import { oneByOne, tally } from './gateway/measure.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const main = join(here, '..', 'dist', 'main.cjs');
if (!existsSync(main)) throw new Error('there is no dist/main.cjs; run "npm run build" first');
const rounds = Number(process.env.ROUNDS ?? 10);
const calls = 200;
const echo = join(here, 'gateway', 'echo-server.mjs');
const folder = mkdtempSync(join(tmpdir(), 'toolwharf-upstream-'));
chmodSync(folder, 0o755);
const state = join(folder, 'state');
process.once('exit', endAll);

const page = 'https://example.com/echo';
const place = join(folder, 'echo');
mkdirSync(place);
cpSync(echo, join(place, 'server.mjs'));
writeFileSync(
  join(place, 'toolspace.json'),
  JSON.stringify({
    manifest_version: '0.2',
    tool: {
      id: 'echo',
      version: '1.0.0',
      name: 'echo',
      summary: 'Says it again.',
      homepage: page,
      license: 'MIT',
    },
    runtime: {
      kind: 'mcp-stdio',
      install: { method: 'git', url: page, ref: '0'.repeat(40) },
      entrypoint: { command: ['node', 'server.mjs'] },
    },
    smoke: { kind: 'mcp-tool-call', tool_name: 'say', arguments: { text: 'x' }, success: {} },
    kill_switch: { kind: 'manual', instructions_url: page },
  }),
);

async function open(words, tool) {
  const child = start(words, { folder, log: join(folder, 'log'), pipes: true });
  const client = await pipeClient(child);
  return { child, client, tool, pids: [child.pid] };
}

// What a client starts accepts nothing.
execFileSync(process.execPath, [main, 'review', place, '--yes', '--quiet', '--state', state]);
const before = loadavg()[0];
const ways = {
  direct: await open([echo], 'say'),
  'through Toolwharf': await open([main, 'mcp', place, '--state', state], 'echo_say'),
};
const results = Object.fromEntries(Object.keys(ways).map((name) => [name, tally()]));
for (const way of Object.values(ways)) await oneByOne(way, calls, tally());
for (let round = 0; round < rounds; round++)
  for (const [name, way] of Object.entries(ways)) await oneByOne(way, calls, results[name]);

const line = (name) => {
  const { times } = results[name];
  return `  ${name.padEnd(18)} ${median(times).toFixed(2).padStart(6)} ${at(times, 0.99).toFixed(2).padStart(7)}`;
};
const load = `load ${before.toFixed(1)} → ${loadavg()[0].toFixed(1)}`;
const added = median(results['through Toolwharf'].times) - median(results.direct.times);
process.stdout.write(
  `${[
    `an MCP stdio server, ${rounds} interleaved rounds of ${calls} calls, ${availableParallelism()} cores, Node ${process.versions.node}, ${load}`,
    '                     p50 ms  p99 ms',
    ...Object.keys(ways).map(line),
    `  added by Toolwharf  ${added.toFixed(2).padStart(6)}`,
  ].join('\n')}\n`,
);
for (const { child } of Object.values(ways)) await end(child);
await endHostOf(state);
rmSync(folder, { recursive: true, force: true });
