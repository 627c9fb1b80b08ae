import type { JsonObject } from '../../model/json.js';
import { covers } from './host-name.js';
import { codeMode, listOf, objectOf, objectsOf, remoteUrl, textOf } from './shape.js';
import { readUrl } from './url.js';

/** The object that names the server elsewhere. */
export function remoteOf(manifest: JsonObject): JsonObject {
  return objectOf(objectOf(objectOf(manifest.delivery).mcp).remote);
}

/** Refs of the slots whose value the server elsewhere may have. */
export function remoteCandidates(manifest: JsonObject): readonly string[] {
  const host = readUrl(remoteUrl(manifest) ?? '', 'url').target?.host;
  if (host === undefined) return [];
  return objectsOf(manifest.credential_slots).flatMap(([, slot]) => {
    const reaches = listOf(slot.allowed_hosts).some((it) => typeof it === 'string' && covers(it, host));
    return reaches ? (textOf(slot.ref) ?? []) : [];
  });
}

/**
 * The slot that signs requests to the server elsewhere: the one that is named, else the only one that the server may have.
 * Of several nobody guesses, and the slots of a package with code of its own are for that code unless they are named.
 */
export function remoteCredential(manifest: JsonObject): string | undefined {
  if (remoteUrl(manifest) === undefined) return undefined;
  const named = textOf(remoteOf(manifest).auth_ref);
  if (named !== undefined) return named;
  if (codeMode(manifest) !== 'none') return undefined;
  const [only, ...more] = remoteCandidates(manifest);
  return more.length === 0 ? only : undefined;
}
