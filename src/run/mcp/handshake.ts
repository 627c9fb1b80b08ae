import { HostError } from '../../model/host-error.js';
import { isObject, type JsonObject } from '../../model/json.js';
import { hasRpcCode } from '../rpc/rpc-failure.js';
import type { Deadline } from '../upstream/upstream.js';
import { type McpPeer, optionalText, toHostError, unsupportedRevision } from './mcp-dialect.js';
import type { Transport } from './transport.js';

export const upstreamRevision2026 = '2026-07-28';
/** Newest first: the first one is offered to servers. */
const revisions2025 = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** The protocol revision and the capabilities of a server. */
export interface NegotiatedRevision {
  readonly era: '2025' | '2026';
  readonly revision: string;
  readonly capabilities: JsonObject;
  readonly instructions?: string;
  readonly serverVersion?: string;
}

export interface HandshakeOptions extends Deadline {
  /** For messages. */
  readonly name: string;
  readonly client: { readonly name: string; readonly version: string };
  /** Capabilities of this client. */
  readonly capabilities: JsonObject;
  readonly lastRevision: string | undefined;
  /** Opens a new connection if the server closed the first one. */
  readonly reconnect: () => Promise<Transport>;
  readonly transport: Transport;
}

const key = (name: string) => `io.modelcontextprotocol/${name}`;

/** How long an unknown server may take to answer the request of the 2026 era. */
const probeMs = 5000;

/** The `_meta` of every request in the 2026 era. */
export function requestMeta(client: HandshakeOptions['client'], capabilities: JsonObject): JsonObject {
  return {
    [key('protocolVersion')]: upstreamRevision2026,
    [key('clientInfo')]: { ...client },
    [key('clientCapabilities')]: capabilities,
  };
}

/**
 * Negotiates the protocol revision. Tries the 2026 era first, with a request that has no side effect. A server that does not
 * know it answers with an error, does not answer, or exits; then the handshake of the 2025 era is used.
 */
export async function negotiateRevision(
  peer: McpPeer,
  options: HandshakeOptions,
): Promise<NegotiatedRevision> {
  const { lastRevision, name } = options;
  let { transport } = options;
  const started = performance.now();
  const left = () => Math.max(1, options.timeoutMs - (performance.now() - started));
  if (lastRevision === undefined || lastRevision === upstreamRevision2026) {
    const known = lastRevision === upstreamRevision2026;
    const found = await discover(peer, options, known ? left() : Math.min(probeMs, left() / 2));
    if (found === 'closed') transport = await options.reconnect();
    else if (found !== '2025') {
      transport.setRevision(upstreamRevision2026);
      return found;
    }
  }
  try {
    return await initialize(peer, { ...options, timeoutMs: left() }, transport);
  } catch (error) {
    if (!hasRpcCode(error, unsupportedRevision)) throw toHostError(error, name);
    const found = await discover(peer, options, left());
    if (typeof found === 'string') throw toHostError(error, name);
    transport.setRevision(upstreamRevision2026);
    return found;
  }
}

async function discover(
  peer: McpPeer,
  { client, capabilities, signal, name }: HandshakeOptions,
  timeoutMs: number,
): Promise<NegotiatedRevision | '2025' | 'closed'> {
  try {
    const params = { _meta: requestMeta(client, capabilities) };
    const result = await peer.request({ method: 'server/discover', params, name, timeoutMs, signal });
    const versions = Array.isArray(result.supportedVersions) ? result.supportedVersions : [];
    if (!versions.includes(upstreamRevision2026)) return '2025';
    const info = isObject(result._meta) ? result._meta[key('serverInfo')] : undefined;
    return { era: '2026', revision: upstreamRevision2026, ...serverDetails(result, info) };
  } catch (error) {
    if (!(error instanceof HostError)) return '2025';
    if (error.code === 'timeout') return '2025';
    // A process that exits on an unknown request may still be a valid server of the 2025 era.
    if (error.code === 'upstream_failed') return 'closed';
    throw error;
  }
}

async function initialize(
  peer: McpPeer,
  { client, capabilities, signal, name, timeoutMs }: HandshakeOptions,
  transport: Transport,
): Promise<NegotiatedRevision> {
  const params = { protocolVersion: revisions2025[0], capabilities, clientInfo: { ...client } };
  const result = await peer.request({ method: 'initialize', params, name, timeoutMs, signal });
  const revision = revisions2025.find((it) => it === result.protocolVersion);
  if (revision === undefined) {
    const given = JSON.stringify(result.protocolVersion ?? null).slice(0, 40);
    throw new HostError('upstream_failed', `${name} uses the unknown MCP revision ${given}`, {
      hint: `supported revisions: ${[upstreamRevision2026, ...revisions2025].join(', ')}`,
    });
  }
  transport.setRevision(revision);
  peer.notify('notifications/initialized', {});
  return { era: '2025', revision, ...serverDetails(result, result.serverInfo) };
}

function serverDetails(result: JsonObject, info: JsonObject[string] | undefined) {
  const instructions = optionalText(result.instructions);
  const serverVersion = isObject(info) ? optionalText(info.version) : undefined;
  return {
    capabilities: isObject(result.capabilities) ? result.capabilities : {},
    ...(instructions === undefined ? {} : { instructions: instructions.slice(0, 32_000) }),
    ...(serverVersion === undefined ? {} : { serverVersion: serverVersion.slice(0, 100) }),
  };
}
