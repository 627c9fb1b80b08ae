// Connects to the extension of the contract, over each carrier, without a host around it.
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultParseOptions } from '../../src/formats/index.js';
import { nexo } from '../../src/formats/nexo/format.js';
import type { JsonObject } from '../../src/model/json.js';
import type { Package } from '../../src/model/package.js';
import type { SlotValues } from '../../src/model/slot.js';
import { guardedClient } from '../../src/net/client.js';
import type { EgressPolicy } from '../../src/net/egress.js';
import type { SandboxProfile } from '../../src/run/launch.js';
import { nexoConnector } from '../../src/run/nexo/connect.js';
import { type NexoTimes, nexoTimes } from '../../src/run/nexo/wire.js';
import type { Upstream, UpstreamCall, UpstreamSettings } from '../../src/run/upstream/upstream.js';
import { bubblewrap } from '../../src/sandbox/bubblewrap.js';
import { findNode, findPython } from '../../src/sandbox/interpreter.js';
import { defaultLimits, type SandboxProcess } from '../../src/sandbox/sandbox.js';
import { memoryBundle } from '../memory-bundle.js';
import { temporaryFolder } from '../toolwharf.js';

export type CarrierName = 'stdio' | 'nats' | 'http';

export interface Wishes {
  readonly [name: string]: unknown;
}

export interface BenchOptions {
  readonly wishes?: Wishes;
  readonly passthrough?: boolean;
  readonly times?: Partial<NexoTimes>;
  /** Files of the package and its command, instead of the extension of the contract. */
  readonly own?: { readonly files: Readonly<Record<string, string>>; readonly command: readonly string[] };
  readonly tools?: readonly string[];
  readonly hooks?: readonly string[];
  readonly slots?: SlotValues;
  readonly network?: EgressPolicy;
  readonly env?: readonly string[];
  readonly signal?: AbortSignal;
  /** Hosts that the operator opened; the one it answers on unless said otherwise. */
  readonly granted?: UpstreamSettings['reach']['granted'];
}

export interface Bench {
  readonly remote: Upstream;
  readonly logs: string[];
  /** The process behind it: in the sandbox, or on its own. */
  readonly process: SandboxProcess | ChildProcess;
  call(tool: string, input?: JsonObject, more?: Partial<UpstreamCall>): ReturnType<Upstream['call']>;
  /** Sends a signal to an extension that runs on its own. */
  signal(name: NodeJS.Signals): void;
}

const declaredTools = ['echo', 'fail', 'wait', 'never', 'crash', 'big', 'noise', 'told', 'shape', 'chatter'];
const fixture = join(import.meta.dirname, 'extension.mjs');
const sandbox = bubblewrap();
let extensions = 0;

/** Everything that a test opened, closed at its end. */
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
    // Each on subjects of its own, so that none answers for another.
    const wishes = { prefix: `ext${++extensions}`, ...options.wishes };
    return this.reach(carrier, { ...options, wishes }, await this.start(carrier, wishes));
  }

  /** An extension that runs on its own, as an operator would run it. */
  async start(carrier: 'nats' | 'http', wishes: Wishes = {}): Promise<{ child: ChildProcess; port: number }> {
    const words = [fixture, carrier, JSON.stringify(wishes), this.natsUrl() ?? ''];
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] });
    const exited = new Promise((resolve) => child.once('close', resolve));
    this.later(() => {
      child.kill('SIGKILL');
      return exited;
    });
    const port = await new Promise<number>((resolve, reject) => {
      let said = '';
      child.stderr.on('data', (it) => {
        said += it;
      });
      child.stdout.on('data', (it) => {
        const ready = /ready (\d+)/.exec(String(it))?.[1];
        if (ready !== undefined) resolve(Number(ready));
      });
      child.once('close', () => reject(new Error(`the extension ended: ${said}`)));
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
    const of = packageOf(carrier, options, started?.port ?? 0);
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
    const setting: UpstreamSettings = {
      package: of,
      program: of.programs[0] as Package['programs'][number],
      agentVersion: '1.0.0',
      slots: options.slots ?? new Map(),
      confined: async () => confinementOf(of, folder.path, options),
      machine: { sandbox: watching, newSocket: () => join(folder.path, `egress-${sockets++}`) },
      client: guardedClient(),
      reach: { hosts: granted, granted: options.granted ?? granted },
      natsUrl: this.natsUrl(),
      onLog: (line) => logs.push(line),
      onChange: () => {},
      timeoutMs: 10_000,
      signal: options.signal ?? new AbortController().signal,
    };
    const connecting = nexoConnector({ ...nexoTimes, grace: 500, ...options.times })(setting);
    const remote = await connecting;
    this.later(() => remote.close('the test is over'));
    return {
      remote,
      logs,
      process: (inside ?? started?.child) as SandboxProcess | ChildProcess,
      call: (tool, input = {}, more = {}) => remote.call({ ...usualCall(tool), input, ...more }),
      signal: (name) => started?.child?.kill(name),
    };
  }
}

function usualCall(tool: string): UpstreamCall {
  return {
    tool,
    input: {},
    name: `contract/${tool}`,
    callId: 'call_1',
    outputBytes: 1024 * 1024,
    timeoutMs: 10_000,
    signal: new AbortController().signal,
    caller: { agentId: 'agent', sessionId: 'ses_1' },
    onRefused: () => {},
  };
}

export function packageOf(carrier: CarrierName, options: BenchOptions, port: number): Package {
  const {
    wishes = {},
    tools = declaredTools,
    hooks = ['before_message', 'after_tool_call'],
    own,
    env = [],
  } = options;
  const words = own?.command ?? ['/usr/bin/node', 'extension.mjs', 'stdio', JSON.stringify(wishes)];
  const [command, ...rest] = words;
  const transport = {
    stdio: `type = "stdio"\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(rest)}`,
    nats: `type = "nats"\nsubject_prefix = "${wishes.prefix ?? 'ext'}"`,
    http: `type = "http"\nurl = "http://127.0.0.1:${port}/rpc"`,
  }[carrier];
  const text = `[plugin]
id = "${wishes.id ?? 'contract'}"
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
    throw new Error(`the manifest of the test is wrong: ${JSON.stringify(errors)}`);
  return parsed.package;
}

function confinementOf(of: Package, folder: string, { own, slots, network }: BenchOptions): SandboxProfile {
  const files = join(folder, 'package');
  mkdirSync(files, { recursive: true });
  if (own === undefined) copyFileSync(fixture, join(files, 'extension.mjs'));
  for (const [name, text] of Object.entries(own?.files ?? {}))
    writeFileSync(join(files, name), text, { mode: 0o755 });
  return {
    package: of,
    digest: 'none',
    principal: 'agent',
    files,
    roots: [],
    hidden: [],
    state: null,
    slots: slots ?? new Map(),
    limits: defaultLimits,
    network: network ?? null,
    grantee: '',
    runtimes: runtimesOf(of),
  };
}

/** The interpreters that the host would find. */
function runtimesOf(of: Package): SandboxProfile['runtimes'] {
  const runtimes = of.programs.flatMap(({ name, target }) => {
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
