import type { JSONWebKeySet } from 'jose';
import { HostError } from '../../../model/host-error.js';
import { isObject, type Json } from '../../../model/json.js';
import { documentLimits, excessText, JsonExcessError, parseBounded } from '../../../model/json-bounds.js';

/** Fetches a public document through the host's network checks. */
export type ReadDocument = (url: string) => Promise<{ readonly status: number; readonly text: string }>;

const maxKeys = 100;

/**
 * Fetches the issuer's keys; its discovery document has their URL. The document must name exactly the configured issuer.
 * Otherwise the document of another issuer could supply its own keys.
 */
export async function publishedKeys(issuer: string, read: ReadDocument): Promise<JSONWebKeySet> {
  const document = await discovered(issuer, read);
  if (document.issuer !== issuer)
    throw new HostError('invalid_config', `the discovery document of ${issuer} is for another issuer`, {
      hint: `it says ${JSON.stringify(document.issuer ?? null).slice(0, 200)}; configure the issuer exactly like that`,
    });
  const url = document.jwks_uri;
  if (typeof url !== 'string' || !URL.canParse(url))
    throw unusable(issuer, 'its discovery document has no URL for its keys (jwks_uri)');
  // An https issuer must not downgrade to plain http.
  if (new URL(issuer).protocol === 'https:' && new URL(url).protocol !== 'https:')
    throw unusable(issuer, 'the URL of its keys is not https');
  const set = await jsonAt(url, issuer, read);
  if (set === undefined) throw unusable(issuer, `there are no keys at ${url}`);
  const keys = isObject(set) ? set.keys : undefined;
  if (!Array.isArray(keys) || keys.length > maxKeys || !keys.every((it) => isObject(it)))
    throw unusable(issuer, `the document at ${url} is not a key set`);
  return set as unknown as JSONWebKeySet;
}

async function discovered(issuer: string, read: ReadDocument): Promise<Readonly<Record<string, Json>>> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const urls = [
    `${origin}${path}/.well-known/openid-configuration`,
    // For OAuth authorization servers without OpenID Connect.
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ];
  for (const url of urls) {
    const found = await jsonAt(url, issuer, read);
    if (found === undefined) continue;
    if (!isObject(found)) throw unusable(issuer, `the document at ${url} is not a discovery document`);
    return found;
  }
  throw unusable(issuer, `there is no discovery document at ${urls.join(' or ')}`);
}

/** Undefined if the server answers 404 or 410. */
async function jsonAt(url: string, issuer: string, read: ReadDocument): Promise<Json | undefined> {
  const { status, text } = await read(url);
  if (status === 404 || status === 410) return undefined;
  if (status !== 200) throw unusable(issuer, `${url} answered with status ${status}`);
  try {
    return parseBounded(text, documentLimits);
  } catch (error) {
    const why = error instanceof JsonExcessError ? excessText(error.excess) : 'is not JSON';
    throw unusable(issuer, `the document at ${url} ${why}`, error);
  }
}

function unusable(issuer: string, reason: string, cause?: unknown): HostError {
  return new HostError('network_failed', `the issuer ${issuer} cannot be used: ${reason}`, { cause });
}
