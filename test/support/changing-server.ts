// A server whose announcement the test changes while the server is down, or while nobody listens. It records each
// call that it receives. One server for each protocol and transport that the host can use.
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { PackageFolders } from '../../src/host/sandboxing/package-folders.js';
import type { Json, JsonObject, SessionOptions } from '../../src/index.js';
import { systemSandbox } from '../../src/sandbox/system-sandbox.js';
import { bareServer } from './mcp-upstream.js';
import { type LoopbackServer, loopbackServer, until } from './toolwharf.js';
import { type Files, findagent, type Workbench } from './workbench.js';

export type CarrierName =
  | 'MCP stdio'
  | 'MCP HTTP 2025'
  | 'MCP HTTP 2026'
  | 'nexo stdio'
  | 'nexo NATS'
  | 'nexo HTTP';

export const carrierNames: readonly CarrierName[] = [
  'MCP stdio',
  'MCP HTTP 2025',
  'MCP HTTP 2026',
  'nexo stdio',
  'nexo NATS',
  'nexo HTTP',
];

const page = 'https://example.com/tool';

/** The id of the package. */
export const changingId = 'desk';

export interface ChangingServer {
  /** What a session needs to reach it. */
  readonly options: Partial<SessionOptions>;
  /** True if the host starts it. */
  readonly startedHere: boolean;
  /** Names of the tools that it was asked to run, in order. */
  received(): readonly string[];
  /** How often it announced its tools. */
  listings(): number;
  /** Changes what it announces. The host gets no message about this. One that the host started ends first. */
  announce(tools: readonly JsonObject[], isRunning: () => Promise<boolean>): Promise<void>;
  close(): Promise<void>;
}

/** Names in the order of the first announcement; nexo extensions must declare them. */
export async function changingServer(
  carrier: CarrierName,
  bench: Workbench,
  tools: readonly JsonObject[],
  natsUrl: string,
): Promise<ChangingServer> {
  const names = tools.map((it) => String(it.name));
  switch (carrier) {
    case 'MCP stdio':
      return mcpProcess(bench, tools);
    case 'nexo stdio':
      return nexoProcess(bench, tools, names);
    case 'MCP HTTP 2025':
    case 'MCP HTTP 2026':
      return mcpUrl(bench, tools, carrier === 'MCP HTTP 2026');
    case 'nexo HTTP':
      return nexoUrl(bench, tools, names);
    case 'nexo NATS':
      return nexoNats(bench, tools, names, natsUrl);
  }
}

/** Tells how a protocol writes the tool of a call, and what it answers. */
type Answer = (method: string, params: JsonObject) => Json | undefined;

interface Memory {
  tools: readonly JsonObject[];
  readonly received: string[];
  listings: number;
}

function nexoAnswer(memory: Memory): Answer {
  return (method, params) => {
    if (method === 'initialize') {
      memory.listings++;
      return { server_version: '1.0.0', tools: memory.tools as Json, hooks: [] };
    }
    if (method !== 'tools/call') return {};
    memory.received.push(String(params.name));
    return 'done';
  };
}

function mcpAnswer(memory: Memory, isNew: boolean): Answer {
  const capabilities = { tools: {} };
  return (method, params) => {
    switch (method) {
      case 'server/discover':
        return isNew ? { supportedVersions: ['2026-07-28'], capabilities } : undefined;
      case 'initialize':
        if (isNew) return undefined;
        return {
          protocolVersion: params.protocolVersion as Json,
          capabilities,
          serverInfo: { name: 'x', version: '1' },
        };
      case 'tools/list':
        memory.listings++;
        return { tools: memory.tools as Json };
      case 'tools/call':
        memory.received.push(String(params.name));
        return { content: [{ type: 'text', text: 'done' }], structuredContent: { id: '1' } };
      default:
        return undefined;
    }
  };
}

/** The answer to one message as text; undefined for a notification. */
function reply(text: string, answer: Answer): string | undefined {
  const { id, method, params = {} } = JSON.parse(text) as { id?: Json; method: string; params?: JsonObject };
  if (id === undefined) return undefined;
  const result = answer(method, params);
  const error = { code: -32_601, message: 'no such method' };
  return JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) });
}

function memoryOf(tools: readonly JsonObject[]): Memory {
  return { tools, received: [], listings: 0 };
}

function served(
  memory: Memory,
  options: Partial<SessionOptions>,
  close: () => Promise<void>,
): ChangingServer {
  return {
    options,
    startedHere: false,
    received: () => [...memory.received],
    listings: () => memory.listings,
    announce: async (now) => {
      memory.tools = now;
    },
    close,
  };
}

async function answering(answer: Answer): Promise<LoopbackServer> {
  return loopbackServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const text = reply(Buffer.concat(chunks).toString(), answer);
    if (text === undefined) return void response.writeHead(202).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  });
}

async function mcpUrl(
  bench: Workbench,
  tools: readonly JsonObject[],
  isNew: boolean,
): Promise<ChangingServer> {
  const memory = memoryOf(tools);
  const server = await answering(mcpAnswer(memory, isNew));
  bench.write({
    'desk/findagent.json': findagent('Desk', {
      tools: [],
      delivery: { mcp: { remote: { url: `http://127.0.0.1:${server.port}/mcp` } } },
    }),
  });
  return served(memory, { allow: [`net:127.0.0.1:${server.port}`] }, server.close);
}

async function nexoUrl(
  bench: Workbench,
  tools: readonly JsonObject[],
  names: readonly string[],
): Promise<ChangingServer> {
  const memory = memoryOf(tools);
  const server = await answering(nexoAnswer(memory));
  bench.write(extension(`type = "http"\nurl = "http://127.0.0.1:${server.port}/rpc"`, names));
  return served(memory, { allow: [`net:127.0.0.1:${server.port}`] }, server.close);
}

async function nexoNats(
  bench: Workbench,
  tools: readonly JsonObject[],
  names: readonly string[],
  natsUrl: string,
): Promise<ChangingServer> {
  const memory = memoryOf(tools);
  const answer = nexoAnswer(memory);
  const bus: NatsConnection = await connect({ servers: new URL(natsUrl).host });
  const prefix = `p${process.pid}x${performance.now().toFixed(0)}`;
  bus.subscribe(`${prefix}.${changingId}.rpc`, {
    callback: (_error, message) => {
      const text = reply(message.string(), answer);
      if (text !== undefined && message.reply) bus.publish(message.reply, text);
    },
  });
  await bus.flush();
  bench.write(extension(`type = "nats"\nsubject_prefix = "${prefix}"`, names));
  return served(memory, { policy: { natsUrl } }, () => bus.close());
}

function extension(transport: string, names: readonly string[]): Files {
  const manifest = `[plugin]
id = "${changingId}"
version = "1.0.0"

[capabilities]
tools = ${JSON.stringify(names)}

[transport]
${transport}
`;
  return { 'desk/plugin.toml': manifest };
}

/** A server that the host starts: it reads its tools from a file at each start, and logs to another one. */
function fromFiles(folder: string, tools: readonly JsonObject[]): ChangingServer {
  mkdirSync(folder, { recursive: true });
  const announced = join(folder, 'tools.json');
  const log = join(folder, 'log');
  const write = (it: readonly JsonObject[]) => writeFileSync(announced, JSON.stringify(it), { mode: 0o644 });
  write(tools);
  if (!existsSync(log)) appendFileSync(log, '');
  chmodSync(log, 0o666);
  const lines = () =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((it) => it !== '');
  return {
    options: {},
    startedHere: true,
    received: () => lines().flatMap((it) => (it.startsWith('call ') ? [it.slice(5)] : [])),
    listings: () => lines().filter((it) => it === 'list').length,
    async announce(now, isRunning) {
      const stop = join(folder, 'stop');
      writeFileSync(stop, '');
      await until(async () => !(await isRunning()));
      rmSync(stop);
      write(now);
    },
    close: async () => {},
  };
}

function mcpProcess(bench: Workbench, tools: readonly JsonObject[]): ChangingServer {
  const { root } = bench;
  const script = bareServer(`
const { appendFileSync, existsSync, readFileSync } = await import('node:fs');
const stop = ${JSON.stringify(join(root, 'stop'))};
setInterval(() => existsSync(stop) && process.exit(0), 20);
const tools = JSON.parse(readFileSync(${JSON.stringify(join(root, 'tools.json'))}, 'utf8'));
const note = (line) => appendFileSync(${JSON.stringify(join(root, 'log'))}, line + '\\n');
on = {
  'tools/list': () => { note('list'); return { tools }; },
  'tools/call': ({ name }) => { note('call ' + name); return { content: [{ type: 'text', text: 'done' }], structuredContent: { id: '1' } }; },
};`);
  const scopes = [
    { resource: 'fs.local', actions: ['read', 'write'], rationale: 'Its tools are in a file.' },
  ];
  bench.write({
    'desk/toolspace.json': JSON.stringify({
      manifest_version: '0.2',
      tool: {
        id: changingId,
        version: '1.0.0',
        name: 'Desk',
        summary: 'A test.',
        homepage: page,
        license: 'MIT',
      },
      runtime: {
        kind: 'mcp-stdio',
        install: { method: 'git', url: page, ref: '0'.repeat(40) },
        entrypoint: { command: ['node', 'server.mjs'] },
      },
      scopes,
      smoke: { kind: 'mcp-tool-call', tool_name: 'go', arguments: {}, success: {} },
      kill_switch: { kind: 'manual', instructions_url: page },
    }),
    'desk/server.mjs': script,
  });
  return fromFiles(root, tools);
}

function nexoProcess(
  bench: Workbench,
  tools: readonly JsonObject[],
  names: readonly string[],
): ChangingServer {
  const code = `import json, os, sys, threading, time
data = "/toolwharf/data"

def watch():
    while not os.path.exists(os.path.join(data, "stop")):
        time.sleep(0.02)
    os._exit(0)

threading.Thread(target=watch, daemon=True).start()
tools = json.load(open(os.path.join(data, "tools.json")))

def note(line):
    with open(os.path.join(data, "log"), "a") as log:
        log.write(line + "\\n")

for line in sys.stdin:
    request = json.loads(line)
    method, params = request["method"], request.get("params") or {}
    result = {}
    if method == "initialize":
        note("list")
        result = {"server_version": "1.0.0", "tools": tools, "hooks": []}
    if method == "tools/call":
        note("call " + params["name"])
        result = "done"
    if "id" in request:
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
`;
  const transport = `type = "stdio"\ncommand = "/usr/bin/python3"\nargs = ["extension.py"]`;
  bench.write({ ...extension(transport, names), 'desk/extension.py': code });
  const folders = new PackageFolders(
    join(bench.path, 'state'),
    systemSandbox({ pidFolder: bench.path }).user,
  );
  return fromFiles(folders.dataFolder(changingId), tools);
}
