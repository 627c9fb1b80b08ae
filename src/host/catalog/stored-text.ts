import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { neverCanceled } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import type { NetworkHost } from '../../model/permissions.js';
import type { HttpClient } from '../../net/http-client.js';
import { fetchDocument } from '../../net/published-document.js';
import type { CheckedPackage } from '../packages/checked-package.js';
import { passedEnvironment } from '../sandboxing/passed-environment.js';
import type { ProfileInputs } from '../sandboxing/profile-inputs.js';
import { slotValues } from '../sandboxing/slots.js';
import type { SessionSetup } from '../session-setup.js';
import type { SessionServices } from './session-services.js';

/** The place that the operator named for the stored files of a package: a folder, or the address of a bucket. */
export interface TextStore {
  readonly place: string;
  readonly client: HttpClient;
  /** Needed for a bucket on a private address or with plain http. */
  readonly granted: readonly NetworkHost[];
  /** See `NetworkReach`. */
  readonly certificates?: string | undefined;
}

/** The place that the value of a slot names. Throws if it has no value. */
export type StoreOf = (checked: CheckedPackage, slot: string) => Promise<TextStore>;

/** The places that the slots of packages name in this session. */
export function textStores(
  { secrets, actions: { client } }: SessionServices,
  setup: SessionSetup,
  profileInputs: (id: string) => ProfileInputs,
): StoreOf {
  return async ({ loaded: { catalog } }, slot) => {
    if (catalog === undefined) throw new Error('a broken package has no prompts');
    const pkg = catalog.package;
    const values = await slotValues(pkg, secrets.vault, passedEnvironment(setup, pkg.id));
    const place = values.get(slot)?.value;
    if (place === undefined)
      throw new HostError('needs_setup', `${pkg.id} needs ${slot}`, {
        hint: `set it: toolwharf secret set ${pkg.id} ${slot}`,
      });
    const { network: granted } = profileInputs(pkg.id).grant;
    return { place, client, granted, certificates: setup.policy.caCertificates };
  };
}

const maxBytes = 1024 * 1024;

/** The text under the first of the keys that exists. A key is a relative path without `..`, checked by the format. */
export async function readStoredText(keys: readonly string[], store: TextStore): Promise<string> {
  const read = /^https?:\/\//i.test(store.place) ? fromBucket : fromFolder;
  for (const key of keys) {
    const text = await read(key, store);
    if (text !== undefined) return text;
  }
  throw new HostError('not_found', `${store.place} has none of ${keys.join(', ')}`, {
    hint: 'put the unpacked skill files there, or set another place',
  });
}

function fromFolder(key: string, { place }: TextStore): string | undefined {
  if (!isAbsolute(place))
    throw new HostError('needs_setup', `${place} is not an absolute path and not an http(s) address`);
  const root = realPathOf(place);
  const path = root === undefined ? undefined : realPathOf(join(root, key));
  if (root === undefined || path === undefined) return undefined;
  // A link inside the folder must not lead to other files of the operator.
  if (!path.startsWith(root.endsWith('/') ? root : `${root}/`))
    throw new HostError('integrity', `${key} in ${place} leads to a file outside this folder`);
  const { size, ...file } = statOf(path);
  if (!file.isFile) return undefined;
  if (size > maxBytes) throw tooLarge(key);
  return decode(readFileSync(path), key);
}

async function fromBucket(
  key: string,
  { place, client, granted, certificates }: TextStore,
): Promise<string | undefined> {
  const path = key.split('/').map(encodeURIComponent).join('/');
  const url = `${place.replace(/\/+$/, '')}/${path}`;
  const { status, text } = await fetchDocument({
    client,
    url,
    accept: 'text/markdown, text/plain, */*',
    granted,
    certificates,
    signal: neverCanceled,
  });
  // Buckets without the right to list their content say 403 for a missing object.
  if (status === 404 || status === 403) return undefined;
  if (status !== 200)
    throw new HostError('upstream_failed', `${url} answered with the status ${status}`, {
      hint: 'the bucket must let this host read the object without redirects',
    });
  return text;
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function statOf(path: string): { readonly isFile: boolean; readonly size: number } {
  const stat = lstatSync(path);
  return { isFile: stat.isFile(), size: stat.size };
}

function decode(bytes: Buffer, key: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new HostError('tool_bad_output', `${key} is not text in UTF-8`, { cause });
  }
}

function tooLarge(key: string): HostError {
  return new HostError('output_too_large', `${key} is larger than 1 MiB`);
}
