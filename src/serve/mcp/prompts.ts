import type { ListedPrompt, Session } from '../../host/host.js';
import { isObject, type JsonObject } from '../../model/json.js';
import type { Signal } from '../../model/signal.js';
import { badParams, Fault } from './message.js';
import { PagedList } from './pages.js';

/** Prompts of a session and the skills among them, read once and kept until something changes. */
export class PromptCatalog {
  readonly #session: Session;
  #loaded: Promise<readonly ListedPrompt[]> | undefined;

  constructor(session: Session) {
    this.#session = session;
  }

  forget(): void {
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

  async get(params: JsonObject, signal: Signal): Promise<JsonObject> {
    const { name, arguments: given = {} } = params;
    if (typeof name !== 'string') throw new Fault(badParams, 'prompts/get needs the name of a prompt');
    if (!isObject(given) || Object.values(given).some((it) => typeof it !== 'string'))
      throw new Fault(badParams, 'the arguments of a prompt are an object of texts');
    const prompt = (await this.all()).find((it) => it.name === name);
    if (prompt === undefined) throw new Fault(badParams, `there is no prompt ${JSON.stringify(name)}`);
    const missing = prompt.arguments.filter((it) => it.required && !Object.hasOwn(given, it.name));
    if (missing.length > 0)
      throw new Fault(badParams, `the prompt ${name} needs ${missing.map((it) => it.name).join(', ')}`);
    return this.#session.promptMessages(name, given, signal);
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
