import type { ServerResponse } from 'node:http';
import { asHostError, HostError } from '../../model/host-error.js';
import { errorTable } from '../errors.js';
import { Refusal } from './refusal.js';

export interface Reply {
  readonly status?: number;
  /** Anything but a string is sent as JSON. */
  readonly body?: unknown;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** On every answer: nothing is guessed, kept, framed or run by a browser. */
export const guardHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const guards: readonly string[] = Object.entries(guardHeaders).flat();

/** What a reply says itself of one of them holds. */
function guardsBeside(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(guardHeaders)
    .filter(([name]) => !Object.hasOwn(headers, name))
    .flat();
}

/** Sends an answer; a visitor that does not take it in time is cut off. */
export function send(response: ServerResponse, reply: Reply, readMs: number): void {
  if (response.headersSent || response.destroyed) return;
  const { status = 200, body, headers } = reply;
  const text = body === undefined ? '' : typeof body === 'string' ? body : `${JSON.stringify(body)}\n`;
  const type = reply.type ?? (body === undefined ? undefined : 'application/json');
  // A list: of an object, every name would be looked at once more.
  const written: (string | number)[] = headers === undefined ? [...guards] : guardsBeside(headers);
  if (type !== undefined) written.push('content-type', type);
  if (status !== 204) written.push('content-length', Buffer.byteLength(text));
  if (headers !== undefined) for (const name in headers) written.push(name, headers[name] as string);
  response.writeHead(status, written as string[]);
  cutOffAfter(response, readMs);
  response.end(text);
}

/** Ends the connection unless everything was taken within the time given. */
export function cutOffAfter(response: ServerResponse, readMs: number): void {
  const timer = setTimeout(() => response.socket?.destroy(), readMs);
  timer.unref();
  // Comes after everything was taken as well.
  response.once('close', () => clearTimeout(timer));
}

/** What anything thrown looks like to a visitor. Bugs keep their details for the log. */
export function errorReply(error: unknown, onBug: (error: unknown) => void): Reply {
  if (!(error instanceof HostError)) onBug(error);
  const refusal = asHostError(error);
  const { code, message } = refusal;
  // The usual hint of a bug speaks of a flag of the command line.
  const hint = error instanceof HostError ? refusal.hint : 'the log of the host has the details';
  return {
    status: refusal instanceof Refusal ? refusal.status : errorTable[code].http,
    headers: refusal instanceof Refusal ? refusal.headers : {},
    body: { error: { code, message, ...(hint === undefined ? {} : { hint }) } },
  };
}
