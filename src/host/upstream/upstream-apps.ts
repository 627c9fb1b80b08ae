// Which apps of a server are served: those whose page somebody accepted, and that did not change since.
import { type AnnouncedApp, isAppAddress, withAppAddresses } from '../../model/app-resource.js';
import type { JsonObject } from '../../model/json.js';
import { appOf } from '../../run/mcp/announced-apps.js';
import type { UpstreamAnnouncement } from '../../run/upstream/upstream.js';
import { type IsAcceptedApp, readableAddress } from './upstream-links.js';

/** What a program announced: the accepted announcement, and a later one that waits for a review. */
interface KnownApps {
  readonly agreed: UpstreamAnnouncement;
  readonly waiting: UpstreamAnnouncement | null;
}

/** The accepted app at an address; undefined if there is none, or its page could not be read when it was accepted. */
export function acceptedApp(
  { apps = [] }: UpstreamAnnouncement,
  uri: string,
): (AnnouncedApp & { readonly content: string }) | undefined {
  const found = apps.find((it) => it.uri === uri);
  return found?.content === undefined ? undefined : { ...found, content: found.content };
}

/** Whether clients may get the app at an address. A page that cannot be read now says nothing about a change. */
export function isServedApp({ agreed, waiting }: KnownApps, uri: string): boolean {
  const accepted = acceptedApp(agreed, uri);
  const now = waiting === null ? undefined : acceptedApp(waiting, uri);
  return accepted !== undefined && (now === undefined || now.content === accepted.content);
}

/** The metadata of a tool with the address of its app as clients read it. Without one that is not served. */
export function servedAppMeta(meta: JsonObject, known: KnownApps, prefix: string): JsonObject {
  return withAppAddresses(meta, (uri) =>
    isAppAddress(uri) && isServedApp(known, uri) ? readableAddress(prefix, uri) : undefined,
  );
}

/** Tells which pages in results are served. `known`: what the program announced by then. */
export function acceptedPages(known: () => KnownApps | undefined): IsAcceptedApp {
  return (resource) => {
    const uri = String(resource.uri);
    const now = known();
    if (now === undefined || !isServedApp(now, uri)) return false;
    return appOf(uri, { contents: [resource] }).content === acceptedApp(now.agreed, uri)?.content;
  };
}
