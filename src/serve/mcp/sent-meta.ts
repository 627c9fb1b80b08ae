import { isObject, type JsonObject } from '../../model/json.js';
import { withoutReservedMeta } from '../../model/reserved-meta.js';
import { invalidParams, RpcError } from './json-rpc.js';

/** Characters of the `_meta` of a request as JSON. */
const maxMeta = 16_384;

/** The `_meta` of a request that its server gets. Absent: there is nothing in it for a server. */
export function sentMeta({ _meta: given }: JsonObject): { readonly meta?: JsonObject } {
  if (!isObject(given)) return {};
  const { progressToken: _, ...meta } = withoutReservedMeta(given);
  if (JSON.stringify(meta).length > maxMeta)
    throw new RpcError(invalidParams, `"_meta" is longer than ${maxMeta} characters`);
  return Object.keys(meta).length === 0 ? {} : { meta };
}
