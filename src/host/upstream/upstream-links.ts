// Addresses of a server's resources, as clients of the host use them.
import { appScheme, isAppAddress } from '../../model/app-resource.js';
import { HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { RunResult } from '../../run/run.js';

const scheme = 'upstream://';

/** What the host puts in front of the addresses of a server. */
export function linkPrefix(packageId: string, program: string): string {
  return `${scheme}${encodeURIComponent(packageId)}/${encodeURIComponent(program)}/`;
}

/** An address of a server as clients read it. That of an app stays an address of apps, as clients show no other. */
export function readableAddress(prefix: string, uri: string): string {
  return isAppAddress(uri) ? `${appPrefix(prefix)}${uri.slice(appScheme.length)}` : `${prefix}${uri}`;
}

/** The server's own address; undefined if the address does not have the prefix of the server. */
export function ownAddress(prefix: string, uri: string): string | undefined {
  if (uri.startsWith(prefix)) return uri.slice(prefix.length);
  const apps = appPrefix(prefix);
  return uri.startsWith(apps) ? `${appScheme}${uri.slice(apps.length)}` : undefined;
}

function appPrefix(prefix: string): string {
  return `${appScheme}${prefix.slice(scheme.length)}`;
}

/** Whether the page of an app in a result is the accepted one. */
export type IsAcceptedApp = (resource: JsonObject) => boolean;

/** The result or failure of a call, with such addresses. */
export async function withReadableResult(
  call: Promise<RunResult>,
  prefix: string,
  isAccepted: IsAcceptedApp,
): Promise<RunResult> {
  try {
    return resultWithReadableLinks(await call, prefix, isAccepted);
  } catch (error) {
    throw failureWithReadableLinks(error, prefix, isAccepted);
  }
}

function resultWithReadableLinks(result: RunResult, prefix: string, isAccepted: IsAcceptedApp): RunResult {
  if (result.parts === undefined) return result;
  const parts = withReadableLinks(result.parts, prefix, isAccepted);
  // Without text or a structured value, the parts are the value.
  return { ...result, parts, value: result.value === result.parts ? parts : result.value };
}

function failureWithReadableLinks(error: unknown, prefix: string, isAccepted: IsAcceptedApp): unknown {
  if (!(error instanceof HostError) || error.toolResult === undefined) return error;
  const parts = withReadableLinks(error.toolResult.parts, prefix, isAccepted);
  const toolResult = { ...error.toolResult, parts };
  const { code, message, hint } = error;
  return new HostError(code, message, { toolResult, cause: error, ...(hint === undefined ? {} : { hint }) });
}

/**
 * Content parts with addresses that can be read at the host as they are given: two servers can have the same address, and a
 * server can link to something that it does not list. Pages on the web stay as they are, as clients open them themselves.
 * The page of an app that nobody accepted is left out: some clients show it.
 */
function withReadableLinks(
  parts: readonly JsonObject[],
  prefix: string,
  isAccepted: IsAcceptedApp,
): JsonObject[] {
  return parts.map((part) => {
    if (part.type === 'resource_link') return withPrefix(part, prefix);
    if (part.type !== 'resource' || !isObject(part.resource)) return part;
    const { uri } = part.resource;
    if (typeof uri === 'string' && isAppAddress(uri) && !isAccepted(part.resource))
      return { type: 'text', text: `[an app is left out: nobody accepted the page ${uri.slice(0, 200)}]` };
    return { ...part, resource: withPrefix(part.resource, prefix) };
  });
}

/** The messages of a prompt, with such addresses. */
export function messagesWithReadableLinks(
  messages: readonly Json[],
  prefix: string,
  isAccepted: IsAcceptedApp,
): Json[] {
  return messages.map((it) => {
    if (!isObject(it) || !isObject(it.content)) return it;
    const [content] = withReadableLinks([it.content], prefix, isAccepted);
    return content === undefined ? it : { ...it, content };
  });
}

function withPrefix(entry: JsonObject, prefix: string): JsonObject {
  const { uri } = entry;
  return typeof uri !== 'string' || /^https?:/i.test(uri)
    ? entry
    : { ...entry, uri: readableAddress(prefix, uri) };
}
