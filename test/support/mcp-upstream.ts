// MCP servers as upstreams: one written with the official SDK, in its own sandbox, and small misbehaving servers.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleModule } from '../../scripts/bundle.mjs';
import type { Package } from '../../src/model/package.js';
import type { Program, ProgramTarget } from '../../src/model/program.js';
import type { SlotValues } from '../../src/model/slot.js';
import { textTemplate } from '../../src/model/template.js';
import type { EgressPolicy } from '../../src/net/egress.js';
import { guardedClient } from '../../src/net/http-client.js';
import { connectMcp } from '../../src/run/mcp/connect.js';
import type { CallerContext, Progress } from '../../src/run/run.js';
import type { Upstream, UpstreamCall, UpstreamSettings } from '../../src/run/upstream/upstream.js';
import { bubblewrap } from '../../src/sandbox/bubblewrap/bubblewrap.js';
import { findNode } from '../../src/sandbox/interpreter.js';
import { defaultSandboxLimits, type Mount, type SandboxLimits } from '../../src/sandbox/sandbox.js';
import { temporaryFolder } from './toolwharf.js';

export const upstreams = join(import.meta.dirname, 'upstreams');
const sandbox = bubblewrap();

let bundled: Promise<string> | undefined;

/** The bundled script of the SDK server. */
export function sampleServerScript(): Promise<string> {
  bundled ??= (async () => {
    const folder = temporaryFolder();
    const file = join(folder.path, 'desk.mjs');
    await bundleModule(`import './stdio.mjs';`, upstreams, file);
    const text = readFileSync(file, 'utf8');
    folder.remove();
    return text;
  })();
  return bundled;
}

export interface UpstreamOptions {
  /** Node script of the server. */
  readonly script?: string;
  /** Arguments of the script. */
  readonly args?: readonly string[];
  readonly target?: ProgramTarget;
  readonly roots?: readonly Mount[];
  readonly network?: EgressPolicy | null;
  readonly slots?: SlotValues;
  readonly limits?: Partial<SandboxLimits>;
  readonly timeoutMs?: number;
  /** Revision of the previous connection. */
  readonly prior?: string | undefined;
  readonly signal?: AbortSignal;
  readonly reach?: UpstreamSettings['reach'];
  /** Folder with installed npm packages. */
  readonly packages?: string;
  readonly callerContext?: boolean;
}

export interface UpstreamBench {
  readonly upstream: Upstream;
  readonly log: string[];
  /** How often the upstream reported changed lists. */
  readonly changes: () => number;
}

const open: (() => Promise<unknown> | undefined)[] = [];

/** Registers something to be closed together with the servers of the test. */
export function closeLater(close: () => Promise<unknown>): void {
  open.push(close);
}

/** Options for a server at a local URL, with the grant that it needs. */
export function reaching(
  url: string,
  headers: Extract<ProgramTarget, { kind: 'url' }>['headers'] = [],
): UpstreamOptions {
  const { hostname, port } = new URL(url);
  const here = [{ host: hostname, port: Number(port) }];
  return { target: { kind: 'url', url, headers }, reach: { hosts: here, granted: here } };
}

/** Closes everything that the test left open. */
export async function closeUpstreams(): Promise<void> {
  for (const close of open.splice(0).reverse()) await close();
}

/** Connects to a server as the host does. */
export async function connectUpstream(options: UpstreamOptions): Promise<UpstreamBench> {
  const folder = temporaryFolder();
  open.push(async () => folder.remove());
  const files = join(folder.path, 'files');
  mkdirSync(files);
  chmodSync(files, 0o755);
  writeFileSync(join(files, 'server.mjs'), options.script ?? '');
  const target: ProgramTarget = options.target ?? {
    kind: 'process',
    command: ['server.mjs', ...(options.args ?? [])].map(textTemplate),
    runtime: { language: 'node', packages: [] },
    directory: '',
    environment: [],
  };
  const program: Program = {
    name: 'desk',
    role: 'mcp-server',
    lifetime: 'persistent',
    protocol: 'mcp',
    target,
    callerContext: options.callerContext ?? false,
  };
  const of = packageWith(program);
  const log: string[] = [];
  let changes = 0;
  let sockets = 0;
  const slots = options.slots ?? new Map();
  const upstream = await connectMcp({
    package: of,
    program,
    agentVersion: '9.9.9',
    slots,
    openProfile: async () => ({
      package: of,
      digest: 'digest',
      owner: { principal: 'agent', id: 'agent' },
      packageFolder: files,
      roots: options.roots ?? [],
      hidden: [],
      dataFolder: null,
      slots,
      limits: { ...defaultSandboxLimits, ...options.limits },
      network: options.network ?? null,
      grantPrefix: '',
      runtimes: new Map([
        [
          'desk',
          {
            interpreter: findNode(undefined, sandbox.user, {
              path: process.execPath,
              version: process.versions.node,
            }),
            packages: options.packages ?? null,
          },
        ],
      ]),
    }),
    processServices: { sandbox, newSocket: () => join(folder.path, `${sockets++}.sock`) },
    client: guardedClient(),
    reach: options.reach ?? { hosts: [], granted: [] },
    natsUrl: null,
    lastRevision: options.prior,
    timeoutMs: options.timeoutMs ?? 20_000,
    signal: options.signal ?? new AbortController().signal,
    onLog: (line) => log.push(line),
    onChange: () => {
      changes++;
    },
    onOutdated: () => {},
  });
  open.push(() => upstream.close('the test is over'));
  return { upstream, log, changes: () => changes };
}

const caller: CallerContext = { agentId: 'agent', sessionId: 'session' };

/** A call of one tool, with default limits. */
export function asked(
  tool: string,
  input: UpstreamCall['input'] = {},
  rest: Partial<UpstreamCall> = {},
): UpstreamCall {
  return {
    tool,
    input,
    name: `shop/${tool}`,
    callId: 'call_1',
    outputBytes: 10 * 1024 * 1024,
    caller,
    onNetworkDenied: () => {},
    timeoutMs: 10_000,
    signal: new AbortController().signal,
    ...rest,
  };
}

export function progressOf(into: Progress[]): (progress: Progress) => void {
  return (it) => into.push(it);
}

function packageWith(program: Program): Package {
  return {
    format: 'toolspace',
    id: 'shop',
    version: '1.0.0',
    name: 'Shop',
    description: 'A test shop.',
    programs: [program],
    tools: [],
    prompts: [],
    hooks: [],
    needs: { binaries: [] },
    slots: [],
    permissions: {
      origin: 'declared',
      network: { kind: 'none' },
      filesystem: 'none',
      stateDirectory: false,
      scopes: [],
    },
    guardrails: {} as Package['guardrails'],
    install: {} as Package['install'],
    announcesTools: true,
    targets: [],
    facts: [],
  };
}

/** Node script of a small server. `body` may assign `on`, which maps methods to functions from params to a result. */
export function bareServer(body: string): string {
  return `import { createInterface } from 'node:readline';
const write = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const usual = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'bare', version: '1' } }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [{ name: 'go', description: 'Goes.', inputSchema: { type: 'object' } }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'gone' }] }),
};
let on = {};
${body}
const all = { ...usual, ...on };
createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  const { id, method, params } = message;
  if (method === undefined) return on.response?.(message);
  if (id === undefined) return on.notification?.(message);
  const answer = all[method];
  if (answer === undefined) return write({ id, error: { code: -32601, message: 'no such method' } });
  const result = answer(params, id);
  if (result !== undefined) write({ id, result });
}).on('close', () => process.exit(0));
`;
}
