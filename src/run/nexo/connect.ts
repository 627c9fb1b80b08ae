import { HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { HookPoint } from '../../model/package.js';
import type { RunResult } from '../run.js';
import type {
  CallerContext,
  ConnectUpstream,
  Deadline,
  Upstream,
  UpstreamAnnouncement,
  UpstreamCall,
  UpstreamEnd,
  UpstreamSettings,
} from '../upstream/upstream.js';
import { readAnnouncement } from './announcement.js';
import { readAnswer } from './answer.js';
import { openHttp } from './http.js';
import { RpcFailure, unknownMethod } from './message.js';
import { openNats } from './nats.js';
import { openStdio } from './stdio.js';
import { type NexoTimes, nexoTimes, type Wire } from './wire.js';

const handshakeBytes = 4 * 1024 * 1024;
const hookBytes = 1024 * 1024;

/** Reaches extensions with the times that the format has. */
export const connectNexo: ConnectUpstream = nexoConnector(nexoTimes);

/** Reaches extensions; the times are others in tests only. */
export function nexoConnector(times: NexoTimes): ConnectUpstream {
  return async (setting) => {
    const wire = await openWire(setting, times);
    try {
      const announced = await introduce(wire, setting, times.handshake);
      wire.introduced(announced.version);
      return new Extension(wire, setting, announced);
    } catch (error) {
      await wire.close('it did not come up', 'at once');
      throw error;
    }
  };
}

async function openWire(setting: UpstreamSettings, times: NexoTimes): Promise<Wire> {
  const { target } = setting.program;
  switch (target.kind) {
    case 'process':
      return openStdio(setting, times);
    case 'nats':
      return openNats(setting, target.subjectPrefix, times);
    case 'url':
      return openHttp(setting, target);
    case 'container':
      throw new HostError('not_supported', `the extension ${setting.package.id} cannot be a container`);
  }
}

async function introduce(wire: Wire, setting: UpstreamSettings, most: number): Promise<UpstreamAnnouncement> {
  const { package: of, agentVersion, signal, timeoutMs, onLog } = setting;
  const name = `the extension ${of.id}`;
  const ask = async (method: string, params: JsonObject) => {
    const patience = { timeoutMs: Math.min(timeoutMs, most), signal };
    const question = { method, params, name: `${name}, asked to ${method},`, bytes: handshakeBytes };
    try {
      return await wire.ask({ ...question, ...patience });
    } catch (error) {
      if (!(error instanceof RpcFailure)) throw error;
      throw new HostError('upstream_failed', `${name} refused to ${method}: ${error.message}`);
    }
  };
  let said = await ask('initialize', { agent_version: agentVersion, extension_id: of.id });
  // One that says nothing of tools at its start may list them when it is asked.
  if (of.tools.length > 0 && isObject(said) && said.tools === undefined) {
    const listed = await ask('tools/list', {});
    said = { ...said, tools: isObject(listed) ? (listed.tools ?? []) : listed };
  }
  const { announced, remarks } = readAnnouncement(of, said);
  for (const line of remarks) onLog(line);
  return announced;
}

class Extension implements Upstream {
  readonly announced: UpstreamAnnouncement;
  readonly ended: Promise<UpstreamEnd>;
  readonly #wire: Wire;
  readonly #tools: ReadonlySet<string>;
  readonly #callerContext: boolean;
  /** It knows no `tools/call`, so each tool is a method of its own. */
  #olderCalls = false;

  constructor(wire: Wire, { package: of, program }: UpstreamSettings, announced: UpstreamAnnouncement) {
    this.#wire = wire;
    this.announced = announced;
    this.ended = wire.ended;
    this.#callerContext = program.callerContext;
    this.#tools = new Set(
      of.tools.flatMap(({ action }) =>
        action?.kind === 'upstream' && action.program === program.name ? [action.tool] : [],
      ),
    );
  }

  async call(call: UpstreamCall): Promise<RunResult> {
    const { tool, name } = call;
    if (!this.#tools.has(tool))
      throw new HostError('tool_not_found', `the manifest of this extension does not declare ${tool}`);
    const { given, warnings } = argumentsOf(call.input, this.#callerContext ? call.caller : null);
    try {
      const result = readAnswer(await this.#callTool(call, given), name);
      return { ...result, warnings: [...warnings, ...result.warnings] };
    } catch (error) {
      if (!(error instanceof RpcFailure)) throw error;
      throw new HostError('tool_failed', `${name} answered with an error: ${error.message}`);
    } finally {
      const refused = this.#wire.refusals();
      if (refused.length > 0) call.onRefused(refused);
    }
  }

  hook(point: HookPoint, event: JsonObject, patience: Deadline): Promise<Json> {
    const { timeoutMs, signal } = patience;
    const name = `the hook ${point}`;
    const question = { method: `hooks/${point}`, params: event, name, bytes: hookBytes, timeoutMs, signal };
    return this.#wire.ask(question).catch((error: Error) => {
      if (!(error instanceof RpcFailure)) throw error;
      throw new HostError('tool_failed', `${name} answered with an error: ${error.message}`);
    });
  }

  close(reason: string): Promise<void> {
    return this.#wire.close(reason, 'kindly');
  }

  kill(): void {
    void this.#wire.close('it was stopped', 'at once');
  }

  async #callTool(call: UpstreamCall, given: JsonObject): Promise<Json> {
    const { tool, name, outputBytes: bytes, signal, timeoutMs } = call;
    const started = performance.now();
    const ask = (method: string, params: JsonObject) => {
      const left = Math.max(1, Math.round(timeoutMs - (performance.now() - started)));
      return this.#wire.ask({ method, params, name, bytes, timeoutMs: left, signal });
    };
    if (this.#olderCalls) return ask(`tools/${tool}`, given);
    try {
      return await ask('tools/call', { name: tool, arguments: given });
    } catch (first) {
      if (!isUnknown(first)) throw first;
      try {
        const value = await ask(`tools/${tool}`, given);
        this.#olderCalls = true;
        return value;
      } catch (second) {
        // It knows neither: what it said of the call itself is the better word.
        if (isUnknown(second)) throw first;
        if (second instanceof RpcFailure) this.#olderCalls = true;
        throw second;
      }
    }
  }
}

function isUnknown(error: unknown): boolean {
  return error instanceof RpcFailure && error.code === unknownMethod;
}

/** Only the host says who is calling: what a caller wrote in that place goes nowhere. */
function argumentsOf(
  input: JsonObject,
  caller: CallerContext | null,
): { given: JsonObject; warnings: readonly string[] } {
  const { _meta: spoofed, ...rest } = input;
  if (caller !== null) {
    const told = { agent_id: caller.agentId, session_id: caller.sessionId };
    return { given: { ...rest, _meta: told }, warnings: [] };
  }
  const warnings = spoofed === undefined ? [] : ['the argument _meta was not passed on: it is for the host'];
  return { given: rest, warnings };
}
