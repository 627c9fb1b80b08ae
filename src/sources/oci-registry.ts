import { sha256 } from '../files/sha256.js';
import { HostError } from '../model/host-error.js';
import { isLoopbackHost } from '../model/host-name.js';
import { isObject, type Json, type JsonObject } from '../model/json.js';
import type { OciSource } from '../model/source.js';
import { fetchText, parseIndexJson, type Remote } from './download.js';
import { assertHash } from './hash-check.js';
import type { AcquireOptions } from './source.js';

/** A manifest or an index of an image, with the digest of its bytes. */
export interface OciDocument {
  readonly digest: string;
  readonly value: JsonObject;
}

/** One image repository of a registry. */
export interface OciRegistry {
  /** A tag, or a digest that must match. */
  manifest(reference: string): Promise<OciDocument>;
  blob(digest: string): Remote;
}

const accept = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

/** Opens a repository for reading without a login. */
export function openOciRegistry({ image }: OciSource, options: AcquireOptions): OciRegistry {
  const slash = image.indexOf('/');
  const [host, name] = [image.slice(0, slash), image.slice(slash + 1)];
  // As for container engines: a registry on this machine needs no TLS. It needs the operator's grant.
  const isHere = isLoopbackHost(host.replace(/:\d+$/, ''));
  let scheme: 'http' | 'https' = isHere && options.services.ca === undefined ? 'http' : 'https';
  let token: string | undefined;
  const remote = (path: string): Remote => ({
    url: `${scheme}://${host}/v2/${name}/${path}`,
    ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
  });
  return {
    blob: (digest) => remote(`blobs/${digest}`),
    async manifest(reference) {
      const get = () => fetchText(remote(`manifests/${reference}`), accept, { ...options, statuses: [401] });
      let answer = await get().catch((error: unknown) => {
        if (!isHere || scheme === 'http' || !speaksNoTls(error)) throw error;
        scheme = 'http';
        return get();
      });
      if (answer.status === 401 && token === undefined) {
        token = await fetchToken(answer.headers['www-authenticate'] ?? '', name, host, options);
        answer = await get();
      }
      if (answer.status === 401)
        throw new HostError('network_failed', `${host} does not allow reading ${name} without a login`, {
          hint: 'check that the image is public',
        });
      const digest = `sha256:${sha256(answer.text)}`;
      if (reference.startsWith('sha256:')) assertHash(`oci:${image}`, reference, digest);
      const said = answer.headers['docker-content-digest'];
      if (said?.startsWith('sha256:') === true) assertHash(`the manifest of oci:${image}`, said, digest);
      const value = parseIndexJson(answer.text, host);
      if (!isObject(value))
        throw new HostError('network_failed', `${host} answered with something that is not a manifest`);
      return { digest, value };
    },
  };
}

/** Codes of Node for an answer that is not TLS. A certificate that is not trusted has other ones. */
function speaksNoTls(error: unknown): boolean {
  const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
  return /^(?:EPROTO|ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST))$/.test(code ?? '');
}

/** A token that anyone gets, for reading this repository only. */
async function fetchToken(
  challenge: string,
  name: string,
  host: string,
  options: AcquireOptions,
): Promise<string> {
  const field = (key: string) => new RegExp(`[ ,]${key}="([^"]*)"`, 'i').exec(challenge)?.[1];
  const realm = field('realm');
  if (
    !/^bearer /i.test(challenge) ||
    realm === undefined ||
    !URL.canParse(realm) ||
    !realm.startsWith('https://')
  )
    throw new HostError('network_failed', `${host} asks for a login that is not supported`, {
      hint: 'check that the image is public',
    });
  const url = new URL(realm);
  const service = field('service');
  if (service !== undefined) url.searchParams.set('service', service);
  url.searchParams.set('scope', `repository:${name}:pull`);
  const { text } = await fetchText({ url: url.href }, 'application/json', options);
  const answer = objectOf(parseIndexJson(text, url.host));
  const token = answer.token ?? answer.access_token;
  if (typeof token === 'string' && /^[!-~]{1,16384}$/.test(token)) return token;
  throw new HostError('network_failed', `${url.host} gave no token for ${name}`);
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
