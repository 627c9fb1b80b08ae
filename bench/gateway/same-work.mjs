// The same work for everybody: client → gateway → one stdio MCP server with one tool that only reads. Toolwharf runs it
// confined, checks a token, validates, scans and keeps the audit log, in both modes of `audit.durability`.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { echo, gateways, main, overPipes, serve } from './gateways.mjs';
import { endHostOf, memoryOf, pause } from './machine.mjs';
import { atOnce, oneByOne, tally } from './measure.mjs';

const era2026 = '2026-07-28';
export const modes = ['call', 'group'];

function writePackage(folder) {
  const page = 'https://example.com/echo';
  mkdirSync(join(folder, 'echo'), { recursive: true });
  copyFileSync(echo, join(folder, 'echo', 'server.mjs'));
  const manifest = {
    manifest_version: '0.2',
    tool: { id: 'echo', version: '1.0.0', name: 'echo', summary: 'Says it.', homepage: page, license: 'MIT' },
    runtime: {
      kind: 'mcp-stdio',
      install: { method: 'git', url: page, ref: '0'.repeat(40) },
      entrypoint: { command: ['node', 'server.mjs'] },
    },
    smoke: { kind: 'mcp-tool-call', tool_name: 'say', arguments: { text: 'x' }, success: {} },
    kill_switch: { kind: 'manual', instructions_url: page },
  };
  writeFileSync(join(folder, 'echo', 'toolspace.json'), JSON.stringify(manifest));
}

/** Opens every way to the server, measures in alternating rounds, and closes them. `drop` says who could not be measured. */
export async function measureSameWork({ folder, found, rounds, say, drop }) {
  const packages = join(folder, 'same-work');
  writePackage(packages);
  const http = {};
  const stdio = {};
  const states = [];
  const open = async (into, name, start) => {
    try {
      into[name] = { ...(await start()), one: tally(), 64: tally(), rss: [], pss: [] };
    } catch (error) {
      drop(`${name}, same work`, error);
    }
  };
  try {
    for (const [name, gateway] of Object.entries(gateways(folder, found))) {
      if (name === 'toolwharf') continue;
      await open(http, name, () => gateway.http());
      if ('stdio' in gateway) await open(stdio, name, () => gateway.stdio());
    }
    await open(http, 'floor, 2026', () => gateways(folder, found).floor.http(0, era2026));
    await open(stdio, 'direct', () => overPipes([echo], { folder, log: join(folder, 'direct.log') }));
    for (const mode of modes) {
      const state = join(folder, `state-same-${mode}`);
      const config = join(folder, `${mode}.toml`);
      states.push(state);
      writeFileSync(config, `audit.durability = "${mode}"\n`);
      const place = { folder, log: join(folder, `same-${mode}.log`) };
      const words = ['--state', state, '--config', config];
      execFileSync(process.execPath, [main, 'review', packages, '--yes', '--quiet', ...words]);
      const host = await serve(place, packages, words, 0);
      await open(http, `toolwharf, ${mode}`, () => host);
      const client = await host.clientOf(era2026);
      await open(http, `toolwharf, ${mode}, 2026`, () => ({ ...host, client, close: () => client.close() }));
      const shim = [main, 'mcp', packages, '--expose', 'all', ...words];
      await open(stdio, `toolwharf, ${mode}`, () => overPipes(shim, place, [host.pid]));
      await open(stdio, `toolwharf, ${mode}, 2026`, () => overPipes(shim, place, [host.pid], era2026));
    }
    const all = [
      ...Object.values(http).map((it) => [it, true]),
      ...Object.values(stdio).map((it) => [it, false]),
    ];
    const counts = { one: 300, 64: 600 };
    for (let round = -1; round < rounds; round++) {
      say(`same work, round ${round + 1} of ${rounds}`);
      // Each round begins with another one, and the first is not counted.
      const first = Math.max(0, round) % all.length;
      for (const [it, isHttp] of [...all.slice(first), ...all.slice(0, first)]) {
        const into = (key) => (round < 0 ? tally() : it[key]);
        const warm = round < 0 ? 4 : 1;
        await oneByOne(it, counts.one * warm, into('one'));
        if (!isHttp) continue;
        await atOnce(it, 64, counts[64] * warm, into(64));
        const { rss, pss } = memoryOf(it.pid);
        if (round >= 0) {
          it.rss.push(rss);
          it.pss.push(pss);
        }
        await pause(20);
      }
    }
    return { http, stdio };
  } finally {
    for (const it of [...Object.values(stdio), ...Object.values(http).reverse()]) await it.close();
    for (const state of states) await endHostOf(state);
  }
}
