import { normalizeHostName } from '../../../model/host-name.js';

/** Top-level names that are for this machine or for one network. */
const localNames =
  /\.(?:localhost|local|localdomain|internal|intranet|lan|home|corp|private|arpa|onion|invalid)$/;

/**
 * Whether a host that a server tried to reach is offered as a grant. The server chooses what it tries, so only names of the
 * public internet are: no addresses, and no single words, of which `public` would mean every host. `host`: HOST or HOST:PORT.
 */
export function isOfferedHost(host: string): boolean {
  const [, name = ''] = /^([a-z0-9.-]+)(?::[1-9]\d{0,4})?$/i.exec(host) ?? [];
  const lower = name.toLowerCase();
  return (
    normalizeHostName(lower) === lower &&
    /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{2,59})$/.test(lower) &&
    !localNames.test(lower)
  );
}
