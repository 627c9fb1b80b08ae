import type { CancelSignal } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import { isLoopbackHost } from '../../model/host-name.js';
import { isObject, type JsonObject } from '../../model/json.js';
import { type JsonLimits, tryParseBounded } from '../../model/json-bounds.js';
import { coversDestination, hostPort, type NetworkReach, parseDestination } from '../../net/destination.js';
import type { HttpClient } from '../../net/http-client.js';

/** How requests of a sign-in are sent. */
export interface OAuthAccess {
  readonly client: HttpClient;
  /** `hosts`: only those that belong to this sign-in. */
  readonly reach: NetworkReach;
  readonly signal: CancelSignal;
  /** For one request with its answer. Default: 10 seconds. */
  readonly timeoutMs?: number;
}

export interface OAuthRequest {
  readonly url: string;
  /** Sent as a form. */
  readonly form?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface OAuthAnswer {
  readonly status: number;
  /** Undefined if the answer is not a JSON object. */
  readonly content: JsonObject | undefined;
}

const defaultTimeoutMs = 10_000;
const bodyBytes = 256 * 1024;
const contentLimits: JsonLimits = { bytes: bodyBytes, depth: 16, values: 10_000 };

/**
 * Sends one request of a sign-in: GET, or POST with a form or JSON. No redirect is followed, not even to the same host:
 * codes and tokens go only to the announced address.
 */
export async function sendOAuth(
  { url, form, json, headers = {} }: OAuthRequest,
  { client, reach, signal, timeoutMs = defaultTimeoutMs }: OAuthAccess,
): Promise<OAuthAnswer> {
  const { host } = checkedUrl(url);
  const destination = parseDestination(url);
  if (!coversDestination(reach.hosts, destination))
    throw new HostError(
      'network_denied',
      `the sign-in needs a request to ${hostPort(destination)}, and nobody agreed to that host`,
    );
  const body =
    form === undefined ? json && JSON.stringify(json) : new URLSearchParams({ ...form }).toString();
  const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
  try {
    const answer = await client.send({
      method: body === undefined ? 'GET' : 'POST',
      url,
      headers: {
        accept: 'application/json',
        'user-agent': 'toolwharf',
        ...(body === undefined ? {} : { 'content-type': type }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
      reach,
      limits: { wallMs: timeoutMs, bodyBytes },
      credential: true,
      signal,
    });
    const content = tryParseBounded(answer.body.toString('utf8'), contentLimits);
    return { status: answer.status, content: isObject(content) ? content : undefined };
  } catch (error) {
    if (!(error instanceof HostError) || error.code === 'canceled') throw error;
    throw new HostError(error.code, `the sign-in request to ${host} failed: ${error.message}`, {
      cause: error,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      transient: error.transient,
    });
  }
}

/** A URL that a sign-in may use: https, or plain http on this machine. Throws for anything else. */
export function checkedUrl(text: unknown, what = 'the address'): URL {
  const url = typeof text === 'string' && text.length <= 4096 ? parsed(text) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '' || url.hash !== '')
    throw new HostError('upstream_failed', `${what} is not a valid URL for a sign-in`);
  const isLoopback = url.protocol === 'http:' && isLoopbackHost(url.hostname);
  if (url.protocol !== 'https:' && !isLoopback)
    throw new HostError('upstream_failed', `${what} must use https, and ${url.host} does not`);
  return url;
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** `host:port` of a URL; both are what people agree to. */
export function placeOf(url: string): string {
  return hostPort(parseDestination(url));
}
