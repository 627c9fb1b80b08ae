import { HostError } from '../../model/host-error.js';
import { isObject, type JsonObject } from '../../model/json.js';
import type { Deadline } from '../upstream/upstream.js';
import { unsupportedRevision } from './message.js';
import { asFailure, hasCode, type Peer, textOf } from './peer.js';
import type { Transport } from './transport.js';

export const revision2026 = '2026-07-28';
/** The newest first: it is what a server is offered. */
const older = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** How a server and this client understand each other. */
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
  /** What a server of the older era is told that it may ask. */
  readonly capabilities: JsonObject;
  readonly prior: string | undefined;
  /** Asked for when the connection did not survive the first question. */
  readonly again: () => Promise<Transport>;
  readonly transport: Transport;
}

const key = (name: string) => `io.modelcontextprotocol/${name}`;

/** How long a server that was never seen before may take to say that it does not know the newer era. */
const probeMs = 5000;

/** What each request of the newer era carries. */
export function envelope(client: HandshakeOptions['client'], capabilities: JsonObject): JsonObject {
  return {
    [key('protocolVersion')]: revision2026,
    [key('clientInfo')]: { ...client },
    [key('clientCapabilities')]: capabilities,
  };
}

/**
 * Finds out what a server speaks: the newer era is asked for first, by a question that changes nothing. A server that does
 * not know it says so, says nothing, or ends itself; then hands are shaken as the older era does it.
 */
export async function negotiateRevision(peer: Peer, options: HandshakeOptions): Promise<NegotiatedRevision> {
  const { prior, name } = options;
  let { transport } = options;
  const started = performance.now();
  const left = () => Math.max(1, options.timeoutMs - (performance.now() - started));
  if (prior === undefined || prior === revision2026) {
    const known = prior === revision2026;
    const found = await discover(peer, options, known ? left() : Math.min(probeMs, left() / 2));
    if (found === 'gone') transport = await options.again();
    else if (found !== 'older') {
      transport.speak(revision2026);
      return found;
    }
  }
  try {
    return await initialize(peer, { ...options, timeoutMs: left() }, transport);
  } catch (error) {
    if (!hasCode(error, unsupportedRevision)) throw asFailure(error, name);
    const found = await discover(peer, options, left());
    if (typeof found === 'string') throw asFailure(error, name);
    transport.speak(revision2026);
    return found;
  }
}

async function discover(
  peer: Peer,
  { client, capabilities, signal, name }: HandshakeOptions,
  timeoutMs: number,
): Promise<NegotiatedRevision | 'older' | 'gone'> {
  try {
    const params = { _meta: envelope(client, capabilities) };
    const result = await peer.ask({ method: 'server/discover', params, name, timeoutMs, signal });
    const versions = Array.isArray(result.supportedVersions) ? result.supportedVersions : [];
    if (!versions.includes(revision2026)) return 'older';
    const info = isObject(result._meta) ? result._meta[key('serverInfo')] : undefined;
    return { era: '2026', revision: revision2026, ...toldBy(result, info) };
  } catch (error) {
    if (!(error instanceof HostError)) return 'older';
    if (error.code === 'timeout') return 'older';
    // A process that went at a question it did not know may still be a sound server of the older era.
    if (error.code === 'upstream_failed') return 'gone';
    throw error;
  }
}

async function initialize(
  peer: Peer,
  { client, capabilities, signal, name, timeoutMs }: HandshakeOptions,
  transport: Transport,
): Promise<NegotiatedRevision> {
  const params = { protocolVersion: older[0], capabilities, clientInfo: { ...client } };
  const result = await peer.ask({ method: 'initialize', params, name, timeoutMs, signal });
  const revision = older.find((it) => it === result.protocolVersion);
  if (revision === undefined) {
    const spoken = JSON.stringify(result.protocolVersion ?? null).slice(0, 40);
    throw new HostError('upstream_failed', `${name} speaks the MCP revision ${spoken}, which is not known`, {
      hint: `known are ${[revision2026, ...older].join(', ')}`,
    });
  }
  transport.speak(revision);
  peer.notify('notifications/initialized', {});
  return { era: '2025', revision, ...toldBy(result, result.serverInfo) };
}

function toldBy(result: JsonObject, info: JsonObject[string] | undefined) {
  const instructions = textOf(result.instructions);
  const serverVersion = isObject(info) ? textOf(info.version) : undefined;
  return {
    capabilities: isObject(result.capabilities) ? result.capabilities : {},
    ...(instructions === undefined ? {} : { instructions: instructions.slice(0, 32_000) }),
    ...(serverVersion === undefined ? {} : { serverVersion: serverVersion.slice(0, 100) }),
  };
}
