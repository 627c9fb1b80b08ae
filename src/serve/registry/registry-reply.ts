import type { IncomingMessage, ServerResponse } from 'node:http';
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
