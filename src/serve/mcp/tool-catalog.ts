import type { ListedTool, PackageReport, SandboxLevel, Session } from '../../host/host.js';
import { appAddresses, isAppOnly } from '../../model/app-resource.js';
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
  readonly lists: Map<string, PagedList>;
  /** Built at the first search. */
  index: Promise<SearchIndex<SearchableTool>> | undefined;
}

/** What a client can show. */
interface ListView {
  readonly shape: ResultShape;
  readonly showsApps?: boolean | undefined;
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

  async list(view: ListView): Promise<PagedList> {
    const loaded = await this.#loaded.get();
    const key = `${view.shape} ${view.showsApps === true}`;
    const known = loaded.lists.get(key);
    if (known !== undefined) return known;
    const list = new PagedList(itemsOf(loaded, view));
    loaded.lists.set(key, list);
    return list;
  }

  /** Whether a tool has an app that is served. */
  async hasApps(): Promise<boolean> {
    return (await this.#loaded.get()).tools.some(hasApp);
  }

  /** Finds a tool for a model, by `PACKAGE/TOOL` or by its exposed name. */
  async findForModel(name: string): Promise<ListedTool | undefined> {
    const found = await this.find(name);
    return found === undefined || isAppOnly(found.tool) ? undefined : found;
  }

  /** Finds any tool by one of these names. */
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
    loaded.index ??= buildSearchIndex(
      loaded.tools,
      searchableTools(loaded.report),
      (it) => !isAppOnly(it.tool),
    );
    return loaded.index;
  }

  async #read(): Promise<LoadedTools> {
    const [tools, report] = await Promise.all([this.#session.tools(), this.#session.packages()]);
    const { expose, installRequests } = this.#options;
    const isSearchMode = expose === 'search' || (expose === 'auto' && hasManyTools(tools));
    const offersRequests = installRequests ?? isSearchMode;
    const unused = { byName: undefined, lists: new Map(), index: undefined };
    return { tools, report, isSearchMode, offersRequests, ...unused };
  }
}

/** Whether a model has so many tools that it should search. Looks at no more of them than needed. */
function hasManyTools(tools: readonly ListedTool[]): boolean {
  let count = 0;
  for (const it of tools) if (!isAppOnly(it.tool) && ++count >= searchThreshold) return true;
  return false;
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
  { shape, showsApps = false }: ListView,
): ListItem[] {
  const own = [...(offersRequests ? [requestInstallTool] : []), confirmTool];
  const sandbox = levels(report);
  const chosen = isSearchMode ? (showsApps ? appTools(tools) : []) : tools;
  const listed = chosen
    .filter((it) => showsApps || !isAppOnly(it.tool))
    .map((it) => item(it.exposed, toolEntry(it, sandbox.get(it.exposed), shape)));
  const ownItems = own.map((it) => item(String(it.name), it));
  if (!isSearchMode) return [...listed, ...ownItems];
  return [...metaTools.map((it) => item(String(it.name), it)), ...listed, ...ownItems];
}

/**
 * Tools that a client must have in its list to show their apps, also if the model searches for tools: those with an app, and
 * those that are for apps alone, which clients keep from the model.
 */
function appTools(tools: readonly ListedTool[]): readonly ListedTool[] {
  const shown = tools.filter((it) => hasApp(it) && !isAppOnly(it.tool)).slice(0, searchThreshold);
  return [...shown, ...tools.filter((it) => isAppOnly(it.tool))];
}

function hasApp({ tool }: ListedTool): boolean {
  return appAddresses(tool.meta).length > 0;
}

function item(name: string, entry: Json): ListItem {
  return { name, text: JSON.stringify(entry) };
}

function levels({ packages }: PackageReport): Map<string, SandboxLevel> {
  return new Map(packages.flatMap((it) => it.tools.map((tool) => [tool.exposed, it.sandbox] as const)));
}
