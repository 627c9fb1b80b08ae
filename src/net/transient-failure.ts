import type { Transient } from '../model/host-error.js';

/** The connection failed or broke. Others are not: an unknown name, an invalid certificate, a response that is not HTTP. */
const connectionCodes: readonly string[] = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
];

/** Whether an error code of the system means that a later connection may succeed. */
export function isTransientCode(code: string): boolean {
  return connectionCodes.includes(code);
}

/** Statuses of a gateway, or of a service that is not ready: the request did not get an answer of the service. */
const gatewayStatuses: readonly number[] = [502, 503, 504];

/**
 * Whether a later request may get another status. A service that limits the rate must say when: without `Retry-After`,
 * 429 is an answer like any other. Undefined: it is not worth another try.
 */
export function transientStatus(
  { status, headers }: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
  now: () => number = Date.now,
): Transient | undefined {
  const afterMs = retryAfterMs(headers['retry-after'], now);
  if (gatewayStatuses.includes(status) || (status === 429 && afterMs !== undefined))
    return afterMs === undefined ? {} : { afterMs };
  return undefined;
}

/** Seconds, or a date. Undefined if the header is absent or neither. */
function retryAfterMs(text: string | undefined, now: () => number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text.trim()) * 1000;
  const at = /^[A-Za-z]{3},/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now());
}
