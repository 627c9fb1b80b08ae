import { Cancellation, type CancelSignal, neverCanceled } from '../../model/cancel-signal.js';
import { asHostError, HostError } from '../../model/host-error.js';
import type { JsonObject } from '../../model/json.js';
import type { Rule } from '../../model/rule.js';
import type { TaintCall } from '../../policy/taint/judge-state.js';
import { assertMayRead, contentLabels, notedClient, notedContent } from '../call/call-labels.js';
import type { CallServices } from '../call/call-services.js';
import type { Caller } from '../call/caller.js';
import { counted } from '../call/scanned-requests.js';
import { taintModeOf } from '../call/tool-labels.js';
import type { ArgumentValues, AskedClient, CompletionRequest, Session } from '../host.js';
import type { SessionSetup } from '../session-setup.js';
import type { ReadableContent } from '../upstream/readable-content.js';
import {
  assertReadable,
  countRead,
  guardRead,
  isInspectedRead,
  type ReadTarget,
} from '../upstream/reading-rules.js';
import { promptTextOf } from '../upstream/upstream-content.js';
import { readCompletion } from './completion-result.js';
import { keepWatching } from './kept-watch.js';
import type { OfferedPrompt } from './prompts.js';
import type { SessionContent } from './session-content.js';

export interface ContentReaderOptions {
  readonly catalog: {
    readonly setup: SessionSetup;
    readonly content: Pick<SessionContent, 'prompts' | 'resource'>;
  };
  readonly call: Session['call'];
  readonly services: Pick<CallServices, 'kills' | 'audit' | 'limits' | 'running' | 'newId'>;
  readonly caller: Caller;
}

/** Watched resources of one session. */
const maxSubscriptions = 128;

/** Reads prompts and resources for one session. Reads from a server are audited, and kills stop them like calls. */
export class ContentReader {
  readonly #options: ContentReaderOptions;
  readonly #subscriptions = new Set<Cancellation>();

  constructor(options: ContentReaderOptions) {
    this.#options = options;
  }

  async prompt(name: string, args: JsonObject): Promise<string> {
    const { source } = await this.#find(name);
    switch (source.kind) {
      case 'text':
        assertReadable(source.target, this.#rules);
        // A text of the package was accepted with it. Where it is stored elsewhere, others may change it.
        if (!source.isStored) return source.read();
        return notedContent(this.#options.caller, this.#taintCall(source.target, {}), () => source.read());
      case 'server':
        return promptTextOf(await this.messages(name, args));
      case 'tool':
        return this.#callPromptTool(source.tool, args);
    }
  }

  async messages(
    name: string,
    args: JsonObject,
    signal: CancelSignal = neverCanceled,
    client: AskedClient = {},
  ): Promise<JsonObject> {
    const { source, listed } = await this.#find(name);
    if (source.kind === 'server') return this.#readFromServer(source, args, { prompt: name }, signal, client);
    const text = await this.prompt(name, args);
    const messages = [{ role: 'user', content: { type: 'text', text } }];
    return { description: listed.description, messages };
  }

  async resource(
    uri: string,
    signal: CancelSignal = neverCanceled,
    client: AskedClient = {},
  ): Promise<JsonObject> {
    const about = { resource: uri.slice(0, 500) };
    return this.#readFromServer(await this.#resource(uri), { uri }, about, signal, client);
  }

  /**
   * Reports updates of a resource until the signal. The rules apply each time the subscription is opened. Its package is
   * looked up each time too: it may have been updated. The address of a part of the resource is text of the server, which
   * counts for the session of `caller`.
   */
  async subscribe(
    uri: string,
    onUpdate: (uri: string) => void,
    signal: CancelSignal,
    caller: Pick<Caller, 'labels'> = this.#options.caller,
  ): Promise<void> {
    if (this.#subscriptions.size >= maxSubscriptions)
      throw new HostError('rate_limited', `at most ${maxSubscriptions} resources can be watched at once`);
    const stop = new Cancellation();
    const end = () => stop.abort();
    stop.addEventListener('abort', () => {
      this.#subscriptions.delete(stop);
      signal.removeEventListener('abort', end);
    });
    this.#subscriptions.add(stop);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    const open = async () => {
      const found = await this.#resource(uri);
      const { watch } = found;
      if (watch === undefined) throw new HostError('not_supported', 'prompts cannot be watched');
      const update = (it: string) => {
        if (it === uri) return onUpdate(it);
        const noted = notedContent(caller, this.#taintCall(found.target, { uri }), async () => it);
        noted.then(onUpdate, () => onUpdate(uri));
      };
      const asked = { ...found, read: () => watch(update, stop) };
      const about = { subscription: uri.slice(0, 500) };
      return this.#readFromServer(asked, { uri }, about, stop, {}, caller);
    };
    try {
      await keepWatching(open, () => onUpdate(uri), stop);
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Ends all subscriptions. */
  close(): void {
    for (const it of [...this.#subscriptions]) it.abort();
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

  #taintCall({ package: pkg, name }: ReadTarget, input: JsonObject): TaintCall {
    const callId = this.#options.services.newId('read');
    return { package: pkg.id, tool: name, callId, input, labels: contentLabels };
  }

  get #rules(): readonly Rule[] {
    return this.#options.catalog.setup.policy.rules ?? [];
  }

  /** The steps of the call pipeline that apply to reading: kill switch, rules, secrets, rate limits, audit log. */
  async #readFromServer<T>(
    {
      target,
      program,
      checkForSecrets,
      read,
    }: Omit<ReadableContent, 'read'> & {
      read(request: JsonObject, signal: CancelSignal, client?: AskedClient): Promise<T>;
    },
    request: JsonObject,
    auditFields: JsonObject,
    signal: CancelSignal,
    client: AskedClient = {},
    caller: Pick<Caller, 'labels'> = this.#options.caller,
  ): Promise<T> {
    const { kills, audit, limits, running } = this.#options.services;
    const { principal } = this.#options.catalog.setup;
    const subject = { principal, package: target.package.id };
    const entryBase = { ...subject, session: this.#options.caller.id, program };
    const run = running.enter(subject, signal);
    try {
      const checked = await this.#withAuditedRefusal(async () => {
        kills.readKillFile();
        kills.assertNotKilled(subject);
        const guarded = await guardRead(target, request, this.#rules);
        await checkForSecrets(guarded);
        if (client.meta !== undefined) await checkForSecrets(client.meta);
        await this.#assertMayRead(caller, target, guarded);
        await countRead(target, principal, this.#rules, limits);
        return guarded;
      }, entryBase);
      await audit.append({ kind: 'read', body: { ...entryBase, ...auditFields } });
      const onRequest = (asked: string) =>
        audit.enqueue({ kind: 'read', body: { ...entryBase, ...auditFields, asked } });
      const asked = { ...client, clientRequests: counted(client.clientRequests, onRequest) };
      const meta = isInspectedRead(target, this.#rules) ? undefined : client.meta;
      if (run.stopReason === undefined)
        return await notedContent(caller, this.#taintCall(target, request), (note) =>
          read(checked, run.signal, {
            ...client,
            ...notedClient(asked, note, (answer) => this.#assertMayRead(caller, target, answer)),
            meta,
          }),
        );
    } catch (error) {
      if (run.stopReason === undefined) throw error;
    } finally {
      run.leave();
    }
    throw run.stopReason;
  }

  async #assertMayRead(
    caller: Pick<Caller, 'labels'>,
    target: ReadTarget,
    request: JsonObject,
  ): Promise<void> {
    const { policy, principal } = this.#options.catalog.setup;
    const mode = taintModeOf(policy.taint, { package: target.package.id, principal });
    await assertMayRead(caller, this.#taintCall(target, request), mode);
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
