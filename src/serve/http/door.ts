import type { IncomingMessage } from 'node:http';
import { Refusal } from './refusal.js';

export interface DoorOptions {
  readonly port: number;
  /** Names under which a proxy of the operator's reaches us, in lower case, with or without a port. */
  readonly names: readonly string[];
}

/**
 * Who a request says it came to and from. A web page that a browser was lured to can send requests to this machine,
 * even under a name that it made point here; neither its name nor its origin is ours.
 */
export function checkDoor(request: IncomingMessage, options: DoorOptions): void {
  // Of two headers, a proxy and we could read different ones.
  const twice = repeated(request.rawHeaders);
  if (twice !== undefined) throw new Refusal(400, 'usage', `the request has more than one ${twice} header`);
  if (!request.url?.startsWith('/')) throw new Refusal(400, 'usage', 'the request does not name a path');
  const { host, origin } = request.headers;
  const local = request.socket.localAddress ?? '';
  if (!isOurs(host, local, options)) {
    throw new Refusal(403, 'denied', 'the Host header does not name this server', {
      hint: 'use the URL that "toolwharf serve" prints, or name the proxy in front: --name HOST',
    });
  }
  if (origin === undefined) return;
  const from = /^https?:\/\/([^/]+)$/.exec(origin)?.[1];
  if (!isOurs(from, local, options))
    throw new Refusal(403, 'denied', 'the Origin header names another site', {
      hint: 'pages of other sites may not use this server',
    });
}

/** How a visitor that was let through the door wrote where we are. A proxy in front speaks TLS. */
export function originOf(request: IncomingMessage, { names }: DoorOptions): string {
  const host = (request.headers.host ?? '').toLowerCase();
  const proxied = names.includes(host) || names.includes(host.replace(/:\d+$/, ''));
  return `${proxied ? 'https' : 'http'}://${host}`;
}

function isOurs(host: string | undefined, local: string, { port, names }: DoorOptions): boolean {
  if (host === undefined) return false;
  // As nearly everybody writes it.
  if (host === `127.0.0.1:${port}` || host === `localhost:${port}`) return true;
  const wanted = host.toLowerCase();
  if (names.includes(wanted)) return true;
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::(\d{1,5}))?$/.exec(wanted);
  if (match === null) return false;
  const [, name = '', written = '80'] = match;
  if (names.includes(name)) return true;
  if (Number(written) !== port) return false;
  const address = name.replace(/^\[(.*)\]$/, '$1');
  // The address a connection came to is no name that somebody else could point here.
  return ['localhost', '127.0.0.1', '::1', local.toLowerCase().replace(/^::ffff:/, '')].includes(address);
}

const single = ['host', 'origin', 'authorization', 'content-length', 'content-type'];

function repeated(raw: readonly string[]): string | undefined {
  let seen = 0;
  for (let at = 0; at < raw.length; at += 2) {
    const index = single.indexOf((raw[at] as string).toLowerCase());
    if (index === -1) continue;
    if ((seen & (1 << index)) !== 0) return single[index];
    seen |= 1 << index;
  }
  return undefined;
}
