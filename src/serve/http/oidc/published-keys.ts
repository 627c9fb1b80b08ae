import type { JSONWebKeySet } from 'jose';
import { HostError } from '../../../model/host-error.js';
import { isObject, type Json } from '../../../model/json.js';

/** Reads a document that somebody publishes, past the guards of the host. */
export type ReadDocument = (url: string) => Promise<{ readonly status: number; readonly text: string }>;

const maxKeys = 100;

/**
 * The keys that an issuer publishes: its discovery document names the place of them. The document must speak for the
 * very issuer that was configured, or a document of somebody else could bring keys of its own.
 */
export async function publishedKeys(issuer: string, read: ReadDocument): Promise<JSONWebKeySet> {
  const document = await discovered(issuer, read);
  if (document.issuer !== issuer)
    throw new HostError('invalid_config', `the discovery document of ${issuer} is for another issuer`, {
      hint: `it says ${JSON.stringify(document.issuer ?? null).slice(0, 200)}; name the issuer exactly as it names itself`,
    });
  const place = document.jwks_uri;
  if (typeof place !== 'string' || !URL.canParse(place))
    throw unusable(issuer, 'its discovery document names no place for its keys (jwks_uri)');
  // Whoever comes by https must not be sent on in the open.
  if (new URL(issuer).protocol === 'https:' && new URL(place).protocol !== 'https:')
    throw unusable(issuer, 'its keys are published without encryption');
  const set = await jsonAt(place, issuer, read);
  if (set === undefined) throw unusable(issuer, `there are no keys at ${place}`);
  const keys = isObject(set) ? set.keys : undefined;
  if (!Array.isArray(keys) || keys.length > maxKeys || !keys.every((it) => isObject(it)))
    throw unusable(issuer, `what is at ${place} is no set of keys`);
  return set as unknown as JSONWebKeySet;
}

async function discovered(issuer: string, read: ReadDocument): Promise<Readonly<Record<string, Json>>> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const places = [
    `${origin}${path}/.well-known/openid-configuration`,
    // Authorization servers that know nothing of OpenID.
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ];
  for (const place of places) {
    const found = await jsonAt(place, issuer, read);
    if (found === undefined) continue;
    if (!isObject(found)) throw unusable(issuer, `what is at ${place} is no discovery document`);
    return found;
  }
  throw unusable(issuer, `there is no discovery document at ${places.join(' or ')}`);
}

/** Undefined where nothing is published. */
async function jsonAt(url: string, issuer: string, read: ReadDocument): Promise<Json | undefined> {
  const { status, text } = await read(url);
  if (status === 404 || status === 410) return undefined;
  if (status !== 200) throw unusable(issuer, `${url} answers with status ${status}`);
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw unusable(issuer, `what is at ${url} is not JSON`, error);
  }
}

function unusable(issuer: string, why: string, cause?: unknown): HostError {
  return new HostError('network_failed', `the issuer ${issuer} cannot be used: ${why}`, { cause });
}
