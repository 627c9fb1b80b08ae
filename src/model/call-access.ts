import type { Package } from './package.js';
import type { CallAccess, FilesystemAccess, NetworkAccess, NetworkHost } from './permissions.js';
import type { Tool } from './tool.js';

/**
 * What calls of a tool may use: what its package may use, narrowed by what the tool itself declares. `tool`: null for a
 * program that serves all tools.
 */
export function callAccessOf({ permissions }: Package, tool: Pick<Tool, 'access'> | null): CallAccess {
  const { network, filesystem } = permissions;
  const own = tool?.access;
  if (own === undefined) return { network, filesystem };
  return {
    network: narrowedNetwork(network, own.network),
    filesystem: narrowedFiles(filesystem, own.filesystem),
  };
}

const byAccess: readonly FilesystemAccess[] = ['none', 'read-only', 'read-write'];

function narrowedFiles(a: FilesystemAccess, b: FilesystemAccess): FilesystemAccess {
  return byAccess.indexOf(a) < byAccess.indexOf(b) ? a : b;
}

function narrowedNetwork(a: NetworkAccess, b: NetworkAccess): NetworkAccess {
  if (a.kind === 'none' || b.kind === 'none') return { kind: 'none' };
  if (a.kind === 'public') return b;
  if (b.kind === 'public') return a;
  return { kind: 'hosts', hosts: b.hosts.filter((it) => a.hosts.some((other) => isSameHost(it, other))) };
}

function isSameHost(a: NetworkHost, b: NetworkHost): boolean {
  return a.host === b.host && a.port === b.port && a.subdomains === b.subdomains;
}
