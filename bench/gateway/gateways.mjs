// The gateways that are compared: how each is started over HTTP and over pipes, and which client speaks to it.
import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventStreamClient, pipeClient, streamableClient } from './client.mjs';
import { end, freePort, pause, start } from './machine.mjs';

const here = dirname(fileURLToPath(import.meta.url));
export const echo = join(here, 'echo-server.mjs');
const preload = join(here, 'loopback.mjs');
export const main = join(here, '..', '..', 'dist', 'main.cjs');
const peers = { 'mcp-proxy': '6.7.19', supergateway: '4.0.0', 'mcp-hub': '4.2.1' };
/** Packages that the idle tools of Toolwharf are spread over. */
const spread = 50;

/** Installs the peers into the folder; answers which are there, and why the others are not. */
export async function installPeers(folder) {
  const skipped = {};
  const found = {};
  for (const [name, version] of Object.entries(peers)) {
    const place = join(folder, 'peers', name);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'package.json'), '{"private":true}');
    try {
      const words = ['install', '--no-audit', '--no-fund', '--ignore-scripts', `${name}@${version}`];
      await promisify(execFile)('npm', words, { cwd: place, timeout: 60_000 });
      const at = join(place, 'node_modules', name);
      const { bin } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'));
      found[name] = join(at, bin[name]);
    } catch (error) {
      const code = /npm error code (\w+)/.exec(error.stderr ?? '')?.[1] ?? error.code ?? 'it took too long';
      skipped[name] = `npm could not install ${version}: ${code}`;
    }
  }
  return { found, skipped };
}

/** Packages for Toolwharf: the echo as a kept function in its sandbox, and idle tools like it. */
export function writePackages(folder, idle) {
  const input = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
  const tool = (name, description) => ({
    name,
    description,
    input_schema: input,
    annotations: { readOnlyHint: true },
  });
  const write = (name, tools) => {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(
      join(folder, name, 'index.mjs'),
      'export function handler({ input }) { return { text: input.text }; }\n',
    );
    writeFileSync(
      join(folder, name, 'findagent.json'),
      JSON.stringify({
        name,
        description: 'Says what it is told, and does nothing else.',
        system_prompt: 'You say what you are told, word by word, using the tool say and nothing else at all.',
        kind: 'code-bundle',
        example_prompts: ['Say hello.'],
        runtime: { kind: 'node', version: '20' },
        entrypoint: { path: 'index.mjs' },
        mcp: { mode: 'wrap' },
        allowed_hosts: [],
        tools,
      }),
    );
  };
  write('pure', [tool('say', 'Say a text.')]);
  for (let index = 0; index < (idle === 0 ? 0 : spread); index++)
    write(
      `idle${index}`,
      Array.from({ length: idle / spread }, (_, at) => {
        const number = index * (idle / spread) + at;
        return tool(`say_${number}`, `Say a text, way number ${number}.`);
      }),
    );
}

/** The same servers that the others start, as packages: each is a program of its own with its share of 1,000 tools. */
export function writeServers(folder) {
  const page = 'https://example.com/tool';
  for (let index = 0; index < spread; index++) {
    const id = `echo${index}`;
    mkdirSync(join(folder, id), { recursive: true });
    copyFileSync(echo, join(folder, id, 'server.mjs'));
    const manifest = {
      manifest_version: '0.2',
      tool: { id, version: '1.0.0', name: id, summary: 'Says a text.', homepage: page, license: 'MIT' },
      runtime: {
        kind: 'mcp-stdio',
        install: { method: 'git', url: page, ref: '0'.repeat(40) },
        entrypoint: { command: ['node', 'server.mjs', String(1000 / spread - 1)] },
      },
      smoke: { kind: 'mcp-tool-call', tool_name: 'say', arguments: { text: 'x' }, success: {} },
      kill_switch: { kind: 'manual', instructions_url: page },
    };
    writeFileSync(join(folder, id, 'toolspace.json'), JSON.stringify(manifest));
  }
}

/** Asks until it answers, because a gateway does not say when it is ready. */
async function reach(child, open, toolsAtLeast) {
  const until = performance.now() + 30_000;
  let last;
  while (performance.now() < until) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('it ended while starting');
    try {
      const client = await open();
      const tools = await client.list();
      if (tools.length >= toolsAtLeast) return { client, tools };
      client.close();
    } catch (error) {
      last = error;
    }
    await pause(4);
  }
  throw new Error(`it did not answer: ${last?.message ?? 'its list stayed short'}`);
}

const sayOf = (tools) => tools.find(({ name }) => /(^|_)say$/.test(name))?.name;

/** One started gateway, ready to be called. */
async function opened(child, open, idle, also = []) {
  try {
    const { client, tools } = await reach(child, open, idle + 1);
    return {
      client,
      tool: sayOf(tools),
      tools: tools.length,
      pid: child.pid,
      pids: [child.pid, ...also],
      close: async () => {
        client.close();
        await end(child);
      },
    };
  } catch (error) {
    await end(child);
    throw error;
  }
}

export const overPipes = (words, place, also, era) => {
  const child = start(words, { ...place, pipes: true });
  return opened(child, () => pipeClient(child, era), 0, also);
};

const overHttp = async (wordsFor, place, idle, clientOf = streamableClient) => {
  const port = await freePort();
  const child = start(wordsFor(port), place);
  return opened(child, () => clientOf({ port }), idle);
};

/** Toolwharf says on its first line where it listens and which token lets an agent in. `more`: further arguments. */
export async function serve(place, packages, more, idle) {
  const log = `${place.log}.${Math.round(performance.now())}`;
  const words = ['serve', packages, '--json', '--port', '0', '--expose', 'all', ...more];
  const profile =
    process.env.PROFILE === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${process.env.PROFILE}`];
  const child = start([...profile, main, ...words], { ...place, log });
  const first = () =>
    (existsSync(log) ? readFileSync(log, 'utf8') : '').split('\n').find((it) => it[0] === '{');
  const clientOf = async (era) => {
    const line = first();
    // A half-written line does not parse, and is read again.
    const { mcp, agentToken } = JSON.parse(line ?? '');
    return streamableClient({ port: Number(new URL(mcp).port), token: agentToken, era });
  };
  return { ...(await opened(child, () => clientOf(), idle)), clientOf };
}

/**
 * Every gateway by name: `http(idle)`, `stdio(host)` where it has pipes in front, and `fan()` where many upstreams with
 * 1,000 tools between them can be behind it.
 */
export function gateways(folder, installed) {
  const place = (name) => ({ folder, log: join(folder, `${name}.log`) });
  const behind = (idle) => [process.execPath, echo, String(idle)];
  const own = (name, file) => ({
    http: (idle = 0, era = undefined) =>
      overHttp(
        (port) => [join(here, file), 'http', port, ...behind(idle)],
        place(name),
        idle,
        (to) => streamableClient({ ...to, era }),
      ),
    stdio: () => overPipes([join(here, file), 'stdio', '0', ...behind(0)], place(name)),
  });
  const peer = (name, wordsFor, clientOf) => ({
    http: (idle = 0) =>
      overHttp(
        (port) => ['--import', preload, installed[name], ...wordsFor(port, idle)],
        // There is nothing on this path: see the preload.
        { ...place(name), environment: { PATH: join(folder, 'nothing') } },
        idle,
        clientOf,
      ),
  });
  const hubConfig = (idle, servers = 1) => {
    const [command, ...args] = behind(idle);
    const path = join(folder, `hub-${idle}-${servers}.json`);
    const entries = Array.from({ length: servers }, (_, index) => [`echo${index}`, { command, args }]);
    writeFileSync(path, JSON.stringify({ mcpServers: Object.fromEntries(entries) }));
    return path;
  };
  const each = 1000 / spread;
  const hub = (wordsFor) => peer('mcp-hub', wordsFor, eventStreamClient);
  const all = {
    floor: {
      ...own('floor', 'floor.mjs'),
      fan: () =>
        overHttp((port) => [join(here, 'fan.mjs'), port, spread, ...behind(each - 1)], place('floor'), 999),
    },
    'official SDK': own('sdk', 'sdk.mjs'),
    'mcp-proxy': peer('mcp-proxy', (port, idle) => [
      ...['--host', '127.0.0.1', '--port', port, '--server', 'stream', '--', ...behind(idle)],
    ]),
    supergateway: peer('supergateway', (port, idle) => [
      ...['--stdio', behind(idle).join(' '), '--outputTransport', 'streamableHttp', '--stateful'],
      ...['--port', port, '--logLevel', 'none'],
    ]),
    'mcp-hub': {
      ...hub((port, idle) => ['--port', port, '--config', hubConfig(idle)]),
      fan: () => hub((port) => ['--port', port, '--config', hubConfig(each - 1, spread)]).http(999),
    },
    toolwharf: {
      http: (idle = 0) =>
        serve(
          place('toolwharf'),
          join(folder, `tools-${idle}`),
          ['--state', join(folder, `state-${idle}`)],
          idle,
        ),
      /** The first time it asks each server; from then on it lists what they said, and starts those that are called. */
      fan: () =>
        serve(place('toolwharf'), join(folder, 'servers'), ['--state', join(folder, 'state-servers')], 999),
      /** Through the shim, to the host of that state directory; `host` is the process to count with it. */
      stdio: (host, state = join(folder, 'state-0')) => {
        const tools = join(folder, 'tools-0');
        // What a client starts accepts nothing.
        execFileSync(process.execPath, [main, 'review', tools, '--yes', '--quiet', '--state', state]);
        return overPipes(
          [main, 'mcp', tools, '--expose', 'all', '--state', state],
          place('shim'),
          host === undefined ? [] : [host],
        );
      },
    },
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => !(name in peers) || name in installed));
}
