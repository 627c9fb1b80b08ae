// Connects to the test extension over each transport, without a host around it.
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryBundle } from '../../../src/bundle/memory-bundle.js';
import { defaultParseOptions } from '../../../src/formats/index.js';
import { nexo } from '../../../src/formats/nexo/format.js';
import type { JsonObject } from '../../../src/model/json.js';
import type { Package } from '../../../src/model/package.js';
import type { SlotValues } from '../../../src/model/slot.js';
import type { EgressPolicy } from '../../../src/net/egress.js';
import { guardedClient } from '../../../src/net/http-client.js';
import { nexoConnector } from '../../../src/run/nexo/connect.js';
import { type NexoTimes, nexoTimes } from '../../../src/run/nexo/nexo-transport.js';
import type { SandboxProfile } from '../../../src/run/sandbox-command.js';
import type { Upstream, UpstreamCall, UpstreamSettings } from '../../../src/run/upstream/upstream.js';
import { bubblewrap } from '../../../src/sandbox/bubblewrap/bubblewrap.js';
import { findNode, findPython } from '../../../src/sandbox/interpreter.js';
import { defaultSandboxLimits, type SandboxProcess } from '../../../src/sandbox/sandbox.js';
import { temporaryFolder } from '../toolwharf.js';

export type CarrierName = 'stdio' | 'nats' | 'http';

/** Options of `extension.mjs`: what it does differently from a correct extension. */
export interface Behavior {
  readonly [name: string]: unknown;
}

export interface BenchOptions {
  readonly behavior?: Behavior;
  readonly passthrough?: boolean;
  readonly times?: Partial<NexoTimes>;
  /** Files of the package and its command; default: the test extension. */
  readonly own?: { readonly files: Readonly<Record<string, string>>; readonly command: readonly string[] };
  readonly tools?: readonly string[];
  readonly hooks?: readonly string[];
  readonly slots?: SlotValues;
  readonly network?: EgressPolicy;
  readonly env?: readonly string[];
  readonly signal?: AbortSignal;
  /** Hosts that the operator granted; default: the address of the extension. */
  readonly granted?: UpstreamSettings['reach']['granted'];
}

export interface Bench {
  readonly upstream: Upstream;
  readonly logs: string[];
  /** The process of the extension: in the sandbox, or separate. */
  readonly process: SandboxProcess | ChildProcess;
  call(tool: string, input?: JsonObject, more?: Partial<UpstreamCall>): ReturnType<Upstream['call']>;
  /** Sends a signal to an extension that runs outside the sandbox. */
  signal(name: NodeJS.Signals): void;
}

const declaredTools = ['echo', 'fail', 'wait', 'never', 'crash', 'big', 'noise', 'told', 'shape', 'chatter'];
const fixture = join(import.meta.dirname, 'extension.mjs');
const sandbox = bubblewrap();
let extensions = 0;

/** Everything that a test opened; closed at its end. */
export class Rig {
  readonly #closing: (() => unknown)[] = [];
  readonly natsUrl: () => string | null;

  constructor(natsUrl: () => string | null = () => null) {
    this.natsUrl = natsUrl;
  }

  async close(): Promise<void> {
    for (const it of this.#closing.splice(0).reverse()) await it();
  }

  later(work: () => unknown): void {
    this.#closing.push(work);
  }

  async connect(carrier: CarrierName, options: BenchOptions = {}): Promise<Bench> {
    if (carrier === 'stdio') return this.reach(carrier, options);
    // Each extension has its own subjects, so that none answers for another.
    const behavior = { prefix: `ext${++extensions}`, ...options.behavior };
    return this.reach(carrier, { ...options, behavior }, await this.start(carrier, behavior));
  }

  /** Starts an extension outside the sandbox, as an operator would. */
  async start(
    carrier: 'nats' | 'http',
    behavior: Behavior = {},
  ): Promise<{ child: ChildProcess; port: number }> {
    const args = [fixture, carrier, JSON.stringify(behavior), this.natsUrl() ?? ''];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const exited = new Promise((resolve) => child.once('close', resolve));
    this.later(() => {
      child.kill('SIGKILL');
      return exited;
    });
    const port = await new Promise<number>((resolve, reject) => {
      let stderr = '';
      child.stderr.on('data', (it) => {
        stderr += it;
      });
      child.stdout.on('data', (it) => {
        const ready = /ready (\d+)/.exec(String(it))?.[1];
        if (ready !== undefined) resolve(Number(ready));
      });
      child.once('close', () => reject(new Error(`the extension ended: ${stderr}`)));
    });
    return { child, port };
  }

  async reach(
    carrier: CarrierName,
    options: BenchOptions,
    started?: { readonly child?: ChildProcess; readonly port: number },
  ): Promise<Bench> {
    const logs: string[] = [];
    let inside: SandboxProcess | undefined;
    const pkg = packageOf(carrier, options, started?.port ?? 0);
    const watching = {
      ...sandbox,
      spawn: (it: Parameters<typeof sandbox.spawn>[0]) => {
        inside = sandbox.spawn(it);
        return inside;
      },
    };
    let sockets = 0;
    const folder = temporaryFolder();
    this.later(folder.remove);
    const granted = [{ host: '127.0.0.1', port: started?.port ?? 0 }];
    const settings: UpstreamSettings = {
      package: pkg,
      program: pkg.programs[0] as Package['programs'][number],
      agentVersion: '1.0.0',
      slots: options.slots ?? new Map(),
      openProfile: async () => profileOf(pkg, folder.path, options),
      processServices: { sandbox: watching, newSocket: () => join(folder.path, `egress-${sockets++}`) },
      client: guardedClient(),
      reach: { hosts: granted, granted: options.granted ?? granted },
      natsUrl: this.natsUrl(),
      onLog: (line) => logs.push(line),
      onChange: () => {},
      onOutdated: () => {},
      timeoutMs: 10_000,
      signal: options.signal ?? new AbortController().signal,
    };
    const connecting = nexoConnector({ ...nexoTimes, grace: 500, form: 5000, ...options.times })(settings);
    const upstream = await connecting;
    this.later(() => upstream.close('the test is over'));
    return {
      upstream,
      logs,
      process: (inside ?? started?.child) as SandboxProcess | ChildProcess,
      call: (tool, input = {}, more = {}) => upstream.call({ ...defaultCall(tool), input, ...more }),
      signal: (name) => started?.child?.kill(name),
    };
  }
}

function defaultCall(tool: string): UpstreamCall {
  return {
    tool,
    input: {},
    name: `contract/${tool}`,
    callId: 'call_1',
    outputBytes: 1024 * 1024,
    timeoutMs: 10_000,
    signal: new AbortController().signal,
    caller: { agentId: 'agent', sessionId: 'ses_1' },
    onNetworkDenied: () => {},
  };
}

export function packageOf(carrier: CarrierName, options: BenchOptions, port: number): Package {
  const {
    behavior = {},
    tools = declaredTools,
    hooks = ['before_message', 'after_tool_call'],
    own,
    env = [],
  } = options;
  const argv = own?.command ?? ['/usr/bin/node', 'extension.mjs', 'stdio', JSON.stringify(behavior)];
  const [command, ...rest] = argv;
  const transport = {
    stdio: `type = "stdio"\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(rest)}`,
    nats: `type = "nats"\nsubject_prefix = "${behavior.prefix ?? 'ext'}"`,
    http: `type = "http"\nurl = "http://127.0.0.1:${port}/rpc"`,
  }[carrier];
  const text = `[plugin]
id = "${behavior.id ?? 'contract'}"
version = "1.0.0"
[capabilities]
tools = ${JSON.stringify(tools)}
hooks = ${JSON.stringify(hooks)}
[transport]
${transport}
[requires]
env = ${JSON.stringify(env)}
[context]
passthrough = ${options.passthrough === true}
`;
  const bundle = memoryBundle({ 'plugin.toml': text, ...own?.files }, 'plugin.toml');
  const parsed = nexo.parse(bundle, defaultParseOptions);
  const errors = parsed.diagnostics.filter((it) => it.severity === 'error');
  if (parsed.package === undefined || parsed.package === null || errors.length > 0)
    throw new Error(`the manifest of the test is not valid: ${JSON.stringify(errors)}`);
  return parsed.package;
}

function profileOf(pkg: Package, folder: string, { own, slots, network }: BenchOptions): SandboxProfile {
  const files = join(folder, 'package');
  mkdirSync(files, { recursive: true });
  if (own === undefined) copyFileSync(fixture, join(files, 'extension.mjs'));
  for (const [name, text] of Object.entries(own?.files ?? {}))
    writeFileSync(join(files, name), text, { mode: 0o755 });
  return {
    package: pkg,
    digest: 'none',
    owner: { principal: 'agent', id: 'agent' },
    packageFolder: files,
    roots: [],
    hidden: [],
    dataFolder: null,
    slots: slots ?? new Map(),
    limits: defaultSandboxLimits,
    network: network ?? null,
    grantPrefix: '',
    runtimes: runtimesOf(pkg),
  };
}

/** The interpreters, found as the host finds them. */
function runtimesOf(pkg: Package): SandboxProfile['runtimes'] {
  const runtimes = pkg.programs.flatMap(({ name, target }) => {
    const runtime = target.kind === 'process' ? target.runtime : undefined;
    if (runtime === undefined) return [];
    const interpreter =
      runtime.language === 'python'
        ? findPython(runtime.version, sandbox.user, '/nowhere')
        : findNode(runtime.version, sandbox.user, { path: process.execPath, version: process.versions.node });
    return [[name, { interpreter, packages: null }] as const];
  });
  return new Map(runtimes);
}
