import type { AnnouncedTool } from '../../model/action.js';
import { HostError } from '../../model/host-error.js';
import { isObject, type JsonObject } from '../../model/json.js';
import { withoutReservedMeta } from '../../model/reserved-meta.js';
import { methodNotFound } from '../../wire/rpc-code.js';
import { hasRpcCode, RpcFailure } from '../rpc/rpc-failure.js';
import type { Deadline, UpstreamAnnouncement } from '../upstream/upstream.js';
import { fetchApps } from './announced-apps.js';
import type { NegotiatedRevision } from './handshake.js';
import { type McpPeer, optionalText, toHostError } from './mcp-dialect.js';

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
  const optional = (capability: string, method: string, member: string) =>
    has(capability) ? emptyIfUnusable(list(method, member), method, listing) : [];
  const prompts = await optional('prompts', 'prompts/list', 'prompts');
  const resources = await optional('resources', 'resources/list', 'resources');
  const templates = await optional('resources', 'resources/templates/list', 'resourceTemplates');
  const named = (entries: readonly JsonObject[], member: string) =>
    entries.filter((it) => typeof it[member] === 'string').map(withOwnMeta);
  const announced = announcedTools(tools, listing);
  const apps = await fetchApps(peer, announced, resources, listing);
  return {
    tools: announced,
    hooks: [],
    prompts: named(prompts, 'name'),
    resources: named(resources, 'uri'),
    templates: named(templates, 'uriTemplate'),
    ...(apps.length === 0 ? {} : { apps }),
    revision,
    ...(instructions === undefined ? {} : { instructions }),
    ...(serverVersion === undefined ? {} : { version: serverVersion }),
  };
}

/**
 * A server whose tools work is used even if it cannot list its prompts or resources: then it has none. Only an answer
 * or a missing answer counts; a server that ended is not used.
 */
async function emptyIfUnusable(
  found: Promise<JsonObject[]>,
  method: string,
  { name, onLog }: Listing,
): Promise<JsonObject[]> {
  try {
    return await found;
  } catch (error) {
    const isAnswer = error instanceof UnusableList || (error as Error).cause instanceof RpcFailure;
    const isMissing =
      error instanceof HostError && (error.code === 'timeout' || error.code === 'tool_bad_output');
    if (!(error instanceof HostError) || !(isAnswer || isMissing)) throw error;
    onLog(`${name} is used without the list of ${method}: ${error.message}`);
    return [];
  }
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
    if (!Array.isArray(entries)) throw new UnusableList(name, `its answer to ${method} has no ${member}`);
    budget.left -= JSON.stringify(entries).length;
    if (budget.left < 0) throw new UnusableList(name, 'its lists are larger than 8 MiB');
    found.push(...entries.filter(isObject));
    if (found.length > maxEntries)
      throw new UnusableList(name, `it offers more than ${maxEntries} ${member}`);
    const next = optionalText(result.nextCursor);
    if (next === undefined) return found;
    if (seen.has(next)) throw new UnusableList(name, `its answer to ${method} repeats an earlier page`);
    seen.add(next);
    cursor = next;
  }
  throw new UnusableList(name, `its answer to ${method} has more than ${maxPages} pages`);
}

/** An entry without metadata of the protocol and of the host, which a server must not forge. */
function withOwnMeta(entry: JsonObject): JsonObject {
  return isObject(entry._meta) ? { ...entry, _meta: withoutReservedMeta(entry._meta) } : entry;
}

/** A list that the server gave, but that cannot be used. */
class UnusableList extends HostError {
  constructor(name: string, what: string) {
    super('upstream_failed', `${name} cannot be used: ${what}`);
  }
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
    ...(Array.isArray(it.icons) ? { icons: it.icons.filter(isObject) } : {}),
    ...(isObject(it.execution) ? { execution: it.execution } : {}),
    ...(isObject(it._meta) ? { meta: withoutReservedMeta(it._meta) } : {}),
  };
}
