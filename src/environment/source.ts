import { HostError } from '../model/host-error.js';
import type { NetworkHost } from '../model/permissions.js';
import type { Reach } from '../net/destination.js';

/** The egress proxy, as far as an installation needs it. */
export type OpenEgress = (options: {
  readonly socket: string;
  readonly policy: { readonly reach: Reach; readonly anyPublic: boolean; readonly secret: boolean };
  readonly armed: boolean;
}) => Promise<{
  readonly socket: string;
  takeRefusals(): readonly { readonly host: string; readonly port: number; readonly reason: string }[];
  close(): Promise<void>;
}>;

/** Where an installer may go: nowhere, to the named index, or, with none named, to any public address. */
export type Way =
  | { readonly kind: 'none' }
  | { readonly kind: 'index'; readonly url: URL; readonly host: NetworkHost }
  | { readonly kind: 'public' };

/** An operator who names an index lets it be reached, wherever it is; nothing else with it. */
export function wayTo(index: string | undefined, otherwise: 'none' | 'public'): Way {
  if (index === undefined) return { kind: otherwise };
  const url = URL.canParse(index) ? new URL(index) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new HostError(
      'invalid_config',
      'the package index in the configuration is not an http or https URL',
      {
        hint: 'write it in full, such as https://packages.example.com/simple/',
      },
    );
  }
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  return { kind: 'index', url, host: { host: url.hostname.toLowerCase().replace(/^\[|\]$/g, ''), port } };
}

/** What the proxy lets through for a way that leads somewhere. */
export function policyFor(way: Exclude<Way, { kind: 'none' }>): Parameters<OpenEgress>[0]['policy'] {
  const hosts = way.kind === 'index' ? [way.host] : [];
  return { reach: { hosts, granted: hosts }, anyPublic: way.kind === 'public', secret: false };
}

/** For messages; without anything secret that the URL may carry. */
export function describeWay(way: Way): string {
  return way.kind === 'index'
    ? way.url.host
    : way.kind === 'public'
      ? 'the public index'
      : 'the configured folders';
}
