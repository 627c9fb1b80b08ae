import type { AnnouncedTool } from '../../model/action.js';
import { HostError } from '../../model/host-error.js';
import { isObject, type JsonObject } from '../../model/json.js';
import type { Deadline, UpstreamAnnouncement } from '../upstream/upstream.js';
import type { NegotiatedRevision } from './handshake.js';
import { foreignMeta, unknownMethod } from './message.js';
import { asFailure, hasCode, type Peer, textOf } from './peer.js';

const maxPages = 100;
const maxEntries = 5000;
const maxName = 256;
/** Characters of all lists together, as JSON: they are kept, compared and searched as a whole. */
const maxCharacters = 8 * 1024 * 1024;

interface Listing extends Deadline {
  /** For messages. */
  readonly name: string;
  readonly onLog: (line: string) => void;
}

/** Everything that a server offers, list by list, page by page, within bounds. */
export async function announcementOf(
  peer: Peer,
  { capabilities, instructions, serverVersion, revision }: NegotiatedRevision,
  listing: Listing,
): Promise<UpstreamAnnouncement> {
  const has = (name: string) => isObject(capabilities[name]);
  const room = { left: maxCharacters };
  const list = (method: string, member: string) => all(peer, method, member, listing, room);
  // A server that forgot to say that it has tools is asked all the same.
  const tools = await list('tools/list', 'tools');
  const prompts = has('prompts') ? await list('prompts/list', 'prompts') : [];
  const resources = has('resources') ? await list('resources/list', 'resources') : [];
  const templates = has('resources') ? await list('resources/templates/list', 'resourceTemplates') : [];
  const named = (entries: readonly JsonObject[], member: string) =>
    entries.filter((it) => typeof it[member] === 'string');
  return {
    tools: announcedTools(tools, listing),
    hooks: [],
    prompts: named(prompts, 'name'),
    resources: named(resources, 'uri'),
    templates: named(templates, 'uriTemplate'),
    revision,
    ...(instructions === undefined ? {} : { instructions }),
    ...(serverVersion === undefined ? {} : { version: serverVersion }),
  };
}

async function all(
  peer: Peer,
  method: string,
  member: string,
  listing: Listing,
  room: { left: number },
): Promise<JsonObject[]> {
  const { name } = listing;
  const started = performance.now();
  const found: JsonObject[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const timeoutMs = Math.max(1, listing.timeoutMs - (performance.now() - started));
    const params: JsonObject = cursor === undefined ? {} : { cursor };
    let result: JsonObject;
    try {
      result = await peer.ask({ method, params, name, timeoutMs, signal: listing.signal });
    } catch (error) {
      // Having none and not knowing the question are the same.
      if (hasCode(error, unknownMethod) && page === 0) return [];
      throw asFailure(error, name);
    }
    const entries = result[member];
    if (!Array.isArray(entries)) throw misshapen(name, `its answer to ${method} has no ${member}`);
    room.left -= JSON.stringify(entries).length;
    if (room.left < 0) throw misshapen(name, 'what it says of itself has more than 8 MiB');
    found.push(...entries.filter(isObject));
    if (found.length > maxEntries) throw misshapen(name, `it offers more than ${maxEntries} ${member}`);
    const next = textOf(result.nextCursor);
    if (next === undefined) return found;
    if (seen.has(next)) throw misshapen(name, `its answer to ${method} leads back to a page it gave before`);
    seen.add(next);
    cursor = next;
  }
  throw misshapen(name, `its answer to ${method} has more than ${maxPages} pages`);
}

function misshapen(name: string, what: string): HostError {
  return new HostError('upstream_failed', `${name} cannot be used: ${what}`);
}

/** What cannot be a tool is left out, and said; the rest is as the server wrote it. */
function announcedTools(entries: readonly JsonObject[], { name: server, onLog }: Listing): AnnouncedTool[] {
  const names = new Set<string>();
  return entries.flatMap((it) => {
    const name = textOf(it.name);
    if (name === undefined || name === '' || name.length > maxName) {
      onLog(`${server} announced a tool without a usable name; it is left out`);
      return [];
    }
    if (names.has(name)) {
      onLog(`${server} announced ${JSON.stringify(name)} twice; the first one counts`);
      return [];
    }
    names.add(name);
    return [toolOf(name, it)];
  });
}

function toolOf(name: string, it: JsonObject): AnnouncedTool {
  const description = textOf(it.description);
  const title = textOf(it.title);
  return {
    name,
    ...(description === undefined ? {} : { description }),
    ...(title === undefined ? {} : { title }),
    ...(isObject(it.inputSchema) ? { input: it.inputSchema } : {}),
    ...(isObject(it.outputSchema) ? { output: it.outputSchema } : {}),
    ...(isObject(it.annotations) ? { annotations: it.annotations } : {}),
    ...(isObject(it._meta) ? { meta: foreignMeta(it._meta) } : {}),
  };
}
