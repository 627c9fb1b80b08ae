// Addresses of a server's resources, as clients of the host use them.
import { HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { RunResult } from '../../run/run.js';

const scheme = 'upstream://';

/** What the host puts in front of the addresses of a server. */
export function linkPrefix(packageId: string, program: string): string {
  return `${scheme}${encodeURIComponent(packageId)}/${encodeURIComponent(program)}/`;
}

/** Whether an address is one of the host: it names its server. */
export function isHostLink(uri: string): boolean {
  return uri.startsWith(scheme);
}

/** The result or failure of a call, with such addresses. */
export async function withReadableResult(call: Promise<RunResult>, prefix: string): Promise<RunResult> {
  try {
    return resultWithReadableLinks(await call, prefix);
  } catch (error) {
    throw failureWithReadableLinks(error, prefix);
  }
}

function resultWithReadableLinks(result: RunResult, prefix: string): RunResult {
  if (result.parts === undefined) return result;
  const parts = withReadableLinks(result.parts, prefix);
  // Without text or a structured value, the parts are the value.
  return { ...result, parts, value: result.value === result.parts ? parts : result.value };
}

function failureWithReadableLinks(error: unknown, prefix: string): unknown {
  if (!(error instanceof HostError) || error.toolResult === undefined) return error;
  const toolResult = { ...error.toolResult, parts: withReadableLinks(error.toolResult.parts, prefix) };
  const { code, message, hint } = error;
  return new HostError(code, message, { toolResult, cause: error, ...(hint === undefined ? {} : { hint }) });
}

/**
 * Content parts with addresses that can be read at the host as they are given: two servers can have the same address, and a
 * server can link to something that it does not list. Pages on the web stay as they are, as clients open them themselves.
 */
function withReadableLinks(parts: readonly JsonObject[], prefix: string): JsonObject[] {
  return parts.map((part) => {
    if (part.type === 'resource_link') return withPrefix(part, prefix);
    if (part.type !== 'resource' || !isObject(part.resource)) return part;
    return { ...part, resource: withPrefix(part.resource, prefix) };
  });
}

/** The messages of a prompt, with such addresses. */
export function messagesWithReadableLinks(messages: readonly Json[], prefix: string): Json[] {
  return messages.map((it) => {
    if (!isObject(it) || !isObject(it.content)) return it;
    const [content] = withReadableLinks([it.content], prefix);
    return content === undefined ? it : { ...it, content };
  });
}

function withPrefix(entry: JsonObject, prefix: string): JsonObject {
  const { uri } = entry;
  return typeof uri !== 'string' || /^https?:/i.test(uri) ? entry : { ...entry, uri: `${prefix}${uri}` };
}
