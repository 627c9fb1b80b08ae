import type { IncomingMessage } from 'node:http';
import { HttpError } from './http-error.js';

export interface ServerNames {
  readonly port: number;
  /** Host names that a proxy in front of this server uses, in lower case, with or without a port. */
  readonly names: readonly string[];
  /** The origin under which a proxy serves this server. */
  readonly publicUrl?: string | undefined;
}

/**
 * Checks the Host header against DNS rebinding. A web page can make a browser send requests to this machine, under a host
 * name that it points here. Such a name is not ours.
 */
export function checkHost(request: IncomingMessage, options: ServerNames): void {
  // With duplicate headers, a proxy and this server could read different values.
  const duplicate = duplicateHeader(request.rawHeaders);
  if (duplicate !== undefined)
    throw new HttpError(400, 'usage', `the request has more than one ${duplicate} header`);
  if (!request.url?.startsWith('/')) throw new HttpError(400, 'usage', 'the request has no path');
  if (!isOurs(request.headers.host, request.socket.localAddress ?? '', options)) {
    throw new HttpError(403, 'denied', 'the Host header does not name this server', {
      hint: 'use the URL that "toolwharf serve" prints; behind a proxy, add its name: --name HOST',
    });
  }
}

/** Checks the Origin header against requests that a page of another site makes a browser send. */
export function checkOrigin(request: IncomingMessage, options: ServerNames): void {
  const { origin } = request.headers;
  if (origin === undefined) return;
  const local = request.socket.localAddress ?? '';
  const from = /^https?:\/\/([^/]+)$/.exec(origin)?.[1];
  if (!isOurs(from, local, options))
    throw new HttpError(403, 'denied', 'the Origin header names another site', {
      hint: 'web pages of other sites cannot use this server',
    });
}

/** The origin of this server as the client addressed it. A proxy in front uses TLS. */
export function ownOrigin(request: IncomingMessage, { names, publicUrl }: ServerNames): string {
  const host = (request.headers.host ?? '').toLowerCase();
  if (publicUrl !== undefined && new URL(publicUrl).host === host) return publicUrl;
  const proxied = names.includes(host) || names.includes(host.replace(/:\d+$/, ''));
  return `${proxied ? 'https' : 'http'}://${host}`;
}

function isOurs(host: string | undefined, local: string, { port, names }: ServerNames): boolean {
  if (host === undefined) return false;
  // The usual case, checked first.
  if (host === `127.0.0.1:${port}` || host === `localhost:${port}`) return true;
  const lower = host.toLowerCase();
  if (names.includes(lower)) return true;
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::(\d{1,5}))?$/.exec(lower);
  if (match === null) return false;
  const [, name = '', written = '80'] = match;
  if (names.includes(name)) return true;
  if (Number(written) !== port) return false;
  const address = name.replace(/^\[(.*)\]$/, '$1');
  // The local address of the connection is safe: nobody can point a host name at us and still send this address.
  return ['localhost', '127.0.0.1', '::1', local.toLowerCase().replace(/^::ffff:/, '')].includes(address);
}

const singleHeaders = ['host', 'origin', 'authorization', 'content-length', 'content-type'];

function duplicateHeader(raw: readonly string[]): string | undefined {
  let seen = 0;
  for (let at = 0; at < raw.length; at += 2) {
    const index = singleHeaders.indexOf((raw[at] as string).toLowerCase());
    if (index === -1) continue;
    if ((seen & (1 << index)) !== 0) return singleHeaders[index];
    seen |= 1 << index;
  }
  return undefined;
}
