// What a person reads if the host does not answer, or answers something other than MCP.
import { HostError, type HostErrorCode, hostErrorCodes } from '../../model/host-error.js';
import { isObject } from '../../model/json.js';
import { documentLimits, tryParseBounded } from '../../model/json-bounds.js';

/** A request that got no response. */
export class ConnectionFailure extends Error {
  /** The server cannot have received the request, so it can be sent again. */
  readonly isUnsent: boolean;
  /** It may work a moment later. */
  readonly isTransient: boolean;
  readonly error: HostError;

  constructor(cause: unknown, url: URL, isUnsent: boolean) {
    super('the request got no response', { cause });
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown reason';
    this.isUnsent = isUnsent;
    this.isTransient = isUnsent && transientCodes.has(code);
    this.error = isUnsent ? unreachable(code, url, cause) : connectionLost(url, cause);
  }
}

const transientCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EAI_AGAIN',
]);

function unreachable(code: string, url: URL, cause: unknown): HostError {
  const failed = (problem: string, hint: string) =>
    new HostError('host_unreachable', `${problem} (${code})`, { hint, cause });
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return failed(`the name ${url.hostname} cannot be found`, 'check the URL after --connect');
  if (/CERT|ISSUER|LEAF_SIGNATURE/.test(code))
    return failed(
      `the certificate of ${url.host} is not accepted`,
      /ALTNAME/.test(code)
        ? 'use the host name that the certificate is for'
        : /EXPIRED|NOT_YET/.test(code)
          ? 'check its dates and the clock of this machine'
          : 'if it is your own, name the file with its certificate authority: --ca-file FILE',
    );
  if (/SSL|TLS|EPROTO/.test(code))
    return failed(`${url.host} does not speak TLS`, 'check whether the URL begins with http or https');
  return failed(
    `no host answers at ${url.origin}`,
    'start it there with "toolwharf serve", and check that this machine can reach that address',
  );
}

/** A response began or may have begun, and did not end. */
export function connectionLost(url: URL, cause?: unknown): HostError {
  return new HostError(
    'host_unreachable',
    `the connection to ${url.origin} ended before the answer; the call may have run`,
    { hint: 'check what happened before you call again', cause },
  );
}

export interface RejectedResponse {
  readonly status: number;
  readonly location: string | undefined;
  readonly text: string;
}

/** A response with an error status whose body is not a JSON-RPC error. */
export function rejectedBy(url: URL, { status, location, text }: RejectedResponse): HostError {
  const told = errorIn(text);
  if (status === 401)
    return new HostError('auth_required', `${url.origin} does not accept the token`, {
      hint: 'create one on the machine of the host: toolwharf token create NAME; then replace the content of the token file',
    });
  if (status >= 300 && status <= 399)
    return new HostError(
      'host_unreachable',
      `${url.origin} redirects to ${location ?? 'another place'}, which is not followed`,
      { hint: 'use the final URL after --connect' },
    );
  if (status === 404 || status === 405)
    return new HostError('not_found', `${url.href} is not an MCP endpoint (status ${status})`, {
      hint: 'use the MCP URL that "toolwharf serve" shows',
    });
  if (told !== undefined) return told;
  return new HostError(
    status === 429 ? 'rate_limited' : 'host_unreachable',
    `${url.origin} answered with status ${status}`,
    { hint: 'try again later' },
  );
}

export function notMcp(url: URL, type: string | undefined): HostError {
  const what = type === undefined ? 'without a content type' : `as ${type.slice(0, 80)}`;
  return new HostError('not_supported', `${url.href} answered ${what}, which is not MCP`, {
    hint: 'use the MCP URL that "toolwharf serve" shows',
  });
}

/** The error that our own HTTP server describes. */
function errorIn(text: string): HostError | undefined {
  const value = tryParseBounded(text, documentLimits);
  const error = isObject(value) ? value.error : undefined;
  if (!isObject(error) || typeof error.message !== 'string') return undefined;
  const known = hostErrorCodes.find((it) => it === error.code) as HostErrorCode | undefined;
  return known === undefined
    ? undefined
    : new HostError(known, error.message, typeof error.hint === 'string' ? { hint: error.hint } : {});
}
