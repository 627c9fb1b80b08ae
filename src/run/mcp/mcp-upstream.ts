import { HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { AskedClient, RunResult } from '../run.js';
import type {
  Deadline,
  ResourceSubscription,
  Upstream,
  UpstreamAnnouncement,
  UpstreamCall,
  UpstreamEnd,
  UpstreamSettings,
} from '../upstream/upstream.js';
import type { NegotiatedRevision } from './handshake.js';
import { McpConnection, type OpenTransport } from './mcp-connection.js';
import type { McpRequest } from './mcp-dialect.js';
import { readResult } from './result.js';
import { type ClientContext, withDeadline } from './server-requests.js';
import { followTask2025, followTask2026, requiresTask } from './server-task.js';

/** How often a server of the 2026 era may request input before it answers. */
const maxRounds = 8;

/** A connected MCP server of either protocol era. */
export class McpUpstream implements Upstream {
  readonly announced: UpstreamAnnouncement;
  readonly ended: Promise<UpstreamEnd>;
  readonly #connection: McpConnection;
  readonly #negotiated: NegotiatedRevision;

  private constructor(
    connection: McpConnection,
    negotiated: NegotiatedRevision,
    announced: UpstreamAnnouncement,
  ) {
    this.#connection = connection;
    this.#negotiated = negotiated;
    this.announced = announced;
    this.ended = connection.ended;
  }

  static async open(
    settings: UpstreamSettings,
    context: ClientContext,
    open: OpenTransport,
  ): Promise<McpUpstream> {
    const connection = new McpConnection(settings, context, open);
    try {
      const { negotiated, announced } = await connection.connect();
      connection.listen(negotiated);
      return new McpUpstream(connection, negotiated, announced);
    } catch (error) {
      // A canceled start gets no grace period.
      if (settings.signal.aborted) connection.kill();
      else await connection.close({ kind: 'requested', reason: 'it could not be used' });
      throw error;
    }
  }

  async call(call: UpstreamCall): Promise<RunResult> {
    const { tool, input, name, onProgress, outputBytes, onNetworkDenied } = call;
    const announced = this.announced.tools.find((it) => it.name === tool);
    const schema = announced?.input;
    const isTask = requiresTask(this.#negotiated, announced?.execution);
    // A call without log messages is sent at once.
    const stopLogging =
      call.logging === undefined
        ? undefined
        : await this.#connection.startLogging(this.#negotiated, call, call.logging);
    const request = {
      method: 'tools/call',
      params: {
        name: tool,
        arguments: input,
        ...this.#connection.callMeta(call),
        ...(isTask ? { task: { ttl: call.timeoutMs } } : {}),
      },
      subject: tool,
      arguments: input,
      schema: isObject(schema) ? schema : undefined,
      name,
      timeoutMs: call.timeoutMs,
      signal: call.signal,
      onProgress,
      limit: outputBytes,
      exactNumbers: true,
      onNetworkDenied,
    };
    try {
      const result = await this.#exchange(request, call);
      return readResult(await this.#finished(result, isTask, call), name);
    } finally {
      stopLogging?.();
      const deniedHosts = this.#connection.takeDeniedHosts();
      if (deniedHosts.length > 0) onNetworkDenied(deniedHosts);
      const contacted = this.#connection.takeContactedHosts();
      if (contacted !== undefined) call.onNetworkUsed?.(contacted);
    }
  }

  /** The result of a call that its server runs as a task. Other results stay as they are. */
  async #finished(result: JsonObject, isTask: boolean, call: UpstreamCall): Promise<JsonObject> {
    const isTask2026 = this.#negotiated.era === '2026' && result.resultType === 'task';
    if (!isTask2026 && !(isTask && isObject(result.task))) return result;
    call.onTask?.();
    const { name, timeoutMs, signal, onProgress, outputBytes: limit } = call;
    const connection = this.#connection;
    const follower = { connection, name, timeoutMs, signal, client: call, onProgress, limit };
    return isTask2026 ? followTask2026(result, follower) : followTask2025(result, follower);
  }

  prompt(name: string, args: JsonObject, deadline: Deadline, client: AskedClient = {}): Promise<Json> {
    const params = { name, arguments: args };
    return this.#read({ ...deadline, method: 'prompts/get', params, subject: name, name }, client);
  }

  resource(uri: string, deadline: Deadline, client: AskedClient = {}): Promise<Json> {
    const request = { ...deadline, method: 'resources/read', params: { uri }, subject: uri, name: uri };
    return this.#read(request, client);
  }

  async #read(request: McpRequest, client: AskedClient): Promise<JsonObject> {
    const { onProgress, logging } = client;
    const connection = this.#connection;
    const params = { ...request.params, ...connection.readMeta(client) };
    const stopLogging = logging && (await connection.startLogging(this.#negotiated, request, logging));
    try {
      return await this.#exchange({ ...request, params, onProgress }, client);
    } finally {
      stopLogging?.();
    }
  }

  async complete(params: JsonObject, deadline: Deadline): Promise<Json> {
    // A server without this capability has no values.
    if (!isObject(this.#negotiated.capabilities.completions)) return { completion: { values: [] } };
    return this.#exchange({ ...deadline, method: 'completion/complete', params, name: 'completion' }, {});
  }

  subscribe(uri: string, onUpdate: (uri: string) => void, deadline: Deadline): Promise<ResourceSubscription> {
    return this.#connection.subscriptions.subscribe(this.#negotiated, uri, onUpdate, deadline);
  }

  announce(deadline: Deadline): Promise<UpstreamAnnouncement> {
    return this.#connection.announce(this.#negotiated, deadline);
  }

  close(reason: string): Promise<void> {
    return this.#connection.close({ kind: 'requested', reason });
  }

  kill(): void {
    this.#connection.kill();
  }

  /** Sends a request, and again with the requested input until there is a result. */
  async #exchange(request: McpRequest, client: AskedClient): Promise<JsonObject> {
    const started = performance.now();
    const { name, timeoutMs, signal } = request;
    const left = () => Math.max(1, Math.round(timeoutMs - (performance.now() - started)));
    const meta = this.#connection.clientMeta(client);
    let next = meta === undefined ? request : { ...request, params: withMeta(request.params, meta) };
    for (let round = 0; round < maxRounds; round++) {
      // The first round uses the full timeout, because error messages name it.
      const result = await this.#connection.request(next, client);
      if (result.resultType !== 'input_required' || this.#negotiated.era === '2025') return result;
      const input = await this.#connection.answerInputRequests(
        result,
        withDeadline(client, { timeoutMs, signal }, left(), name),
        name,
      );
      const params = withMeta({ ...request.params, ...input }, meta);
      next = { ...request, timeoutMs: left(), params };
    }
    throw new HostError('upstream_failed', `${name} requested input ${maxRounds} times without an answer`);
  }
}

function withMeta(params: JsonObject, meta: JsonObject | undefined): JsonObject {
  if (meta === undefined) return params;
  const own = isObject(params._meta) ? params._meta : {};
  return { ...params, _meta: { ...own, ...meta } };
}
