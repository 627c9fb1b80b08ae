import { parse } from 'tldts';

/** Cloud providers assign subdomains of these to customers, but the public suffix list does not contain them. */
const sharedDomains: ReadonlySet<string> = new Set(['amazonaws.com', 'azure.com', 'run.app', 'windows.net']);

/**
 * The registrable domain of a name according to the public suffix list, including its private section: `example.co.uk`
 * for `api.example.co.uk`, `me.github.io` for itself. Null for a public suffix, a single label and an IP address.
 */
export function registrableDomain(name: string): string | null {
  return parsed(name).domain;
}

/** Whether anyone can register names below this one: `com`, `co.uk`, `github.io`. */
export function isPublicSuffix(name: string): boolean {
  const { isIp, domain, isIcann, isPrivate } = parsed(name);
  return isIp === false && domain === null && (isIcann === true || isPrivate === true);
}

/** Whether a name is below a suffix of the list, so that somebody can have registered it. */
export function hasKnownSuffix(name: string): boolean {
  const { domain, isIcann, isPrivate } = parsed(name);
  return domain !== null && (isIcann === true || isPrivate === true);
}

/** Whether a name and its subdomain have the same owner. */
export function hasSameOwner(above: string, below: string): boolean {
  const domain = registrableDomain(below);
  return domain !== null && !sharedDomains.has(above) && `.${above}`.endsWith(`.${domain}`);
}

function parsed(name: string): ReturnType<typeof parse> {
  return parse(name, { allowPrivateDomains: true, extractHostname: false });
}
