import { pagesRequiredCode } from '../../model/client-capability.js';
import type { ToolError } from '../../model/host-error.js';
import { isObject } from '../../model/json.js';
import { visible, visibleLine } from '../print/visible.js';
import { pageOf } from './attributed-question.js';
import { RpcError } from './json-rpc.js';

/** Pages of one error. */
const maxPages = 16;

/**
 * The error of a server of 2025-11-25 whose user must open a page before the call is made again, for a client that opens
 * pages. Undefined for all other errors, and if a page is not one that may be shown. `name`: who asks.
 */
export function requiredPages(error: ToolError | undefined, name: string): RpcError | undefined {
  if (error?.code !== String(pagesRequiredCode) || !isObject(error.details)) return undefined;
  const { elicitations } = error.details;
  if (!Array.isArray(elicitations) || elicitations.length === 0 || elicitations.length > maxPages)
    return undefined;
  const shown = elicitations.map((it) => {
    const page = isObject(it) ? pageOf(it) : undefined;
    if (!isObject(it) || page?.elicitationId === undefined) return undefined;
    const text = visible(typeof it.message === 'string' ? it.message : '').slice(0, 4000);
    return { ...page, message: `${visibleLine(name)} asks:\n\n${text}` };
  });
  const pages = shown.filter((it) => it !== undefined);
  if (pages.length < shown.length) return undefined;
  return new RpcError(pagesRequiredCode, error.message ?? 'a page must be opened first', {
    elicitations: pages,
  });
}
