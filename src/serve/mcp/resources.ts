import type { ListedPrompt, ListedResource, Session } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import { isObject, type JsonObject } from '../../model/json.js';
import type { Signal } from '../../model/signal.js';
import { badParams, Fault } from './message.js';
import { type ListItem, PagedList } from './pages.js';
import { textLimit, wholeCharacters } from './parts.js';
import type { PromptCatalog } from './prompts.js';
import { type ResultStore, resultUri } from './results.js';

const markdown = 'text/markdown';

/** Skills of packages by name, and large results by the link that a call answered with. */
export class ResourceCatalog {
  readonly #session: Session;
  readonly #prompts: PromptCatalog;
  readonly #results: ResultStore;
  readonly #holder: string;

  #listed: Promise<readonly ListedResource[]> | undefined;

  constructor(session: Session, prompts: PromptCatalog, results: ResultStore, holder: string) {
    this.#session = session;
    this.#prompts = prompts;
    this.#results = results;
    this.#holder = holder;
  }

  async list(): Promise<PagedList> {
    const skills = (await this.#prompts.all()).filter((it) => it.kind === 'skill');
    const own = skills.map((it) => ({ name: skillUri(it), text: JSON.stringify(skillEntry(it)) }));
    return new PagedList([...own, ...(await this.#ofServers(false))]);
  }

  async templates(): Promise<PagedList> {
    const own = templates.map((it) => ({ name: String(it.name), text: JSON.stringify(it) }));
    return new PagedList([...own, ...(await this.#ofServers(true))]);
  }

  forget(): void {
    this.#listed = undefined;
  }

  async read(params: JsonObject, signal: Signal): Promise<JsonObject> {
    const { uri } = params;
    if (typeof uri !== 'string') throw new Fault(badParams, 'resources/read needs a uri');
    const content = uri.startsWith(resultUri) ? this.#result(uri) : await this.#skill(uri);
    if (content !== undefined) return { contents: [{ uri, ...content }] };
    try {
      return await this.#session.resource(uri, signal);
    } catch (error) {
      if (!(error instanceof HostError) || error.code !== 'not_found') throw error;
      throw new Fault(badParams, `there is no resource ${JSON.stringify(uri)}`, { uri });
    }
  }

  /** Resources of servers behind us, under addresses that say whose they are. */
  async #ofServers(areTemplates: boolean): Promise<ListItem[]> {
    this.#listed ??= this.#session.resources();
    const loading = this.#listed;
    try {
      return (await loading)
        .filter((it) => it.isTemplate === areTemplates)
        .map(({ uri, package: id, entry }) => {
          const meta = isObject(entry._meta) ? entry._meta : {};
          return {
            name: uri,
            text: JSON.stringify({ ...entry, _meta: { ...meta, 'toolwharf/package': id } }),
          };
        });
    } catch (error) {
      if (this.#listed === loading) this.#listed = undefined;
      throw error;
    }
  }

  async #skill(uri: string): Promise<JsonObject | undefined> {
    const skill = (await this.#prompts.all()).find((it) => it.kind === 'skill' && skillUri(it) === uri);
    if (skill === undefined) return undefined;
    return { mimeType: markdown, text: await this.#session.prompt(skill.name, {}) };
  }

  /** Whole, or a part of it: `?offset=100000&limit=100000`, counted in characters. */
  #result(uri: string): JsonObject | undefined {
    const [address = '', query = ''] = uri.split('?', 2);
    const kept = this.#results.read(this.#holder, address);
    if (kept === undefined) return undefined;
    const { text, mimeType } = kept;
    if (query === '') return { mimeType, text };
    const part = new URLSearchParams(query);
    const from = position(part.get('offset'), 0);
    const length = position(part.get('limit'), textLimit);
    return { mimeType: 'text/plain', text: wholeCharacters(text.slice(from), length) };
  }
}

function position(given: string | null, usual: number): number {
  if (given === null) return usual;
  if (!/^\d{1,12}$/.test(given)) throw new Fault(badParams, 'offset and limit are whole numbers');
  return Number(given);
}

/** `skill://PACKAGE/NAME`; the name for clients begins with the package, which the address says already. */
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
    uriTemplate: `${resultUri}{id}{?offset,limit}`,
    name: 'result',
    title: 'A large result',
    description: 'A result that was too long for its answer, whole or in parts. Kept for ten minutes.',
  },
];
