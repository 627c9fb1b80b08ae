import type { Package } from '../model/package.js';
import type { FolderAccess, NetworkHost } from '../model/permissions.js';

/** What somebody must agree to by name, in the syntax of `--allow`. */
export function requiredAgreements({ permissions }: Pick<Package, 'permissions'>): string[] {
  const { network, filesystem, folders = [], scopes } = permissions;
  return [
    ...(network.kind === 'public' ? ['net:public'] : []),
    ...(network.kind === 'hosts' ? network.hosts.map((it) => `net:${hostGrant(it)}`) : []),
    ...(filesystem === 'none' ? [] : [`files:${filesystem}`]),
    ...folders.map(folderGrant),
    ...scopes.map((it) => `scope:${it.resource}`),
  ]
    .filter((it, index, all) => all.indexOf(it) === index)
    .sort();
}

/** A host in the syntax of `--allow`, without `net:`. */
export function hostGrant({ host, port }: NetworkHost): string {
  return port === null ? host : `${host}:${port}`;
}

/** A folder in the syntax of `--allow`. */
export function folderGrant({ path, writable }: FolderAccess): string {
  return `${writable ? 'write' : 'read'}:${path}`;
}
