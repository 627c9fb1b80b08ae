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
import { type Ask, type Knowledge, within } from './asked.js';
import type { NegotiatedRevision } from './handshake.js';
import { Link, type OpenTransport } from './link.js';
import type { Question } from './peer.js';
import { readResult } from './result.js';

/** How often a server of the newer era may ask back before it answers. */
const maxRounds = 8;

/** An MCP server that is up, of either era. */
export class McpUpstream implements Upstream {
  readonly announced: UpstreamAnnouncement;
  readonly ended: Promise<UpstreamEnd>;
  readonly #link: Link;
  readonly #understanding: NegotiatedRevision;

  private constructor(link: Link, understanding: NegotiatedRevision, announced: UpstreamAnnouncement) {
    this.#link = link;
    this.#understanding = understanding;
    this.announced = announced;
    this.ended = link.ended;
  }

  static async open(
    setting: UpstreamSettings,
    knowledge: Knowledge,
    open: OpenTransport,
  ): Promise<McpUpstream> {
    const link = new Link(setting, knowledge, open);
    try {
      const { understanding, announced } = await link.connect();
      link.listen(understanding);
      return new McpUpstream(link, understanding, announced);
    } catch (error) {
      // Whoever is not waited for any more gets no time either.
      if (setting.signal.aborted) link.kill();
      else await link.close({ kind: 'asked', reason: 'it could not be used' });
      throw error;
    }
  }

  async call(call: UpstreamCall): Promise<RunResult> {
    const { tool, input, name, onProgress, outputBytes, onRefused } = call;
    const schema = this.announced.tools.find((it) => it.name === tool)?.input;
    const question = {
      method: 'tools/call',
      params: { name: tool, arguments: input, ...this.#link.context(call.caller) },
      about: tool,
      arguments: input,
      ...(isObject(schema) ? { schema } : {}),
      name,
      onProgress,
      limit: outputBytes,
      onRefused,
    };
    try {
      const result = await this.#converse(question, call, call.onAsk);
      return readResult(result, name);
    } finally {
      const refused = this.#link.refused();
      if (refused.length > 0) onRefused(refused);
    }
  }

  prompt(name: string, given: JsonObject, patience: Deadline): Promise<Json> {
    const params = { name, arguments: given };
    return this.#converse({ method: 'prompts/get', params, about: name, name }, patience, undefined);
  }

  resource(uri: string, patience: Deadline): Promise<Json> {
    return this.#converse(
      { method: 'resources/read', params: { uri }, about: uri, name: uri },
      patience,
      undefined,
    );
  }

  announce(patience: Deadline): Promise<UpstreamAnnouncement> {
    return this.#link.announce(this.#understanding, patience);
  }

  close(reason: string): Promise<void> {
    return this.#link.close({ kind: 'asked', reason });
  }

  kill(): void {
    this.#link.kill();
  }

  /** Asks, and answers what comes back as a question, until there is a result. */
  async #converse(
    question: Omit<Question, keyof Deadline>,
    { timeoutMs, signal }: Deadline,
    ask: Ask,
  ): Promise<JsonObject> {
    const started = performance.now();
    const left = () => Math.max(1, Math.round(timeoutMs - (performance.now() - started)));
    const { name } = question;
    let more: JsonObject = {};
    for (let round = 0; round < maxRounds; round++) {
      // The time that was given is what a message names; what was used up before is hardly any.
      const patience = { timeoutMs: round === 0 ? timeoutMs : left(), signal };
      const params = { ...question.params, ...more };
      const result = await this.#link.ask({ ...question, ...patience, params }, ask);
      if (result.resultType !== 'input_required' || this.#understanding.era === '2025') return result;
      more = await this.#link.answers(result, within(ask, { timeoutMs, signal }, left(), name), name);
    }
    throw new HostError('upstream_failed', `${name} asked back ${maxRounds} times without an answer`);
  }
}
