import type { ListedTool, PackageReport, SandboxLevel, Session } from '../../host/host.js';
import type { Json } from '../../model/json.js';
import { LoadOnce } from '../../model/load-once.js';
import type { ResultShape } from './content-parts.js';
import { metaTools, requestInstallTool } from './meta-tools.js';
import { type ListItem, PagedList } from './paged-list.js';
import { buildSearchIndex } from './search/build-index.js';
import type { SearchIndex } from './search/search-index.js';
import { type SearchableTool, searchableTools } from './search/searchable-tool.js';
import type { McpServerOptions } from './server-options.js';
import { confirmTool, toolEntry } from './tool-mapping.js';

/** From this number of tools, the mode `auto` uses search instead of a full list. */
export const searchThreshold = 40;

interface LoadedTools {
  readonly tools: readonly ListedTool[];
  /** Made when a name is looked up first. */
  byName: ReadonlyMap<string, ListedTool> | undefined;
  readonly report: PackageReport;
  readonly isSearchMode: boolean;
  readonly offersRequests: boolean;
  readonly lists: Map<ResultShape, PagedList>;
  /** Built at the first search. */
  index: Promise<SearchIndex<SearchableTool>> | undefined;
}

type CatalogOptions = Pick<McpServerOptions, 'expose' | 'installRequests'>;

/** The tools of a session. Cached until something changes. */
export class ToolCatalog {
  readonly #session: Session;
  readonly #options: CatalogOptions;
  readonly #loaded = new LoadOnce(() => this.#read());

  constructor(session: Session, options: CatalogOptions) {
    this.#session = session;
    this.#options = options;
  }

  invalidate(): void {
    this.#loaded.forget();
  }

  async list(shape: ResultShape): Promise<PagedList> {
    const loaded = await this.#loaded.get();
    const known = loaded.lists.get(shape);
    if (known !== undefined) return known;
    const list = new PagedList(itemsOf(loaded, shape));
    loaded.lists.set(shape, list);
    return list;
  }

  /** Finds a tool by `PACKAGE/TOOL` or by its exposed name. */
  async find(name: string): Promise<ListedTool | undefined> {
    const loaded = await this.#loaded.get();
    loaded.byName ??= namesOf(loaded.tools);
    return loaded.byName.get(name);
  }

  async sandboxOf(tool: ListedTool): Promise<SandboxLevel | undefined> {
    return levels((await this.#loaded.get()).report).get(tool.exposed);
  }

  /** Whether only the meta-tools are listed. */
  async isSearchMode(): Promise<boolean> {
    return (await this.#loaded.get()).isSearchMode;
  }

  /** Whether `request_install` is listed. */
  async offersRequests(): Promise<boolean> {
    return (await this.#loaded.get()).offersRequests;
  }

  async index(): Promise<SearchIndex<SearchableTool>> {
    const loaded = await this.#loaded.get();
    loaded.index ??= buildSearchIndex(loaded.tools, searchableTools(loaded.report));
    return loaded.index;
  }

  async #read(): Promise<LoadedTools> {
    const [tools, report] = await Promise.all([this.#session.tools(), this.#session.packages()]);
    const { expose, installRequests } = this.#options;
    const isSearchMode = expose === 'search' || (expose === 'auto' && tools.length >= searchThreshold);
    const offersRequests = installRequests ?? isSearchMode;
    const unused = { byName: undefined, lists: new Map(), index: undefined };
    return { tools, report, isSearchMode, offersRequests, ...unused };
  }
}

function namesOf(tools: readonly ListedTool[]): ReadonlyMap<string, ListedTool> {
  const byName = new Map<string, ListedTool>();
  for (const it of tools) byName.set(it.exposed, it);
  // The canonical name wins if the exposed name of one tool equals the canonical name of another.
  for (const it of tools) byName.set(it.name, it);
  return byName;
}

function itemsOf(
  { tools, report, isSearchMode, offersRequests }: LoadedTools,
  shape: ResultShape,
): ListItem[] {
  const own = [...(offersRequests ? [requestInstallTool] : []), confirmTool];
  if (isSearchMode) return [...metaTools, ...own].map((it) => item(String(it.name), it));
  const sandbox = levels(report);
  const listed = tools.map((it) => item(it.exposed, toolEntry(it, sandbox.get(it.exposed), shape)));
  return [...listed, ...own.map((it) => item(String(it.name), it))];
}

function item(name: string, entry: Json): ListItem {
  return { name, text: JSON.stringify(entry) };
}

function levels({ packages }: PackageReport): Map<string, SandboxLevel> {
  return new Map(packages.flatMap((it) => it.tools.map((tool) => [tool.exposed, it.sandbox] as const)));
}
