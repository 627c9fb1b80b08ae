import { parse } from 'tldts';

/** Clouds hand out names below these too, and the list does not have them. */
const handedOut: ReadonlySet<string> = new Set(['amazonaws.com', 'azure.com', 'run.app', 'windows.net']);

/**
 * The name that one owner has, at or above this one, by the public suffix list, in which those of companies count too:
 * `example.co.uk` for `api.example.co.uk`, `me.github.io` for itself. Null for a suffix, a single label and an address.
 */
export function ownedName(name: string): string | null {
  return parsed(name).domain;
}

/** Whether names below this one belong to different people: `com`, `co.uk`, `github.io`. */
export function isPublicSuffix(name: string): boolean {
  const { isIp, domain, isIcann, isPrivate } = parsed(name);
  return isIp === false && domain === null && (isIcann === true || isPrivate === true);
}

/** Whether everything below a name is its owner's, and so is this one below it. */
export function isOneOwners(above: string, below: string): boolean {
  const owned = ownedName(below);
  return owned !== null && !handedOut.has(above) && `.${above}`.endsWith(`.${owned}`);
}

function parsed(name: string): ReturnType<typeof parse> {
  return parse(name, { allowPrivateDomains: true, extractHostname: false });
}
