import type { IncomingHttpHeaders } from 'node:http';
import { isObject, type JsonObject } from '../../model/json.js';
import { revisions2025 } from '../mcp/era-2025/session.js';
import { declares2026, metaKeys, readEnvelope, revision2026 } from '../mcp/era-2026/envelope.js';
import { RpcError, type RpcMessage, type RpcReply, type RpcRequest, rpcErrorReply } from '../mcp/json-rpc.js';

export const headerMismatch = -32020;
const unsupportedVersion = -32022;

/** The params member that the header `Mcp-Name` repeats. */
export const nameMembers: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

export type MessageEra =
  | { readonly era: '2025' }
  | { readonly era: '2026'; readonly request: RpcRequest }
  | { readonly era: '2026'; readonly notification: true }
  | { readonly rejected: RpcReply };

/**
 * The protocol era of a message. The body decides, and the headers must match it: a proxy checks requests by their
 * headers, so the headers must not describe another request than the one we serve.
 */
export function messageEra(message: RpcMessage, headers: IncomingHttpHeaders): MessageEra {
  const version = headerValue(headers, 'mcp-protocol-version');
  if (message.kind === 'response') return { era: '2025' };
  const claimed = declares2026(message.params);
  if (message.kind === 'notification') {
    if (claimed || (version !== undefined && version >= revision2026))
      return { era: '2026', notification: true };
    return checkEarlier(null, version);
  }
  const { id, method, params } = message;
  const reject = (code: number, text: string) => ({ rejected: rpcErrorReply(id, code, text) });
  if (!claimed) {
    if (version === undefined || version < revision2026)
      return method === 'initialize' ? { era: '2025' } : checkEarlier(id, version);
    if (method === 'initialize')
      return reject(
        headerMismatch,
        'initialize does not exist in the revision that MCP-Protocol-Version names',
      );
    if (version !== revision2026) return unsupported(id, version);
  } else {
    const body = isObject(params._meta) ? params._meta[metaKeys.protocolVersion] : undefined;
    if (version !== undefined && typeof body === 'string' && version !== body)
      return reject(headerMismatch, `MCP-Protocol-Version is ${version}, but the body says ${body}`);
  }
  try {
    readEnvelope(method, params);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return { rejected: rpcErrorReply(id, error.code, error.message, error.data) };
  }
  const problem = headerProblem(message, version, headers);
  return problem === undefined ? { era: '2026', request: message } : reject(headerMismatch, problem);
}

function headerProblem(
  { method, params }: RpcRequest,
  version: string | undefined,
  headers: IncomingHttpHeaders,
): string | undefined {
  if (version === undefined) return 'the header MCP-Protocol-Version is missing';
  const written = headerValue(headers, 'mcp-method');
  if (written === undefined) return 'the header Mcp-Method is missing';
  if (written !== method) return `Mcp-Method is ${written}, but the body says ${method}`;
  const member = Object.hasOwn(nameMembers, method) ? (nameMembers[method] as string) : undefined;
  const expected = member === undefined ? undefined : nameIn(params, member);
  if (expected === undefined) return undefined;
  const encoded = headerValue(headers, 'mcp-name');
  if (encoded === undefined) return 'the header Mcp-Name is missing';
  const name = decodeHeaderValue(encoded);
  if (name === undefined) return 'the header Mcp-Name is not encoded correctly';
  return name === expected ? undefined : `Mcp-Name is ${name}, but the body says ${expected}`;
}

function nameIn(params: JsonObject, member: string): string | undefined {
  const value = Object.hasOwn(params, member) ? params[member] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Decodes a header value. Values that are not plain ASCII are sent as `=?base64?…?=`. Undefined: invalid encoding. */
export function decodeHeaderValue(value: string): string | undefined {
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

function checkEarlier(id: string | number | null, version: string | undefined): MessageEra {
  if (version === undefined || revisions2025.includes(version)) return { era: '2025' };
  return unsupported(id, version);
}

function unsupported(id: string | number | null, requested: string): MessageEra {
  const text = `the protocol version ${requested} is not supported`;
  return {
    rejected: rpcErrorReply(id, unsupportedVersion, text, {
      supported: [revision2026, ...revisions2025],
      requested,
    }),
  };
}

export function headerValue(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value.trim() : undefined;
}

/** The HTTP status of a reply in the 2026 era. Errors of a tool or method itself have status 200. */
export function httpStatusOf(reply: RpcReply): number {
  switch (reply.code) {
    case -32601:
      return 404;
    case -32700:
    case -32600:
    case headerMismatch:
    case -32021:
    case unsupportedVersion:
      return 400;
    default:
      return 200;
  }
}
