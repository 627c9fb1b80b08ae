import { HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { RunResult } from '../run.js';
import type {
  Deadline,
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
import { type ClientContext, type QuestionHandler, withDeadline } from './server-requests.js';

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
    const schema = this.announced.tools.find((it) => it.name === tool)?.input;
    // A call without log messages is sent at once.
    const stopLogging =
      call.logging === undefined
        ? undefined
        : await this.#connection.startLogging(this.#negotiated, call, call.logging);
    const request = {
      method: 'tools/call',
      params: { name: tool, arguments: input, ...this.#connection.callMeta(call) },
      subject: tool,
      arguments: input,
      ...(isObject(schema) ? { schema } : {}),
      name,
      onProgress,
      limit: outputBytes,
      onNetworkDenied,
    };
    try {
      const result = await this.#exchange(request, call, call.onAsk);
      return readResult(result, name);
    } finally {
      stopLogging?.();
      const deniedHosts = this.#connection.takeDeniedHosts();
      if (deniedHosts.length > 0) onNetworkDenied(deniedHosts);
      const contacted = this.#connection.takeContactedHosts();
      if (contacted !== undefined) call.onNetworkUsed?.(contacted);
    }
  }

  prompt(name: string, args: JsonObject, deadline: Deadline): Promise<Json> {
    const params = { name, arguments: args };
    return this.#exchange({ method: 'prompts/get', params, subject: name, name }, deadline, undefined);
  }

  resource(uri: string, deadline: Deadline): Promise<Json> {
    return this.#exchange(
      { method: 'resources/read', params: { uri }, subject: uri, name: uri },
      deadline,
      undefined,
    );
  }

  async complete(params: JsonObject, deadline: Deadline): Promise<Json> {
    // A server without this capability has no values.
    if (!isObject(this.#negotiated.capabilities.completions)) return { completion: { values: [] } };
    return this.#exchange({ method: 'completion/complete', params, name: 'completion' }, deadline, undefined);
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
  async #exchange(
    request: Omit<McpRequest, keyof Deadline>,
    { timeoutMs, signal }: Deadline,
    ask: QuestionHandler,
  ): Promise<JsonObject> {
    const started = performance.now();
    const left = () => Math.max(1, Math.round(timeoutMs - (performance.now() - started)));
    const { name } = request;
    let input: JsonObject = {};
    for (let round = 0; round < maxRounds; round++) {
      // The first round uses the full timeout, because error messages name it.
      const deadline = { timeoutMs: round === 0 ? timeoutMs : left(), signal };
      const params = { ...request.params, ...input };
      const result = await this.#connection.request({ ...request, ...deadline, params }, ask);
      if (result.resultType !== 'input_required' || this.#negotiated.era === '2025') return result;
      input = await this.#connection.answerInputRequests(
        result,
        withDeadline(ask, { timeoutMs, signal }, left(), name),
        name,
      );
    }
    throw new HostError('upstream_failed', `${name} requested input ${maxRounds} times without an answer`);
  }
}
