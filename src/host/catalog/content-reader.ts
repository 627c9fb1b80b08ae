import { type CancelSignal, neverCanceled } from '../../model/cancel-signal.js';
import { asHostError, HostError } from '../../model/host-error.js';
import type { JsonObject } from '../../model/json.js';
import type { Rule } from '../../model/rule.js';
import type { CallServices } from '../call/call.js';
import type { ArgumentValues, CompletionRequest, Session } from '../host.js';
import type { SessionSetup } from '../session-setup.js';
import type { ReadableContent } from '../upstream/readable-content.js';
import { assertReadable, countRead, guardRead } from '../upstream/reading-rules.js';
import { promptTextOf } from '../upstream/upstream-content.js';
import { readCompletion } from './completion-result.js';
import type { OfferedPrompt } from './prompts.js';
import type { SessionContent } from './session-content.js';

export interface ContentReaderOptions {
  readonly catalog: {
    readonly setup: SessionSetup;
    readonly content: Pick<SessionContent, 'prompts' | 'resource'>;
  };
  readonly call: Session['call'];
  readonly services: Pick<CallServices, 'kills' | 'audit' | 'limits' | 'running'>;
  readonly session: string;
}

/** Reads prompts and resources for one session. Reads from a server are audited, and kills stop them like calls. */
export class ContentReader {
  readonly #options: ContentReaderOptions;

  constructor(options: ContentReaderOptions) {
    this.#options = options;
  }

  async prompt(name: string, args: JsonObject): Promise<string> {
    const { source } = await this.#find(name);
    switch (source.kind) {
      case 'text':
        assertReadable(source.target, this.#rules);
        return source.read();
      case 'server':
        return promptTextOf(await this.messages(name, args));
      case 'tool':
        return this.#callPromptTool(source.tool, args);
    }
  }

  async messages(name: string, args: JsonObject, signal: CancelSignal = neverCanceled): Promise<JsonObject> {
    const { source, listed } = await this.#find(name);
    if (source.kind === 'server') return this.#readFromServer(source, args, { prompt: name }, signal);
    const text = await this.prompt(name, args);
    const messages = [{ role: 'user', content: { type: 'text', text } }];
    return { description: listed.description, messages };
  }

  async resource(uri: string, signal: CancelSignal = neverCanceled): Promise<JsonObject> {
    return this.#readFromServer(await this.#resource(uri), { uri }, { resource: uri.slice(0, 500) }, signal);
  }

  /** A prompt that no server offers has no values. */
  async complete(
    { of, argument, known }: CompletionRequest,
    signal: CancelSignal = neverCanceled,
  ): Promise<ArgumentValues> {
    const found = 'prompt' in of ? (await this.#find(of.prompt)).source : await this.#resource(of.resource);
    if (!('complete' in found)) return { values: [] };
    const request = { argument: { ...argument }, known: { ...known } };
    const asked = { ...found, read: found.complete };
    const about = { completion: found.target.name.slice(0, 500) };
    return readCompletion(await this.#readFromServer(asked, request, about, signal));
  }

  get #rules(): readonly Rule[] {
    return this.#options.catalog.setup.policy.rules ?? [];
  }

  /** The steps of the call pipeline that apply to reading: kill switch, rules, secrets, rate limits, audit log. */
  async #readFromServer(
    { target, program, checkForSecrets, read }: ReadableContent,
    request: JsonObject,
    auditFields: JsonObject,
    signal: CancelSignal,
  ): Promise<JsonObject> {
    const { kills, audit, limits, running } = this.#options.services;
    const { principal } = this.#options.catalog.setup;
    const subject = { principal, package: target.package.id };
    const entryBase = { ...subject, session: this.#options.session, program };
    const run = running.enter(subject, signal);
    try {
      const checked = await this.#withAuditedRefusal(async () => {
        kills.readKillFile();
        kills.assertNotKilled(subject);
        const guarded = await guardRead(target, request, this.#rules);
        await checkForSecrets(guarded);
        await countRead(target, principal, this.#rules, limits);
        return guarded;
      }, entryBase);
      await audit.append({ kind: 'read', body: { ...entryBase, ...auditFields } });
      if (run.stopReason === undefined) return await read(checked, run.signal);
    } catch (error) {
      if (run.stopReason === undefined) throw error;
    } finally {
      run.leave();
    }
    throw run.stopReason;
  }

  /** The entry leaves out the request itself: it may contain what must not be stored. */
  async #withAuditedRefusal<T>(check: () => Promise<T>, entryBase: JsonObject): Promise<T> {
    try {
      return await check();
    } catch (error) {
      const { code } = asHostError(error);
      await this.#options.services.audit.append({ kind: 'refusal', body: { ...entryBase, code } });
      throw error;
    }
  }

  async #resource(uri: string): Promise<ReadableContent> {
    const resource = await this.#options.catalog.content.resource(uri);
    if (resource !== undefined) return resource;
    throw new HostError('not_found', `no resource with the address ${JSON.stringify(uri.slice(0, 200))}`);
  }

  async #find(name: string): Promise<OfferedPrompt> {
    const prompt = (await this.#options.catalog.content.prompts()).find((it) => it.listed.name === name);
    if (prompt !== undefined) return prompt;
    throw new HostError('not_found', `no prompt named ${JSON.stringify(name)}`);
  }

  async #callPromptTool(tool: string, args: JsonObject): Promise<string> {
    const answer = await this.#options.call({ tool, arguments: args });
    if (answer.status === 'ok') return String(answer.result);
    const { code, message, hint } = answer.error ?? {
      code: 'approval_required',
      message: 'a person must approve this first',
    };
    throw new HostError(code, message, hint === undefined ? {} : { hint });
  }
}
