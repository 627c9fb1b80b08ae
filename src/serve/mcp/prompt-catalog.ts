import type { AskedClient, ListedPrompt, Session } from '../../host/host.js';
import type { CancelSignal } from '../../model/cancel-signal.js';
import { isObject, type JsonObject } from '../../model/json.js';
import { LoadOnce } from '../../model/load-once.js';
import { attributed } from './attributed-question.js';
import { invalidParams, RpcError } from './json-rpc.js';
import { PagedList } from './paged-list.js';
import { sentMeta } from './sent-meta.js';

/** The prompts of a session, including skills. Cached until something changes. */
export class PromptCatalog {
  readonly #loaded: LoadOnce<readonly ListedPrompt[]>;

  constructor(session: Session) {
    this.#loaded = new LoadOnce(() => session.prompts());
  }

  invalidate(): void {
    this.#loaded.forget();
  }

  async list(): Promise<PagedList> {
    const prompts = await this.all();
    return new PagedList(prompts.map((it) => ({ name: it.name, text: JSON.stringify(promptEntry(it)) })));
  }

  all(): Promise<readonly ListedPrompt[]> {
    return this.#loaded.get();
  }

  async get(
    params: JsonObject,
    {
      signal,
      onAsk,
      session,
      clientRequests,
      onProgress,
      logging,
    }: AskedClient & { readonly signal: CancelSignal; readonly session: Session },
  ): Promise<JsonObject> {
    const { name, arguments: args = {} } = params;
    if (typeof name !== 'string')
      throw new RpcError(invalidParams, 'prompts/get needs "name": the name of a prompt');
    if (!isObject(args) || Object.values(args).some((it) => typeof it !== 'string'))
      throw new RpcError(invalidParams, '"arguments" must be an object with string values');
    const prompt = (await this.all()).find((it) => it.name === name);
    if (prompt === undefined) throw new RpcError(invalidParams, `there is no prompt ${JSON.stringify(name)}`);
    const missing = prompt.arguments.filter((it) => it.required && !Object.hasOwn(args, it.name));
    if (missing.length > 0)
      throw new RpcError(
        invalidParams,
        `the prompt ${name} needs the arguments ${missing.map((it) => it.name).join(', ')}`,
      );
    const asking = onAsk && attributed('prompt', name, onAsk);
    const client = { onAsk: asking, clientRequests, onProgress, logging, ...sentMeta(params) };
    return session.promptMessages(name, args, signal, client);
  }
}

function promptEntry(prompt: ListedPrompt): JsonObject {
  const { examples, tags, entry } = prompt;
  return {
    ...(entry ?? ownEntry(prompt)),
    name: prompt.name,
    _meta: {
      ...(isObject(entry?._meta) ? entry._meta : {}),
      'toolwharf/package': prompt.package,
      'toolwharf/kind': prompt.kind,
      ...(examples.length === 0 ? {} : { 'toolwharf/examples': examples }),
      ...(tags.length === 0 ? {} : { 'toolwharf/tags': tags }),
    },
  };
}

function ownEntry({ title, description, arguments: args }: ListedPrompt): JsonObject {
  return { title, description, ...(args.length === 0 ? {} : { arguments: args.map((it) => ({ ...it })) }) };
}
