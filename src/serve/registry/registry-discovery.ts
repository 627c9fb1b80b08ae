// What tells clients about a registry before they know it: discovery files, cards of MCP servers, and its health.
import type { JsonObject } from '../../model/json.js';
import type { FollowedListing } from '../../registry/listing/followed-listing.js';
import type { ReleaseRow } from '../../registry/listing/listing-store.js';
import { isPlainText } from '../../registry/metadata/canonical-text.js';
import { type LaunchFacts, serverCard } from '../../registry/server/server-projection.js';
import { HttpError } from '../http/http-error.js';
import type { JsonReply } from './registry-reply.js';

export interface DiscoveryOptions {
  readonly listing: FollowedListing;
  readonly launchFacts: (row: ReleaseRow) => Promise<LaunchFacts>;
  readonly origin: () => string;
  /** Undefined: nothing can be published over HTTP. */
  readonly publishing: object | undefined;
  readonly isPrivate: boolean;
}

const maxCards = 1000;
export const cardPrefix = '/server-cards/';
const cardType = 'application/mcp-server-card+json';
const shortCaching = { 'cache-control': 'public, max-age=3600' };

/** For clients that look for MCP servers on a domain: those that can be reached by a URL. */
export async function catalogReply({ listing, launchFacts, origin }: DiscoveryOptions): Promise<JsonReply> {
  const rows = await listing.store.releases({ version: 'latest', withQuarantined: false, limit: maxCards });
  const entries: JsonObject[] = [];
  for (const row of rows) {
    const card = serverCard(row, await launchFacts(row));
    if (card === undefined) continue;
    const [, own = ''] = String(card.name).split('/');
    entries.push({
      identifier: `urn:air:${new URL(origin()).hostname}:${own}`,
      displayName: card.title ?? card.name ?? own,
      type: cardType,
      url: `${origin()}${cardPrefix}${encodeURIComponent(String(card.name))}`,
    });
  }
  return { status: 200, body: { specVersion: 'draft', entries }, headers: shortCaching };
}

export async function cardReply(
  path: string,
  { listing, launchFacts }: DiscoveryOptions,
): Promise<JsonReply> {
  const serverName = decodedName(path.slice(cardPrefix.length));
  if (!isPlainText(serverName)) throw noCard();
  const [row] = await listing.store.releases({
    serverName,
    version: 'latest',
    withQuarantined: false,
    limit: 1,
  });
  const card = row && serverCard(row, await launchFacts(row));
  if (card === undefined) throw noCard();
  return { status: 200, body: card, headers: { ...shortCaching, 'content-type': cardType } };
}

function noCard(): HttpError {
  return new HttpError(404, 'not_found', 'there is no server with this name and a URL');
}

function decodedName(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

export async function discoveryReply({
  listing,
  origin,
  publishing,
  isPrivate,
}: DiscoveryOptions): Promise<JsonReply> {
  await listing.refresh();
  const { view } = listing;
  const base = origin();
  return {
    status: 200,
    body: {
      schema: 'toolwharf/registry-server@1',
      url: base,
      log: view?.head.origin ?? null,
      // A first hint only: operators compare the fingerprint with one from another place.
      root: view === undefined ? null : { version: view.root.document.version },
      search: `${base}/api/v1/search`,
      mcp_registry: `${base}/v0.1`,
      publishing: publishing !== undefined,
      reading: isPrivate ? 'token' : 'open',
    },
    headers: { 'cache-control': 'public, max-age=300' },
  };
}

export async function healthReply({ listing }: Pick<DiscoveryOptions, 'listing'>): Promise<JsonReply> {
  try {
    await listing.refresh();
    return { status: 200, body: { status: 'ok', entries: listing.view?.head.size ?? 0 } };
  } catch {
    return { status: 503, body: { status: 'unhealthy', reason: 'the registry cannot be read or verified' } };
  }
}
