import { HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { HookPoint } from '../../model/package.js';
import { runsHere } from '../../model/program.js';
import { methodNotFound } from '../../wire/rpc-code.js';
import { hasRpcCode, RpcFailure } from '../rpc/rpc-failure.js';
import type { CallerContext, RunResult } from '../run.js';
import type {
  ConnectUpstream,
  Deadline,
  Upstream,
  UpstreamAnnouncement,
  UpstreamCall,
  UpstreamEnd,
  UpstreamSettings,
} from '../upstream/upstream.js';
import { readAnnouncement } from './announcement.js';
import { readNexoResult } from './answer.js';
import { openNexoHttp } from './http.js';
import { openNats } from './nats.js';
import { type NexoTimes, type NexoTransport, nexoTimes } from './nexo-transport.js';
import { openStdio } from './stdio.js';

const handshakeBytes = 4 * 1024 * 1024;
const hookBytes = 1024 * 1024;

/** Connects to extensions with the timeouts that the format defines. */
export const connectNexo: ConnectUpstream = nexoConnector(nexoTimes);

/** Connects to extensions; tests use other timeouts. */
export function nexoConnector(times: NexoTimes): ConnectUpstream {
  return async (settings) => {
    const transport = await openTransport(settings, times);
    try {
      const announced = await initialize(transport, settings, times.handshake);
      transport.initialized(announced.version);
      // One that the host did not start can be replaced at any time. Each host that connects to it initializes it, so
      // doing that again is safe; a process of our own is initialized once.
      const announce = runsHere(settings.program)
        ? undefined
        : (deadline: Deadline) => initialize(transport, { ...settings, ...deadline }, times.handshake);
      return new Extension(transport, settings, announced, announce);
    } catch (error) {
      await transport.close('it failed to start', 'immediately');
      throw error;
    }
  };
}

async function openTransport(settings: UpstreamSettings, times: NexoTimes): Promise<NexoTransport> {
  const { target } = settings.program;
  switch (target.kind) {
    case 'process':
      return openStdio(settings, times);
    case 'nats':
      return openNats(settings, target.subjectPrefix, times);
    case 'url':
      return openNexoHttp(settings, target);
    case 'container':
      throw new HostError('not_supported', `the extension ${settings.package.id} cannot run as a container`);
  }
}

async function initialize(
  transport: NexoTransport,
  settings: UpstreamSettings,
  handshakeMs: number,
): Promise<UpstreamAnnouncement> {
  const { package: pkg, agentVersion, signal, timeoutMs, onLog } = settings;
  const name = `the extension ${pkg.id}`;
  const request = async (method: string, params: JsonObject) => {
    const deadline = { timeoutMs: Math.min(timeoutMs, handshakeMs), signal };
    const message = { method, params, name: `${name} (${method})`, limit: handshakeBytes };
    try {
      return await transport.request({ ...message, ...deadline });
    } catch (error) {
      if (!(error instanceof RpcFailure)) throw error;
      throw new HostError('upstream_failed', `${name} rejected ${method}: ${error.message}`);
    }
  };
  let result = await request('initialize', { agent_version: agentVersion, extension_id: pkg.id });
  // An extension that announces no tools at its start may list them on request.
  if (pkg.tools.length > 0 && isObject(result) && result.tools === undefined) {
    const listed = await request('tools/list', {});
    result = { ...result, tools: isObject(listed) ? (listed.tools ?? []) : listed };
  }
  const { announced, remarks } = readAnnouncement(pkg, result);
  for (const line of remarks) onLog(line);
  return announced;
}

class Extension implements Upstream {
  readonly announced: UpstreamAnnouncement;
  readonly announce?: NonNullable<Upstream['announce']>;
  readonly ended: Promise<UpstreamEnd>;
  readonly #transport: NexoTransport;
  readonly #tools: ReadonlySet<string>;
  readonly #callerContext: boolean;
  /** It does not know `tools/call`: each tool is a separate method. */
  #usesToolMethods = false;

  constructor(
    transport: NexoTransport,
    { package: pkg, program }: UpstreamSettings,
    announced: UpstreamAnnouncement,
    announce: Upstream['announce'],
  ) {
    this.#transport = transport;
    this.announced = announced;
    if (announce !== undefined) this.announce = announce;
    this.ended = transport.ended;
    this.#callerContext = program.callerContext;
    this.#tools = new Set(
      pkg.tools.flatMap(({ action }) =>
        action?.kind === 'upstream' && action.program === program.name ? [action.tool] : [],
      ),
    );
  }

  async call(call: UpstreamCall): Promise<RunResult> {
    const { tool, name } = call;
    if (!this.#tools.has(tool))
      throw new HostError('tool_not_found', `the manifest of this extension does not declare ${tool}`);
    const { args, warnings } = argumentsOf(call.input, this.#callerContext ? call.caller : null);
    try {
      const result = readNexoResult(await this.#callTool(call, args), name);
      return { ...result, warnings: [...warnings, ...result.warnings] };
    } catch (error) {
      if (!(error instanceof RpcFailure)) throw error;
      throw new HostError('tool_failed', `${name} returned an error: ${error.message}`);
    } finally {
      const denied = this.#transport.takeDeniedHosts();
      if (denied.length > 0) call.onNetworkDenied(denied);
      const contacted = this.#transport.takeContactedHosts();
      if (contacted !== undefined) call.onNetworkUsed?.(contacted);
    }
  }

  hook(point: HookPoint, event: JsonObject, deadline: Deadline): Promise<Json> {
    const { timeoutMs, signal } = deadline;
    const name = `the hook ${point}`;
    const request = { method: `hooks/${point}`, params: event, name, limit: hookBytes, timeoutMs, signal };
    return this.#transport.request(request).catch((error: Error) => {
      if (!(error instanceof RpcFailure)) throw error;
      throw new HostError('tool_failed', `${name} returned an error: ${error.message}`);
    });
  }

  close(reason: string): Promise<void> {
    return this.#transport.close(reason, 'gracefully');
  }

  kill(): void {
    void this.#transport.close('it was stopped', 'immediately');
  }

  async #callTool(call: UpstreamCall, args: JsonObject): Promise<Json> {
    const { tool, name, outputBytes: limit, signal, timeoutMs } = call;
    const started = performance.now();
    const request = (method: string, params: JsonObject) => {
      const left = Math.max(1, Math.round(timeoutMs - (performance.now() - started)));
      const exactNumbers = true;
      return this.#transport.request({ method, params, name, limit, exactNumbers, timeoutMs: left, signal });
    };
    if (this.#usesToolMethods) return request(`tools/${tool}`, args);
    try {
      return await request('tools/call', { name: tool, arguments: args });
    } catch (first) {
      if (!isUnknown(first)) throw first;
      try {
        const value = await request(`tools/${tool}`, args);
        this.#usesToolMethods = true;
        return value;
      } catch (second) {
        // It knows neither method: the first error describes the call better.
        if (isUnknown(second)) throw first;
        if (second instanceof RpcFailure) this.#usesToolMethods = true;
        throw second;
      }
    }
  }
}

function isUnknown(error: unknown): boolean {
  return hasRpcCode(error, methodNotFound);
}

/** Only the host sets `_meta`: a value from the caller is removed. */
function argumentsOf(
  input: JsonObject,
  caller: CallerContext | null,
): { args: JsonObject; warnings: readonly string[] } {
  const { _meta: spoofed, ...rest } = input;
  if (caller !== null) {
    const meta = { agent_id: caller.agentId, session_id: caller.sessionId };
    return { args: { ...rest, _meta: meta }, warnings: [] };
  }
  const warnings = spoofed === undefined ? [] : ['the argument _meta was removed: only the host may set it'];
  return { args: rest, warnings };
}
