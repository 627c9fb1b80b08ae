import type { AnnouncedTool } from '../../model/action.js';
import { HostError } from '../../model/host-error.js';
import { isObject, type JsonObject } from '../../model/json.js';
import { methodNotFound } from '../../wire/rpc-code.js';
import { hasRpcCode } from '../rpc/rpc-failure.js';
import type { Deadline, UpstreamAnnouncement } from '../upstream/upstream.js';
import type { NegotiatedRevision } from './handshake.js';
import { type McpPeer, optionalText, toHostError, withoutReservedMeta } from './mcp-dialect.js';

const maxPages = 100;
const maxEntries = 5000;
const maxName = 256;
/** Characters of all lists together as JSON. They are stored, compared and searched as a whole. */
const maxCharacters = 8 * 1024 * 1024;

interface Listing extends Deadline {
  /** For messages. */
  readonly name: string;
  readonly onLog: (line: string) => void;
}

/** Fetches all tools, prompts and resources of a server, page by page, within limits. */
export async function fetchAnnouncement(
  peer: McpPeer,
  { capabilities, instructions, serverVersion, revision }: NegotiatedRevision,
  listing: Listing,
): Promise<UpstreamAnnouncement> {
  const has = (name: string) => isObject(capabilities[name]);
  const budget = { left: maxCharacters };
  const list = (method: string, member: string) => fetchList(peer, method, member, listing, budget);
  // Some servers do not declare the tools capability, so their tools are always requested.
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

async function fetchList(
  peer: McpPeer,
  method: string,
  member: string,
  listing: Listing,
  budget: { left: number },
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
      result = await peer.request({ method, params, name, timeoutMs, signal: listing.signal });
    } catch (error) {
      // A server without this method has an empty list.
      if (hasRpcCode(error, methodNotFound) && page === 0) return [];
      throw toHostError(error, name);
    }
    const entries = result[member];
    if (!Array.isArray(entries)) throw unusable(name, `its answer to ${method} has no ${member}`);
    budget.left -= JSON.stringify(entries).length;
    if (budget.left < 0) throw unusable(name, 'its lists are larger than 8 MiB');
    found.push(...entries.filter(isObject));
    if (found.length > maxEntries) throw unusable(name, `it offers more than ${maxEntries} ${member}`);
    const next = optionalText(result.nextCursor);
    if (next === undefined) return found;
    if (seen.has(next)) throw unusable(name, `its answer to ${method} repeats an earlier page`);
    seen.add(next);
    cursor = next;
  }
  throw unusable(name, `its answer to ${method} has more than ${maxPages} pages`);
}

function unusable(name: string, what: string): HostError {
  return new HostError('upstream_failed', `${name} cannot be used: ${what}`);
}

/** Omits entries that cannot be tools, and logs them. */
function announcedTools(entries: readonly JsonObject[], { name: server, onLog }: Listing): AnnouncedTool[] {
  const names = new Set<string>();
  return entries.flatMap((it) => {
    const name = optionalText(it.name);
    if (name === undefined || name === '' || name.length > maxName) {
      onLog(`${server} announced a tool without a valid name; it is ignored`);
      return [];
    }
    if (names.has(name)) {
      onLog(`${server} announced ${JSON.stringify(name)} twice; the second one is ignored`);
      return [];
    }
    names.add(name);
    return [toolOf(name, it)];
  });
}

function toolOf(name: string, it: JsonObject): AnnouncedTool {
  const description = optionalText(it.description);
  const title = optionalText(it.title);
  return {
    name,
    ...(description === undefined ? {} : { description }),
    ...(title === undefined ? {} : { title }),
    ...(isObject(it.inputSchema) ? { input: it.inputSchema } : {}),
    ...(isObject(it.outputSchema) ? { output: it.outputSchema } : {}),
    ...(isObject(it.annotations) ? { annotations: it.annotations } : {}),
    ...(isObject(it._meta) ? { meta: withoutReservedMeta(it._meta) } : {}),
  };
}
