import type { IncomingMessage, ServerResponse } from 'node:http';
import { sha256 } from '../../files/sha256.js';
import { asHostError } from '../../model/host-error.js';
import type { JsonObject } from '../../model/json.js';
import { errorTable } from '../errors.js';
import { HttpError } from '../http/http-error.js';

/** What every answer has: nothing of this server is a page. */
const safeHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  // Everything here is public or needs a token in a header, so other origins may read it.
  'access-control-allow-origin': '*',
} as const;

export interface JsonReply {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

export function sendJson(request: IncomingMessage, response: ServerResponse, reply: JsonReply): void {
  if (response.headersSent || response.destroyed) return;
  const bytes = Buffer.from(`${JSON.stringify(reply.body)}\n`);
  response.writeHead(reply.status, {
    ...safeHeaders,
    'content-type': 'application/json; charset=utf-8',
    'content-length': bytes.length,
    'cache-control': 'no-store',
    ...reply.headers,
  });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

export function headersWith(headers: Readonly<Record<string, string | number>>) {
  return { ...safeHeaders, ...headers };
}

/** A JSON answer to a question, with a validator: a client that has it already gets no body. */
export function sendKnownJson(
  request: IncomingMessage,
  response: ServerResponse,
  { body, headers, status }: JsonReply,
  isPrivate: boolean,
): void {
  const etag = `"${sha256(JSON.stringify(body)).slice(0, 32)}"`;
  const caching = headers?.['cache-control'] ?? 'public, no-cache';
  const all = {
    ...headers,
    etag,
    'cache-control': isPrivate ? caching.replace('public', 'private') : caching,
  };
  if (!isKnown(request, etag)) {
    sendJson(request, response, { status, body, headers: all });
    return;
  }
  response.writeHead(304, { ...safeHeaders, etag, 'cache-control': all['cache-control'] });
  response.end();
}

/** Whether the client has the content with this validator. A proxy that compresses makes a weak one of it. */
export function isKnown({ headers }: IncomingMessage, etag: string): boolean {
  const known = headers['if-none-match'];
  if (known === undefined) return false;
  return known.trim() === '*' || known.split(',').some((it) => it.trim().replace(/^W\//, '') === etag);
}

/** `plain`: as the API of the official registry reports errors. */
export function errorReplyOf(error: unknown, plain: boolean, onBug: (error: unknown) => void): JsonReply {
  const known = asHostError(error);
  if (known.code === 'internal') onBug(error);
  const { code, message, hint } = known;
  const status = error instanceof HttpError ? error.status : errorTable[code].http;
  const headers = {
    ...(error instanceof HttpError ? error.headers : {}),
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
  };
  if (plain) return { status, body: { error: message }, headers };
  const findings = (known as { readonly findings?: readonly JsonObject[] }).findings;
  return {
    status: findings === undefined ? status : 422,
    body: {
      error: { code, message, ...(hint === undefined ? {} : { hint }) },
      ...(findings === undefined ? {} : { findings }),
    },
    headers,
  };
}
