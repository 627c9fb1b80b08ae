import type { AskedClient, ListedPrompt, ListedResource, Session } from '../../host/host.js';
import type { CancelSignal } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import { isObject, type JsonObject } from '../../model/json.js';
import { LoadOnce } from '../../model/load-once.js';
import { attributed } from './attributed-question.js';
import { takeCharacters, textLimit } from './content-parts.js';
import { invalidParams, RpcError } from './json-rpc.js';
import { type ListItem, PagedList } from './paged-list.js';
import type { PromptCatalog } from './prompt-catalog.js';
import { type ResultStore, resultUriPrefix } from './result-store.js';
import { sentMeta } from './sent-meta.js';

const markdown = 'text/markdown';

/** Resources: skills of packages, resources of upstream servers, and stored large results. */
export class ResourceCatalog {
  readonly #prompts: PromptCatalog;
  readonly #results: ResultStore;
  readonly #listed: LoadOnce<readonly ListedResource[]>;

  constructor(session: Session, prompts: PromptCatalog, results: ResultStore) {
    this.#listed = new LoadOnce(() => session.resources());
    this.#prompts = prompts;
    this.#results = results;
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

  /** `holder`: whose large results it may read. */
  async read(
    params: JsonObject,
    {
      signal,
      onAsk,
      clientRequests,
      onProgress,
      logging,
      session,
      holder,
    }: AskedClient & {
      readonly signal: CancelSignal;
      readonly session: Session;
      readonly holder: string;
    },
  ): Promise<JsonObject> {
    const { uri } = params;
    if (typeof uri !== 'string') throw new RpcError(invalidParams, 'resources/read needs a uri');
    const content = uri.startsWith(resultUriPrefix)
      ? this.#result(uri, holder)
      : await this.#skill(uri, session);
    if (content !== undefined) return { contents: [{ uri, ...content }] };
    const asking = onAsk && attributed('resource', uri, onAsk);
    const client = { onAsk: asking, clientRequests, onProgress, logging, ...sentMeta(params) };
    return found(uri, () => session.resource(uri, signal, client));
  }

  /** Reports updates until the signal. Skills and stored results are not updated: `list_changed` reports a new version. */
  async subscribe(
    session: Pick<Session, 'subscribe'>,
    uri: string,
    onUpdate: (uri: string) => void,
    signal: CancelSignal,
  ): Promise<void> {
    if (uri.startsWith(resultUriPrefix) || (await this.#findSkill(uri)) !== undefined) return;
    await found(uri, () => session.subscribe(uri, onUpdate, signal));
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

  async #skill(uri: string, session: Session): Promise<JsonObject | undefined> {
    const skill = await this.#findSkill(uri);
    if (skill === undefined) return undefined;
    return { mimeType: markdown, text: await session.prompt(skill.name, {}) };
  }

  async #findSkill(uri: string): Promise<ListedPrompt | undefined> {
    return (await this.#prompts.all()).find((it) => it.kind === 'skill' && skillUri(it) === uri);
  }

  /** A stored result, whole or in part: `?offset=100000&limit=100000`, in characters. */
  #result(uri: string, holder: string): JsonObject | undefined {
    const [address = '', query = ''] = uri.split('?', 2);
    const stored = this.#results.read(holder, address);
    if (stored === undefined) return undefined;
    const { text, mimeType } = stored;
    if (query === '') return { mimeType, text };
    const part = new URLSearchParams(query);
    const from = position(part.get('offset'), 0);
    const length = position(part.get('limit'), textLimit);
    return { mimeType: 'text/plain', text: takeCharacters(text.slice(from), length) };
  }
}

/** An unknown resource is the client's mistake. */
async function found<T>(uri: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof HostError) || error.code !== 'not_found') throw error;
    throw new RpcError(invalidParams, `there is no resource ${JSON.stringify(uri)}`, { uri });
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
