import type { ListedPrompt, Session } from '../../host/host.js';
import type { CancelSignal } from '../../model/cancel-signal.js';
import { isObject, type JsonObject } from '../../model/json.js';
import { invalidParams, RpcError } from './json-rpc.js';
import { PagedList } from './paged-list.js';

/** The prompts of a session, including skills. Cached until something changes. */
export class PromptCatalog {
  readonly #session: Session;
  #loaded: Promise<readonly ListedPrompt[]> | undefined;

  constructor(session: Session) {
    this.#session = session;
  }

  invalidate(): void {
    this.#loaded = undefined;
  }

  async list(): Promise<PagedList> {
    const prompts = await this.all();
    return new PagedList(prompts.map((it) => ({ name: it.name, text: JSON.stringify(promptEntry(it)) })));
  }

  async all(): Promise<readonly ListedPrompt[]> {
    if (this.#loaded !== undefined) return this.#loaded;
    const loading = this.#session.prompts();
    this.#loaded = loading;
    try {
      return await loading;
    } catch (error) {
      if (this.#loaded === loading) this.#loaded = undefined;
      throw error;
    }
  }

  async get(params: JsonObject, signal: CancelSignal): Promise<JsonObject> {
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
    return this.#session.promptMessages(name, args, signal);
  }
}

function promptEntry(prompt: ListedPrompt): JsonObject {
  const { examples, tags } = prompt;
  return {
    name: prompt.name,
    title: prompt.title,
    description: prompt.description,
    ...(prompt.arguments.length === 0 ? {} : { arguments: prompt.arguments.map((it) => ({ ...it })) }),
    _meta: {
      'toolwharf/package': prompt.package,
      'toolwharf/kind': prompt.kind,
      ...(examples.length === 0 ? {} : { 'toolwharf/examples': examples }),
      ...(tags.length === 0 ? {} : { 'toolwharf/tags': tags }),
    },
  };
}
