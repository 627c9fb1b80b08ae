import { isOneOwners } from './public-suffix.js';
import type { Recipients } from './slot.js';

/** One spelling per name: lower case, ASCII, no dot at the end. Empty when it is no name at all. */
export function hostName(text: string): string {
  try {
    return new URL(`https://${text}/`).hostname.replace(/\.$/, '');
  } catch {
    return '';
  }
}

/** The name itself, or one below it, whoever that belongs to. Addresses have nothing below them. */
export function isWithin(above: string, host: string): boolean {
  const [over, name] = [hostName(above), hostName(host)];
  if (over === '' || name === '') return false;
  return name === over || (name.endsWith(`.${over}`) && !/^[\d.]+$|:/.test(over));
}

/**
 * Where trust in a name reaches: the name itself, or one below it, unless everybody can have a name there.
 * `api.example.com` is covered by `example.com`, `badexample.com` is not, and `me.github.io` is not by `github.io`.
 */
export function coversHost(covering: string, host: string): boolean {
  if (!isWithin(covering, host)) return false;
  const [above, name] = [hostName(covering), hostName(host)];
  return name === above || isOneOwners(above, name);
}

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
