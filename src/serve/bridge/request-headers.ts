import { isObject, type Json, valueAt } from '../../model/json.js';
import { type HeaderParam, headerParamsOf } from '../../wire/header-params.js';
import { encodeHeaderValue } from '../../wire/header-value.js';
import { nameMembers } from '../http/mcp-headers.js';
import { metaKeys } from '../mcp/era-2026/envelope.js';
import type { ClientLine } from './client-line.js';

/** Arguments that tools want repeated in headers, learned from lists of tools. */
export class ToolHeaders {
  readonly #params = new Map<string, readonly HeaderParam[]>();

  /** `result`: of `tools/list`. */
  learn(result: Json | undefined): void {
    if (!isObject(result) || !Array.isArray(result.tools)) return;
    for (const tool of result.tools as readonly Json[]) {
      if (isObject(tool) && typeof tool.name === 'string')
        this.#params.set(tool.name, headerParamsOf(tool.inputSchema));
    }
  }

  /** The headers that repeat parts of a message of the 2026 era. Over stdio a client does not send them. */
  of({ method, params, is2026 }: ClientLine): Record<string, string> {
    const meta = isObject(params._meta) ? params._meta : {};
    const revision = meta[metaKeys.protocolVersion];
    if (!is2026 || method === undefined || typeof revision !== 'string') return {};
    const member = Object.hasOwn(nameMembers, method) ? nameMembers[method] : undefined;
    const named = member === undefined ? params.taskId : params[member];
    return {
      ...(method === 'tools/call' ? this.#repeated(params.name, params.arguments) : {}),
      'mcp-protocol-version': encodeHeaderValue(revision),
      'mcp-method': encodeHeaderValue(method),
      ...(typeof named === 'string' ? { 'mcp-name': encodeHeaderValue(named) } : {}),
    };
  }

  #repeated(tool: Json | undefined, args: Json | undefined): Record<string, string> {
    const params = (typeof tool === 'string' ? this.#params.get(tool) : undefined) ?? [];
    return Object.fromEntries(
      params.flatMap(({ path, header }) => {
        const value = valueAt(args, path);
        return value === undefined || value === null || typeof value === 'object'
          ? []
          : [[header, encodeHeaderValue(String(value))]];
      }),
    );
  }
}

const maxPages = 100;

/** Requests for the pages of the list of tools, in the name of the client that sent `line`. */
export function toolListRequests({ params }: ClientLine): (cursor: string | undefined) => string | undefined {
  const { progressToken: _, ...meta } = isObject(params._meta) ? params._meta : {};
  let page = 0;
  return (cursor) =>
    page++ === maxPages
      ? undefined
      : JSON.stringify({
          jsonrpc: '2.0',
          id: `toolwharf-list-${page}`,
          method: 'tools/list',
          params: { ...(cursor === undefined ? {} : { cursor }), _meta: meta },
        });
}
