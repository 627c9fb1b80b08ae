import { isObject, type Json, type JsonObject } from '../../../model/json.js';
import { badParams, Fault } from '../message.js';

export const revision2026 = '2026-07-28';

const prefix = 'io.modelcontextprotocol/';
export const metaKeys = {
  protocolVersion: `${prefix}protocolVersion`,
  clientCapabilities: `${prefix}clientCapabilities`,
  clientInfo: `${prefix}clientInfo`,
  serverInfo: `${prefix}serverInfo`,
  subscriptionId: `${prefix}subscriptionId`,
} as const;

const unsupportedVersion = -32022;

/** Whether a message says that it is of this era, or of a later one. */
export function claims2026(params: JsonObject): boolean {
  return isObject(params._meta) && Object.hasOwn(params._meta, metaKeys.protocolVersion);
}

/** What every request carries in place of a handshake. Returns what the client can do. */
export function readEnvelope(method: string, params: JsonObject): JsonObject {
  const { _meta: meta } = params;
  if (!claims2026(params) || !isObject(meta)) {
    // A handshake of the other era gets to know which revisions are spoken here.
    if (method === 'initialize') throw unsupported(params.protocolVersion);
    throw new Fault(badParams, `the _meta of a request needs ${metaKeys.protocolVersion}`);
  }
  const version = meta[metaKeys.protocolVersion];
  if (typeof version !== 'string') throw misshapen(metaKeys.protocolVersion, 'is not text');
  if (version !== revision2026) throw unsupported(version);
  const capabilities = meta[metaKeys.clientCapabilities];
  if (!isObject(capabilities)) throw misshapen(metaKeys.clientCapabilities, 'is not an object');
  const info = meta[metaKeys.clientInfo];
  if (
    info !== undefined &&
    !(isObject(info) && typeof info.name === 'string' && typeof info.version === 'string')
  )
    throw misshapen(metaKeys.clientInfo, 'has no name and version');
  const { progressToken } = meta;
  if (progressToken !== undefined && typeof progressToken !== 'string' && !Number.isInteger(progressToken))
    throw misshapen('progressToken', 'is neither text nor a whole number');
  return capabilities;
}

function misshapen(key: string, problem: string): Fault {
  return new Fault(badParams, `the _meta of the request is not sound: ${key} ${problem}`, {
    envelope: { key, problem },
  });
}

function unsupported(requested: Json | undefined): Fault {
  const words = typeof requested === 'string' ? requested : 'none';
  return new Fault(unsupportedVersion, `the protocol version ${JSON.stringify(words)} is not spoken here`, {
    supported: [revision2026],
    requested: words,
  });
}
