import { isObject, type Json, type JsonObject } from '../../../model/json.js';
import { isLogLevel, type LogLevel } from '../../../model/log-level.js';
import { invalidParams, RpcError } from '../json-rpc.js';

export const revision2026 = '2026-07-28';

const prefix = 'io.modelcontextprotocol/';
export const metaKeys = {
  protocolVersion: `${prefix}protocolVersion`,
  clientCapabilities: `${prefix}clientCapabilities`,
  clientInfo: `${prefix}clientInfo`,
  serverInfo: `${prefix}serverInfo`,
  subscriptionId: `${prefix}subscriptionId`,
  logLevel: `${prefix}logLevel`,
} as const;

const unsupportedVersion = -32022;

/** Whether a message declares a protocol version, as in this era and later. */
export function declares2026(params: JsonObject): boolean {
  return isObject(params._meta) && Object.hasOwn(params._meta, metaKeys.protocolVersion);
}

/** Checks the `_meta` that every request has instead of a handshake. Returns the client's capabilities. */
export function readEnvelope(method: string, params: JsonObject): JsonObject {
  const { _meta: meta } = params;
  if (!declares2026(params) || !isObject(meta)) {
    // A handshake of the 2025 era gets an error that lists the supported revisions.
    if (method === 'initialize') throw unsupported(params.protocolVersion);
    throw new RpcError(invalidParams, `the request needs ${metaKeys.protocolVersion} in _meta`);
  }
  const version = meta[metaKeys.protocolVersion];
  if (typeof version !== 'string') throw invalidEnvelope(metaKeys.protocolVersion, 'is not a string');
  if (version !== revision2026) throw unsupported(version);
  const capabilities = meta[metaKeys.clientCapabilities];
  if (!isObject(capabilities)) throw invalidEnvelope(metaKeys.clientCapabilities, 'is not an object');
  const info = meta[metaKeys.clientInfo];
  if (
    info !== undefined &&
    !(isObject(info) && typeof info.name === 'string' && typeof info.version === 'string')
  )
    throw invalidEnvelope(metaKeys.clientInfo, 'has no name and version');
  const { progressToken } = meta;
  if (progressToken !== undefined && typeof progressToken !== 'string' && !Number.isInteger(progressToken))
    throw invalidEnvelope('progressToken', 'is neither a string nor an integer');
  return capabilities;
}

/** The level of log messages that a request wants; undefined: none. */
export function logLevelOf({ _meta: meta }: JsonObject): LogLevel | undefined {
  const level = isObject(meta) ? meta[metaKeys.logLevel] : undefined;
  return isLogLevel(level) ? level : undefined;
}

function invalidEnvelope(key: string, problem: string): RpcError {
  return new RpcError(invalidParams, `the _meta of the request is invalid: ${key} ${problem}`, {
    envelope: { key, problem },
  });
}

function unsupported(requested: Json | undefined): RpcError {
  const version = typeof requested === 'string' ? requested : 'none';
  return new RpcError(
    unsupportedVersion,
    `the protocol version ${JSON.stringify(version)} is not supported`,
    {
      supported: [revision2026],
      requested: version,
    },
  );
}
