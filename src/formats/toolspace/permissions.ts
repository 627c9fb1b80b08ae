import type { JsonObject } from '../../model/json.js';
import type {
  CallAccess,
  FilesystemAccess,
  NetworkAccess,
  PermissionScope,
  Permissions,
  ScopeVerb,
} from '../../model/permissions.js';

/** Verbs that change files; all others only read. */
const writeVerbs: readonly ScopeVerb[] = ['write', 'delete', 'admin'];

export function lowerPermissions(manifest: JsonObject, endpoint: URL | undefined): Permissions {
  const scopes = ((manifest.scopes ?? []) as readonly JsonObject[]).map(
    (it): PermissionScope => ({
      resource: it.resource as string,
      verbs: it.actions as readonly ScopeVerb[],
      rationale: it.rationale as string,
      ...(it.provider_scope === undefined ? {} : { providerScope: it.provider_scope as string }),
    }),
  );
  return {
    origin: 'declared',
    network: networkOf(scopes, endpoint),
    filesystem: filesystemOf(scopes),
    stateDirectory: false,
    scopes,
  };
}

/**
 * What an action may use that lists the scopes it uses. A list without a scope, or with unknown ones only, leaves it
 * nothing but the endpoint, which an http action always calls.
 */
export function lowerAccess(
  scopes: readonly PermissionScope[],
  used: readonly string[],
  endpoint: URL | undefined,
): CallAccess {
  const own = scopes.filter((it) => used.includes(it.resource));
  return { network: networkOf(own, endpoint), filesystem: filesystemOf(own) };
}

/** A service scope without an endpoint names no host: the operator must add the hosts. */
function networkOf(scopes: readonly PermissionScope[], endpoint: URL | undefined): NetworkAccess {
  if (scopes.some((it) => it.resource === 'net.outbound')) return { kind: 'public' };
  if (endpoint !== undefined) {
    const port = endpoint.port === '' ? null : Number(endpoint.port);
    return { kind: 'hosts', hosts: [{ host: endpoint.hostname, port }] };
  }
  return scopes.every(isFile) ? { kind: 'none' } : { kind: 'hosts', hosts: [] };
}

function filesystemOf(scopes: readonly PermissionScope[]): FilesystemAccess {
  const files = scopes.filter(isFile);
  if (files.length === 0) return 'none';
  return files.some((it) => it.verbs.some((verb) => writeVerbs.includes(verb))) ? 'read-write' : 'read-only';
}

function isFile({ resource }: PermissionScope): boolean {
  return resource === 'fs' || resource.startsWith('fs.');
}
