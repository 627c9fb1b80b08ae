import type { ListedPrompt, ListedResource, Session } from '../../host/host.js';
import type { CancelSignal } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import { isObject, type JsonObject } from '../../model/json.js';
import { LoadOnce } from '../../model/load-once.js';
import { takeCharacters, textLimit } from './content-parts.js';
import { invalidParams, RpcError } from './json-rpc.js';
import { type ListItem, PagedList } from './paged-list.js';
import type { PromptCatalog } from './prompt-catalog.js';
import { type ResultStore, resultUriPrefix } from './result-store.js';

const markdown = 'text/markdown';

/** Resources: skills of packages, resources of upstream servers, and stored large results. */
export class ResourceCatalog {
  readonly #session: Session;
  readonly #prompts: PromptCatalog;
  readonly #results: ResultStore;
  readonly #holder: string;
  readonly #listed: LoadOnce<readonly ListedResource[]>;

  constructor(session: Session, prompts: PromptCatalog, results: ResultStore, holder: string) {
    this.#session = session;
    this.#listed = new LoadOnce(() => session.resources());
    this.#prompts = prompts;
    this.#results = results;
    this.#holder = holder;
  }

  async list(): Promise<PagedList> {
    const skills = (await this.#prompts.all()).filter((it) => it.kind === 'skill');
    const own = skills.map((it) => ({ name: skillUri(it), text: JSON.stringify(skillEntry(it)) }));
    return new PagedList([...own, ...(await this.#upstreamItems(false))]);
  }

  async templates(): Promise<PagedList> {
    const own = templates.map((it) => ({ name: String(it.name), text: JSON.stringify(it) }));
    return new PagedList([...own, ...(await this.#upstreamItems(true))]);
  }

  invalidate(): void {
    this.#listed.forget();
  }

  async read(params: JsonObject, signal: CancelSignal): Promise<JsonObject> {
    const { uri } = params;
    if (typeof uri !== 'string') throw new RpcError(invalidParams, 'resources/read needs a uri');
    const content = uri.startsWith(resultUriPrefix) ? this.#result(uri) : await this.#skill(uri);
    if (content !== undefined) return { contents: [{ uri, ...content }] };
    try {
      return await this.#session.resource(uri, signal);
    } catch (error) {
      if (!(error instanceof HostError) || error.code !== 'not_found') throw error;
      throw new RpcError(invalidParams, `there is no resource ${JSON.stringify(uri)}`, { uri });
    }
  }

  /** Resources of upstream servers. Their URIs start with the package and server name. */
  async #upstreamItems(areTemplates: boolean): Promise<ListItem[]> {
    return (await this.#listed.get())
      .filter((it) => it.isTemplate === areTemplates)
      .map(({ uri, package: id, entry }) => {
        const meta = isObject(entry._meta) ? entry._meta : {};
        return { name: uri, text: JSON.stringify({ ...entry, _meta: { ...meta, 'toolwharf/package': id } }) };
      });
  }

  async #skill(uri: string): Promise<JsonObject | undefined> {
    const skill = (await this.#prompts.all()).find((it) => it.kind === 'skill' && skillUri(it) === uri);
    if (skill === undefined) return undefined;
    return { mimeType: markdown, text: await this.#session.prompt(skill.name, {}) };
  }

  /** A stored result, whole or in part: `?offset=100000&limit=100000`, in characters. */
  #result(uri: string): JsonObject | undefined {
    const [address = '', query = ''] = uri.split('?', 2);
    const stored = this.#results.read(this.#holder, address);
    if (stored === undefined) return undefined;
    const { text, mimeType } = stored;
    if (query === '') return { mimeType, text };
    const part = new URLSearchParams(query);
    const from = position(part.get('offset'), 0);
    const length = position(part.get('limit'), textLimit);
    return { mimeType: 'text/plain', text: takeCharacters(text.slice(from), length) };
  }
}

function position(value: string | null, defaultValue: number): number {
  if (value === null) return defaultValue;
  if (!/^\d{1,12}$/.test(value))
    throw new RpcError(invalidParams, 'offset and limit must be non-negative integers');
  return Number(value);
}

/** `skill://PACKAGE/NAME`. The prompt name starts with the package id; the URI does not repeat it. */
function skillUri({ package: id, name }: ListedPrompt): string {
  const own = name.startsWith(`${id}_`) ? name.slice(id.length + 1) : name;
  return `skill://${encodeURIComponent(id)}/${encodeURIComponent(own)}`;
}

function skillEntry(skill: ListedPrompt): JsonObject {
  return {
    uri: skillUri(skill),
    name: skill.name,
    title: skill.title,
    description: skill.description,
    mimeType: markdown,
    _meta: { 'toolwharf/package': skill.package },
  };
}

const templates: readonly JsonObject[] = [
  {
    uriTemplate: `${resultUriPrefix}{id}{?offset,limit}`,
    name: 'result',
    title: 'A large result',
    description: 'A tool result that was too long, whole or in parts. Available for ten minutes.',
  },
];
