import type { ServerResponse } from 'node:http';
import { hintFor } from '../../model/hint.js';
import { asHostError, HostError } from '../../model/host-error.js';
import { errorTable } from '../errors.js';
import { HttpError } from './http-error.js';

export interface HttpReply {
  readonly status?: number;
  /** A string and bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Security headers of every response: a browser must not sniff, cache, frame or run it. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const securityHeaderList: readonly string[] = Object.entries(securityHeaders).flat();

/** The security headers that a reply does not set itself. */
function missingSecurityHeaders(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(securityHeaders)
    .filter(([name]) => !Object.hasOwn(headers, name))
    .flat();
}

/** Sends a reply. A client that does not read it in time is disconnected. */
export function sendReply(response: ServerResponse, reply: HttpReply, readMs: number): void {
  if (response.headersSent || response.destroyed) return;
  const { status = 200, body, headers } = reply;
  const isReady = typeof body === 'string' || body instanceof Uint8Array;
  const text = body === undefined ? '' : isReady ? body : `${JSON.stringify(body)}\n`;
  const type = reply.type ?? (body === undefined ? undefined : 'application/json');
  // A flat list, because Node checks every name of an object once more.
  const written: (string | number)[] =
    headers === undefined ? [...securityHeaderList] : missingSecurityHeaders(headers);
  if (type !== undefined) written.push('content-type', type);
  if (status !== 204) written.push('content-length', Buffer.byteLength(text));
  if (headers !== undefined) for (const name in headers) written.push(name, headers[name] as string);
  response.writeHead(status, written as string[]);
  response.end(text);
  // The kernel takes most replies as a whole, and they need no timer.
  if (response.socket === null || response.socket.writableLength > 0) cutOffAfter(response, readMs);
}

/** Closes the connection if the client has not read the whole response within `readMs`. */
export function cutOffAfter(response: ServerResponse, readMs: number): void {
  const timer = setTimeout(() => response.socket?.destroy(), readMs);
  timer.unref();
  // `close` is also emitted after a complete response.
  response.once('close', () => clearTimeout(timer));
}

/** The reply for anything thrown. Details of a bug go to the log only. */
export function errorReply(error: unknown, onBug: (error: unknown) => void): HttpReply {
  if (!(error instanceof HostError)) onBug(error);
  const hostError = asHostError(error);
  const { code, message } = hostError;
  // The default hint of an internal error names a command line flag, which does not help here.
  const hint = error instanceof HostError ? hostError.hint : 'see the log of the host for details';
  return {
    status: hostError instanceof HttpError ? hostError.status : errorTable[code].http,
    headers: hostError instanceof HttpError ? hostError.headers : {},
    body: { error: { code, message, ...(hint === undefined ? {} : { hint: hintFor('http', hint) }) } },
  };
}
