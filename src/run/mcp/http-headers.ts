import { isObject, type JsonObject, valueAt } from '../../model/json.js';
import type { UrlTarget } from '../../model/program.js';
import { headerParamsOf } from '../../wire/header-params.js';
import { encodeHeaderValue } from '../../wire/header-value.js';
import { assertAudience, credentialOf } from '../http.js';
import { fillHeader } from '../template-filling.js';
import type { UpstreamSettings } from '../upstream/upstream.js';
import type { McpRequest } from './mcp-dialect.js';

const protocolKey = 'io.modelcontextprotocol/protocolVersion';

/** The headers of the manifest with their values. Checks that each secret may be sent to the URL. */
export function manifestHeaders(
  { slots, reach, package: pkg }: UpstreamSettings,
  { url, headers, credential }: UrlTarget,
  name: string,
): { headers: Record<string, string>; credential: boolean } {
  const used = headers.flatMap(({ value }) =>
    value.parts.flatMap((it) => (it.kind === 'slot' ? [it.slot] : [])),
  );
  const secrets = [...new Set(credential === undefined ? used : [...used, credential])].flatMap((slot) => {
    const value = slots.get(slot);
    return value?.secret === true ? [{ name: slot, value }] : [];
  });
  assertAudience(url, secrets, reach, name);
  const filled: Record<string, string> = { 'user-agent': 'toolwharf' };
  for (const header of headers) {
    const value = fillHeader(header.value, { input: {}, slots }, header.name);
    if (value !== undefined) filled[header.name.toLowerCase()] = value;
  }
  Object.assign(filled, credentialOf(credential, pkg.slots, slots));
  return { headers: filled, credential: secrets.length > 0 };
}

/** In the 2026 era, headers repeat parts of the body for proxies. */
export function bodyHeaders(
  { method, params }: JsonObject,
  request: McpRequest | undefined,
): Record<string, string> {
  const meta = isObject(params) ? params._meta : undefined;
  const revision = isObject(meta) ? meta[protocolKey] : undefined;
  if (typeof revision !== 'string' || typeof method !== 'string') return {};
  const { subject, schema, arguments: args } = request ?? {};
  const marked = headerParamsOf(schema).flatMap(({ path, header }) => {
    const value = valueAt(args, path);
    return value === undefined || value === null || typeof value === 'object'
      ? []
      : [[header, encodeHeaderValue(String(value))] as const];
  });
  return {
    ...Object.fromEntries(marked),
    'mcp-protocol-version': revision,
    'mcp-method': method,
    ...(subject === undefined ? {} : { 'mcp-name': encodeHeaderValue(subject) }),
  };
}
