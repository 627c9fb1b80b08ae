import type { IncomingHttpHeaders } from 'node:http';
import { isObject, type JsonObject } from '../../model/json.js';
import { revisions2025 } from '../mcp/era-2025/session.js';
import { claims2026, metaKeys, readEnvelope, revision2026 } from '../mcp/era-2026/envelope.js';
import { Fault, failure, type Message, type Reply, type Request } from '../mcp/message.js';

export const mismatch = -32020;
const unsupportedVersion = -32022;

/** The member of the parameters that `Mcp-Name` repeats. */
const named: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

export type Era =
  | { readonly era: '2025' }
  | { readonly era: '2026'; readonly request: Request }
  | { readonly era: '2026'; readonly notification: true }
  | { readonly refused: Reply };

/**
 * Which era a message is of: its body says it, and the headers must say the same. Whatever stands between judges
 * requests by their headers; it must not be shown other ones than we serve.
 */
export function eraOf(message: Message, headers: IncomingHttpHeaders): Era {
  const version = header(headers, 'mcp-protocol-version');
  if (message.kind === 'response') return { era: '2025' };
  const claimed = claims2026(message.params);
  if (message.kind === 'notification') {
    if (claimed || (version !== undefined && version >= revision2026))
      return { era: '2026', notification: true };
    return checkEarlier(null, version);
  }
  const { id, method, params } = message;
  const refuse = (code: number, text: string) => ({ refused: failure(id, code, text) });
  if (!claimed) {
    if (version === undefined || version < revision2026)
      return method === 'initialize' ? { era: '2025' } : checkEarlier(id, version);
    if (method === 'initialize')
      return refuse(mismatch, 'initialize is not of the revision that MCP-Protocol-Version names');
    if (version !== revision2026) return unsupported(id, version);
  } else {
    const body = isObject(params._meta) ? params._meta[metaKeys.protocolVersion] : undefined;
    if (version !== undefined && typeof body === 'string' && version !== body)
      return refuse(mismatch, `MCP-Protocol-Version names ${version}, the body ${body}`);
  }
  try {
    readEnvelope(method, params);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { refused: failure(id, error.code, error.message, error.data) };
  }
  const wrong = wrongHeader(message, version, headers);
  return wrong === undefined ? { era: '2026', request: message } : refuse(mismatch, wrong);
}

function wrongHeader(
  { method, params }: Request,
  version: string | undefined,
  headers: IncomingHttpHeaders,
): string | undefined {
  if (version === undefined) return 'the header MCP-Protocol-Version is missing';
  const written = header(headers, 'mcp-method');
  if (written === undefined) return 'the header Mcp-Method is missing';
  if (written !== method) return `Mcp-Method names ${written}, the body ${method}`;
  const member = Object.hasOwn(named, method) ? (named[method] as string) : undefined;
  const wanted = member === undefined ? undefined : nameIn(params, member);
  if (wanted === undefined) return undefined;
  const given = header(headers, 'mcp-name');
  if (given === undefined) return 'the header Mcp-Name is missing';
  const name = decoded(given);
  if (name === undefined) return 'the header Mcp-Name is not rightly encoded';
  return name === wanted ? undefined : `Mcp-Name names ${name}, the body ${wanted}`;
}

function nameIn(params: JsonObject, member: string): string | undefined {
  const value = Object.hasOwn(params, member) ? params[member] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Names that do not fit a header travel in base64, marked as such. */
export function decoded(value: string): string | undefined {
  const packed = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  if (packed === undefined) return value;
  const bytes = Buffer.from(packed, 'base64');
  if (bytes.toString('base64') !== packed) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function checkEarlier(id: string | number | null, version: string | undefined): Era {
  if (version === undefined || revisions2025.includes(version)) return { era: '2025' };
  return unsupported(id, version);
}

function unsupported(id: string | number | null, requested: string): Era {
  const text = `the protocol version ${requested} is not spoken here`;
  return {
    refused: failure(id, unsupportedVersion, text, {
      supported: [revision2026, ...revisions2025],
      requested,
    }),
  };
}

export function header(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value.trim() : undefined;
}

/** The status of an error in the 2026 era; what a tool or a method itself objects to is an ordinary answer. */
export function statusOf(reply: Reply): number {
  switch (reply.code) {
    case -32601:
      return 404;
    case -32700:
    case -32600:
    case mismatch:
    case -32021:
    case unsupportedVersion:
      return 400;
    default:
      return 200;
  }
}
