// Search by words over the index of a registry, which is copied to this machine part by part.
import { HostError } from '../../model/host-error.js';
import { targetFile } from '../names/package-name.js';
import type { ReleaseSummary } from '../names/release-summary.js';
import type { RegistryClient, RegistryState } from './registry-client.js';
import type { RegistryStore } from './registry-store.js';
import { summariesOf } from './registry-targets.js';

export interface FoundSummary extends ReleaseSummary {
  readonly registry: string;
  /** Higher is better. */
  readonly score: number;
}

const maxWords = 8;
/** So many packages are ranked in a few milliseconds. */
const maxRanked = 1000;
/** Weights of name, title, description, tags and tools. */
const columnWeights = '10.0, 5.0, 1.0, 3.0, 3.0';

/** Copies the parts of the index that changed. The number of parts that were read. */
export async function updateSearchIndex(client: RegistryClient, { view }: RegistryState): Promise<number> {
  const { store } = client;
  const index = (await view.delegated('index'))?.document;
  const known = new Map(
    store.connection.all('select bin, sha256 from part', []).map((it) => [String(it.bin), String(it.sha256)]),
  );
  let read = 0;
  for (const [path, entry] of Object.entries(index?.targets ?? {})) {
    const bin = /^index\/([0-9a-f]{2})\.jsonl\.gz$/.exec(path)?.[1];
    if (bin === undefined)
      throw new HostError('integrity', `the index of the registry names ${targetFile(path, '')}`);
    if (known.get(bin) === entry.sha256) continue;
    const summaries = await summariesOf(view, path, entry);
    replacePart(store, bin, entry.sha256, [...summaries.values()]);
    read += 1;
  }
  return read;
}

/**
 * The packages that fit best. All words must occur, the last one may be the beginning of a word. Words that are in very many
 * packages are looked for in titles, tags and tools first, and then in names: to rank thousands of packages takes long, and
 * tells little.
 */
export function searchPackages(
  store: RegistryStore,
  text: string,
  limit: number,
): Omit<FoundSummary, 'registry'>[] {
  const words = text.match(/[\p{L}\p{N}]+/gu)?.slice(0, maxWords);
  if (words === undefined) return [];
  // Each word in quotes, so that nothing in it is an operator of the query.
  const query = words.map((it) => `"${it}"`).join(' ');
  const found = new Map<number, number>();
  collect(store, query, { found, limit });
  // The last word may be the beginning of one; that is looked for only if the words themselves find too little.
  if (found.size < limit) collect(store, `${query}*`, { found, limit });
  return [...found].flatMap(([id, score]) => summaryOf(store, id, score) ?? []);
}

/** What the index says about one package. */
export function indexedSummary(
  store: RegistryStore,
  name: string,
): Omit<FoundSummary, 'registry'> | undefined {
  const [it] = store.connection.all('select id from package where name = ?', [name]);
  return it === undefined ? undefined : summaryOf(store, Number(it.id), 0);
}

function collect(
  store: RegistryStore,
  query: string,
  { found, limit }: { readonly found: Map<number, number>; readonly limit: number },
): void {
  const add = (id: number, score: number) => {
    if (found.size < limit && !found.has(id)) found.set(id, score);
  };
  let wider: string | undefined;
  for (const columns of ['', '{name title tags tools} : ', 'name : ']) {
    const narrowed = `${columns}(${query})`;
    if (countUpTo(store, narrowed, maxRanked + 1) <= maxRanked) {
      for (const { id, score } of ranked(store, narrowed, limit)) add(id, score);
      break;
    }
    wider = narrowed;
  }
  // Few have the words in their names: the others follow as they come.
  if (found.size < limit && wider !== undefined) for (const id of anyOf(store, wider, limit * 2)) add(id, 0);
}

function countUpTo(store: RegistryStore, query: string, most: number): number {
  const [row] = store.connection.all(
    'select count(*) as found from (select 1 from words where words match ? limit ?)',
    [query, most],
  );
  return Number(row?.found);
}

function ranked(store: RegistryStore, query: string, limit: number): { id: number; score: number }[] {
  return store.connection
    .all(
      `select rowid as id, bm25(words, ${columnWeights}) as score from words where words match ? order by score, rowid limit ?`,
      [query, limit],
    )
    .map((it) => ({ id: Number(it.id), score: -Number(it.score) }));
}

function anyOf(store: RegistryStore, query: string, limit: number): number[] {
  return store.connection
    .all('select rowid as id from words where words match ? limit ?', [query, limit])
    .map((it) => Number(it.id));
}

function summaryOf(
  store: RegistryStore,
  id: number,
  score: number,
): Omit<FoundSummary, 'registry'> | undefined {
  const [it] = store.connection.all(
    'select name, version, title, description, format, tags, tools from package where id = ?',
    [id],
  );
  if (it === undefined) return undefined;
  return {
    name: String(it.name),
    version: String(it.version),
    title: String(it.title),
    description: String(it.description),
    format: String(it.format),
    tags: linesOf(it.tags),
    tools: linesOf(it.tools),
    score,
  };
}

function replacePart(
  store: RegistryStore,
  bin: string,
  hash: string,
  summaries: readonly ReleaseSummary[],
): void {
  const { connection } = store;
  store.transaction(() => {
    connection.run(
      `insert into words (words, rowid, name, title, description, tags, tools)
       select 'delete', id, name, title, description, tags, tools from package where bin = ?`,
      [bin],
    );
    connection.run('delete from package where bin = ?', [bin]);
    for (const { name, version, title, description, format, tags, tools } of summaries)
      connection.run(
        `insert into package (bin, name, version, title, description, format, tags, tools) values (?, ?, ?, ?, ?, ?, ?, ?)
         on conflict (name) do nothing`,
        [bin, name, version, title, description, format, tags.join('\n'), tools.join('\n')],
      );
    connection.run(
      `insert into words (rowid, name, title, description, tags, tools)
       select id, name, title, description, tags, tools from package where bin = ?`,
      [bin],
    );
    connection.run('insert or replace into part (bin, sha256) values (?, ?)', [bin, hash]);
  });
}

function linesOf(value: unknown): string[] {
  const text = String(value);
  return text === '' ? [] : text.split('\n');
}
