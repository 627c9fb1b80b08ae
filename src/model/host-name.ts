import { hasSameOwner } from './public-suffix.js';
import type { Recipients } from './slot.js';

/** The host name in lower-case ASCII without a final dot. Empty when the text is not a host name. */
export function normalizeHostName(text: string): string {
  try {
    return new URL(`https://${text}/`).hostname.replace(/\.$/, '');
  } catch {
    return '';
  }
}

/** Whether a host means this machine: `127.0.0.0/8`, `[::1]` or `localhost`, as a URL parser writes them. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || /^127(\.\d{1,3}){3}$/.test(host) || host === '[::1]';
}

/** Whether `host` is `above` or one of its subdomains, no matter who owns them. IP addresses have no subdomains. */
export function isSameOrSubdomain(above: string, host: string): boolean {
  const [parent, name] = [normalizeHostName(above), normalizeHostName(host)];
  if (parent === '' || name === '') return false;
  return name === parent || (name.endsWith(`.${parent}`) && !/^[\d.]+$|:/.test(parent));
}

/**
 * Whether trust in one name extends to a host: to the name itself and its subdomains, unless anyone can register
 * subdomains there. `example.com` covers `api.example.com` but not `badexample.com`; `github.io` does not cover
 * `me.github.io`.
 */
export function coversHost(covering: string, host: string): boolean {
  if (!isSameOrSubdomain(covering, host)) return false;
  const [above, name] = [normalizeHostName(covering), normalizeHostName(host)];
  return name === above || hasSameOwner(above, name);
}

/** Whether a slot's value may be sent to a host. */
export function mayReceive(recipients: Recipients, host: string): boolean {
  switch (recipients.kind) {
    case 'any':
      return true;
    case 'nobody':
      return false;
    case 'hosts':
      return recipients.hosts.some((it) => coversHost(it, host));
  }
}
