// The API of the official MCP registry, read-only.
import type { JsonObject } from '../../model/json.js';
import { newestFirst } from '../../registry/client/release-choice.js';
import type { ListingStore, ReleaseQuery, ReleaseRow } from '../../registry/listing/listing-store.js';
import { isPlainText } from '../../registry/metadata/canonical-text.js';
import { type LaunchFacts, serverResponse } from '../../registry/server/server-projection.js';
import { HttpError } from '../http/http-error.js';

const prefix = '/v0.1/servers';
const defaultLimit = 30;
const maxLimit = 100;
const maxVersions = 1000;

export interface OfficialApiOptions {
  readonly store: ListingStore;
  readonly launchFacts: (row: ReleaseRow) => Promise<LaunchFacts>;
}

export function isOfficialPath(path: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}

/** The answer to a GET. Throws an `HttpError` if there is none. */
export async function officialAnswer(
  path: string,
  query: URLSearchParams,
  options: OfficialApiOptions,
): Promise<JsonObject> {
  if (path === prefix) return listAnswer(query, options);
  const segments = path
    .slice(prefix.length + 1)
    .split('/')
    .map(decoded);
  const [name, versions, version, ...more] = segments;
  if (name === undefined || versions !== 'versions' || more.length > 0) throw notFound('not found');
  // No name and no version has such a character, and not every database can look for one.
  if (segments.some((it) => !isPlainText(it))) throw notFound('not found');
  const { store } = options;
  if (version === undefined) {
    const rows = [...(await store.releases({ serverName: name, limit: maxVersions }))];
    if (rows.length === 0) throw notFound('Server not found');
    rows.sort(
      (a, b) =>
        compareTexts(b.release.publishedAt, a.release.publishedAt) ||
        newestFirst(a.release.version, b.release.version),
    );
    return { servers: await responses(rows, options), metadata: { count: rows.length } };
  }
  const [row] = await store.releases({ serverName: name, version, limit: 1 });
  if (row === undefined) throw notFound('Server or version not found');
  return serverResponse(row, await options.launchFacts(row));
}

async function listAnswer(query: URLSearchParams, options: OfficialApiOptions): Promise<JsonObject> {
  for (const [name, text] of query)
    if (!isPlainText(text))
      throw new HttpError(400, 'usage', `the parameter ${JSON.stringify(name)} has a control character`);
  const limit = limitOf(query.get('limit'));
  const request: ReleaseQuery = {
    limit: limit + 1,
    after: cursorOf(query.get('cursor')),
    nameContains: query.get('search') ?? undefined,
    changedSince: timeOf(query.get('updated_since')),
    version: query.get('version') ?? undefined,
    withQuarantined: query.get('include_deleted') === 'true',
  };
  const rows = await options.store.releases(request);
  const page = rows.slice(0, limit);
  const last = page.at(-1)?.release;
  const next = rows.length > limit && last !== undefined ? `${last.name}:${last.version}` : undefined;
  return {
    servers: await responses(page, options),
    metadata: { count: page.length, ...(next === undefined ? {} : { nextCursor: next }) },
  };
}

async function responses(
  rows: readonly ReleaseRow[],
  { launchFacts }: OfficialApiOptions,
): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  for (const row of rows) found.push(serverResponse(row, await launchFacts(row)));
  return found;
}

function limitOf(text: string | null): number {
  if (text === null) return defaultLimit;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1) return Math.min(limit, maxLimit);
  throw new HttpError(400, 'usage', 'limit must be a whole number from 1');
}

function cursorOf(text: string | null): ReleaseQuery['after'] {
  if (text === null || text === '') return undefined;
  const colon = text.indexOf(':');
  if (colon > 0) return { name: text.slice(0, colon), version: text.slice(colon + 1) };
  throw new HttpError(400, 'usage', 'the cursor is not one of this registry');
}

function timeOf(text: string | null): string | undefined {
  if (text === null) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new HttpError(400, 'usage', 'updated_since must be a time as in RFC 3339');
  return new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw notFound('not found');
  }
}

function notFound(message: string): HttpError {
  return new HttpError(404, 'not_found', message);
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
