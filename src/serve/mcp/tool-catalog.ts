import type { ListedTool, PackageReport, SandboxLevel, Session } from '../../host/host.js';
import { isObject, type Json } from '../../model/json.js';
import type { Expose } from './front.js';
import { metaTools } from './meta-tools.js';
import { type ListItem, PagedList } from './pages.js';
import { type Searchable, SearchIndex } from './search.js';
import { confirmTool, type Shape, toolEntry } from './tools.js';

/** With fewer tools than this, `auto` lists them all. */
export const fewTools = 40;

export interface SearchableTool extends Searchable {
  readonly listed: ListedTool;
}

interface Loaded {
  readonly tools: readonly ListedTool[];
  readonly byName: ReadonlyMap<string, ListedTool>;
  readonly report: PackageReport;
  readonly searching: boolean;
  readonly lists: Map<Shape, PagedList>;
  index: SearchIndex<SearchableTool> | undefined;
}

/** The tools of a session, read once and kept until something changes. */
export class ToolCatalog {
  readonly #session: Session;
  readonly #expose: Expose;
  #loaded: Promise<Loaded> | undefined;

  constructor(session: Session, expose: Expose) {
    this.#session = session;
    this.#expose = expose;
  }

  forget(): void {
    this.#loaded = undefined;
  }

  async list(shape: Shape): Promise<PagedList> {
    const loaded = await this.#load();
    const known = loaded.lists.get(shape);
    if (known !== undefined) return known;
    const list = new PagedList(itemsOf(loaded, shape));
    loaded.lists.set(shape, list);
    return list;
  }

  /** By `package/tool` or by the name for clients. */
  async find(name: string): Promise<ListedTool | undefined> {
    return (await this.#load()).byName.get(name);
  }

  async sandboxOf(tool: ListedTool): Promise<SandboxLevel | undefined> {
    return levels((await this.#load()).report).get(tool.exposed);
  }

  /** Whether tools are found by searching instead of being listed. */
  async searching(): Promise<boolean> {
    return (await this.#load()).searching;
  }

  async index(): Promise<SearchIndex<SearchableTool>> {
    const loaded = await this.#load();
    loaded.index ??= new SearchIndex(loaded.tools.map((it) => searchable(it, loaded.report)));
    return loaded.index;
  }

  async #load(): Promise<Loaded> {
    if (this.#loaded !== undefined) return this.#loaded;
    const loading = this.#read();
    this.#loaded = loading;
    try {
      return await loading;
    } catch (error) {
      if (this.#loaded === loading) this.#loaded = undefined;
      throw error;
    }
  }

  async #read(): Promise<Loaded> {
    const [tools, report] = await Promise.all([this.#session.tools(), this.#session.packages()]);
    const byName = new Map<string, ListedTool>();
    for (const it of tools) byName.set(it.exposed, it);
    // The canonical name wins where a package was clever with its names.
    for (const it of tools) byName.set(it.name, it);
    const searching = this.#expose === 'search' || (this.#expose === 'auto' && tools.length >= fewTools);
    return { tools, byName, report, searching, lists: new Map(), index: undefined };
  }
}

function itemsOf({ tools, report, searching }: Loaded, shape: Shape): ListItem[] {
  if (searching) return [...metaTools, confirmTool].map((it) => item(String(it.name), it));
  const sandbox = levels(report);
  const listed = tools.map((it) => item(it.exposed, toolEntry(it, sandbox.get(it.exposed), shape)));
  return [...listed, item(String(confirmTool.name), confirmTool)];
}

function item(name: string, entry: Json): ListItem {
  return { name, text: JSON.stringify(entry) };
}

function levels({ packages }: PackageReport): Map<string, SandboxLevel> {
  return new Map(packages.flatMap((it) => it.tools.map((tool) => [tool.exposed, it.sandbox] as const)));
}

function searchable(listed: ListedTool, { packages }: PackageReport): SearchableTool {
  const id = listed.name.split('/')[0] as string;
  const of = packages.find((it) => it.id === id)?.package;
  const { input, annotations, description, name } = listed.tool;
  const inputs = isObject(input) && isObject(input.properties) ? Object.keys(input.properties) : [];
  const tags = (of?.facts ?? [])
    .filter((it) => /tag|keyword|categor/i.test(it.label))
    .map((it) => textOf(it.value));
  return {
    listed,
    name: `${name} ${annotations.title ?? ''}`,
    description,
    package: `${id} ${of?.name ?? ''}`,
    words: [...tags, ...inputs],
  };
}

function textOf(value: Json): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.map(textOf).join(' ') : '';
}
