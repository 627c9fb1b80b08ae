import type { JsonObject } from '../../model/json.js';
import type {
  FilesystemAccess,
  NetworkAccess,
  Permissions,
  Scope,
  ScopeVerb,
} from '../../model/permissions.js';

/** Verbs on files that change something; the others only look. */
const changing: readonly ScopeVerb[] = ['write', 'delete', 'admin'];

export function lowerPermissions(manifest: JsonObject, endpoint: URL | undefined): Permissions {
  const scopes = ((manifest.scopes ?? []) as readonly JsonObject[]).map(
    (it): Scope => ({
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

/** A service that is named without an endpoint has no host here: the operator adds what it may reach. */
function networkOf(scopes: readonly Scope[], endpoint: URL | undefined): NetworkAccess {
  if (scopes.some((it) => it.resource === 'net.outbound')) return { kind: 'public' };
  if (endpoint !== undefined) {
    const port = endpoint.port === '' ? null : Number(endpoint.port);
    return { kind: 'hosts', hosts: [{ host: endpoint.hostname, port }] };
  }
  return scopes.every(isFile) ? { kind: 'none' } : { kind: 'hosts', hosts: [] };
}

function filesystemOf(scopes: readonly Scope[]): FilesystemAccess {
  const files = scopes.filter(isFile);
  if (files.length === 0) return 'none';
  return files.some((it) => it.verbs.some((verb) => changing.includes(verb))) ? 'read-write' : 'read-only';
}

function isFile({ resource }: Scope): boolean {
  return resource === 'fs' || resource.startsWith('fs.');
}
