import { sha256 } from '../../files/sha256.js';
import type { AnnouncedTool } from '../../model/action.js';
import { type AnnouncedApp, appAddresses, isAppAddress } from '../../model/app-resource.js';
import { asHostError } from '../../model/host-error.js';
import { canonicalJson, isObject, type Json, type JsonObject } from '../../model/json.js';
import type { Deadline } from '../upstream/upstream.js';
import type { McpPeer } from './mcp-dialect.js';

/** Apps of one server. Further ones are not served. */
const maxApps = 64;
/** Characters of the page of one app. */
const maxLength = 4 * 1024 * 1024;

interface AppReading extends Deadline {
  readonly name: string;
  readonly onLog: (line: string) => void;
}

/** Reads the pages that tools name or the server lists. One that cannot be read is announced without its content. */
export async function fetchApps(
  peer: McpPeer,
  tools: readonly AnnouncedTool[],
  resources: readonly JsonObject[],
  reading: AppReading,
): Promise<readonly AnnouncedApp[]> {
  const named = tools.flatMap((it) => appAddresses(it.meta));
  const listed = resources.flatMap(({ uri }) => (typeof uri === 'string' ? [uri] : []));
  const uris = [...new Set([...named, ...listed])].filter(isAppAddress).sort();
  const read = async (uri: string): Promise<AnnouncedApp> => {
    try {
      const { timeoutMs, signal, name } = reading;
      const params = { uri };
      return appOf(uri, await peer.request({ method: 'resources/read', params, name, timeoutMs, signal }));
    } catch (error) {
      if (reading.signal.aborted) throw error;
      reading.onLog(`${reading.name} has an app that is not served: ${uri}: ${asHostError(error).message}`);
      return { uri };
    }
  };
  return Promise.all(uris.slice(0, maxApps).map(read));
}

/** An app by the result of `resources/read`. Without `content` if the result has no page. */
export function appOf(uri: string, result: Json): AnnouncedApp {
  const contents = isObject(result) && Array.isArray(result.contents) ? result.contents.filter(isObject) : [];
  const [page, ...more] = contents;
  if (page === undefined || more.length > 0) return { uri };
  const { text, blob, mimeType = null } = page;
  const content = typeof text === 'string' ? text : typeof blob === 'string' ? blob : undefined;
  if (content === undefined || content.length > maxLength) return { uri };
  const ui = isObject(page._meta) && isObject(page._meta.ui) ? page._meta.ui : undefined;
  const kind = typeof text === 'string' ? 'text' : 'blob';
  const digest = sha256(canonicalJson([kind, content, mimeType, ui ?? null]));
  return { uri, content: digest, length: content.length, ...(ui === undefined ? {} : { ui }) };
}
