import type { JsonObject } from '../../model/json.js';
import type { NetworkAccess, NetworkHost } from '../../model/permissions.js';
import { targetOf, textOf, textsOf } from './manifest-fields.js';

/** A host with an optional port. Undefined if the text is not one. */
export function parseHost(text: string): NetworkHost | undefined {
  const [, address, name, digits] =
    /^(?:\[([0-9A-Fa-f:.]{2,45})\]|([A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,252}[A-Za-z0-9_])?))(?::(\d{1,5}))?$/.exec(
      text,
    ) ?? [];
  const host = (address ?? name)?.toLowerCase();
  const port = digits === undefined ? null : Number(digits);
  if (host === undefined || (port !== null && (port < 1 || port > 65535))) return undefined;
  return { host, port };
}

/** Where the server may connect to. One at a URL needs only its own host. */
export function networkOf(manifest: JsonObject): NetworkAccess {
  if (targetOf(manifest) === 'url') {
    const { hostname, port } = new URL(textOf(manifest.url) ?? '');
    return { kind: 'hosts', hosts: [{ host: hostname, port: port === '' ? null : Number(port) }] };
  }
  const { network } = manifest;
  if (network === 'public' || network === 'none') return { kind: network };
  return { kind: 'hosts', hosts: textsOf(network).flatMap((it) => parseHost(it) ?? []) };
}
