import type { JsonObject } from '../../model/json.js';
import { hostCovers } from './host-name.js';
import { codeMode, listOf, objectOf, objectsOf, remoteUrl, stringOf } from './manifest-fields.js';
import { parseUrl } from './url.js';

/** The object that describes the remote server. */
export function remoteServer(manifest: JsonObject): JsonObject {
  return objectOf(objectOf(objectOf(manifest.delivery).mcp).remote);
}

/** Refs of the slots whose value may be sent to the remote server. */
export function remoteCredentialCandidates(manifest: JsonObject): readonly string[] {
  const host = parseUrl(remoteUrl(manifest) ?? '', 'url').target?.host;
  if (host === undefined) return [];
  return objectsOf(manifest.credential_slots).flatMap(([, slot]) => {
    const allowed = listOf(slot.allowed_hosts).some((it) => typeof it === 'string' && hostCovers(it, host));
    return allowed ? (stringOf(slot.ref) ?? []) : [];
  });
}

/**
 * The credential for requests to the remote server: the slot named by auth_ref, else the only slot that may be sent
 * there. With several candidates, none is used. In a package with code, slots belong to the code unless auth_ref
 * names one.
 */
export function remoteCredential(manifest: JsonObject): string | undefined {
  if (remoteUrl(manifest) === undefined) return undefined;
  const named = stringOf(remoteServer(manifest).auth_ref);
  if (named !== undefined) return named;
  if (codeMode(manifest) !== 'none') return undefined;
  const [only, ...more] = remoteCredentialCandidates(manifest);
  return more.length === 0 ? only : undefined;
}
