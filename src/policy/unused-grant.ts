import { coversHost } from '../model/host-name.js';
import type { Package } from '../model/package.js';
import type { NetworkHost } from '../model/permissions.js';
import { parseGrants } from './grant.js';

/** What a grant can be used for besides packages. */
export interface HostUses {
  /** URLs that the host itself contacts, such as its webhook. */
  readonly urls: readonly string[];
}

/** The name that grants for the host itself have in place of a package. */
const hostName = 'toolwharf';

/**
 * Why a grant has no effect with these packages; undefined if it has one, or may have one. Only what the manifests say
 * counts, so nothing is started to find out.
 */
export function unusedGrantReason(
  text: string,
  packages: readonly Package[],
  { urls }: HostUses,
): string | undefined {
  const { shared, own } = parseGrants([text]);
  const [id] = own.keys();
  const grant = id === undefined ? shared : (own.get(id) ?? shared);
  const subjects = id === undefined ? packages : packages.filter((it) => it.id === id);
  if (id !== undefined && id !== hostName && subjects.length === 0) return `there is no package ${id} here`;
  const who = id === undefined ? 'no package here' : `${id} does not`;
  const verb = (one: string, many: string) => `${who} ${id === undefined ? many : one}`;
  const [host] = grant.network;
  if (host !== undefined) {
    if (id === undefined || id === hostName) {
      if (urls.some((it) => isAt(it, host))) return undefined;
      if (id === hostName) return 'the host itself does not contact it';
    }
    if (subjects.some((it) => canReach(it, host, id !== undefined || packages.length === 1)))
      return undefined;
    if (subjects.every((it) => it.permissions.network.kind === 'none' && urlsOf(it).length === 0))
      return verb('request network access in its manifest', 'requests network access in its manifest');
    return id === undefined
      ? `no package here names this host; name the package that may reach it: PACKAGE=${text}`
      : `${id} does not contact it`;
  }
  if (grant.read.length > 0 || grant.write.length > 0)
    return subjects.some((it) => it.permissions.filesystem !== 'none' || it.permissions.folders !== undefined)
      ? undefined
      : verb('request access to files in its manifest', 'requests access to files in its manifest');
  const [variable] = grant.environment;
  return variable === undefined || subjects.some((it) => takesVariable(it, variable))
    ? undefined
    : verb(`take the variable ${variable}`, `takes the variable ${variable}`);
}

/** `addsHosts`: whether this grant adds a host to those of the manifest. */
function canReach(pkg: Package, host: NetworkHost, addsHosts: boolean): boolean {
  const { network } = pkg.permissions;
  if (urlsOf(pkg).some((it) => isAt(it, host))) return true;
  if (network.kind === 'public') return true;
  if (network.kind === 'none') return false;
  // A manifest that names no host leaves the choice to the operator.
  if (addsHosts || network.hosts.length === 0) return true;
  return network.hosts.some(
    (it) => it.host === host.host || (it.subdomains === true && coversHost(it.host, host.host)),
  );
}

/** URLs that the host contacts for a package. */
function urlsOf({ programs, tools }: Package): string[] {
  return [
    ...programs.flatMap(({ target }) => (target.kind === 'url' ? [target.url] : [])),
    ...tools.flatMap(({ action }) => (action?.kind === 'http' ? [action.url.origin] : [])),
  ];
}

function isAt(text: string, { host, port }: NetworkHost): boolean {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return false;
  }
  const standard = url.protocol === 'https:' ? 443 : 80;
  const name = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return name === host && (url.port === '' ? standard : Number(url.port)) === (port ?? standard);
}

function takesVariable({ slots }: Package, variable: string): boolean {
  return slots.some(
    (it) => (it.delivery.kind === 'environment' ? it.delivery.variable : it.name) === variable,
  );
}
