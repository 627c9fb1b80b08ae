// Publishing at a registry server: the archive is sent and screened there, then the publisher signs the next file of its
// namespace with what the server said. The key of the publisher never leaves this machine.
import { sha256 } from '../../files/sha256.js';
import { HostError } from '../../model/host-error.js';
import { isObject, type Json } from '../../model/json.js';
import type { NamespaceView, RegistryView } from '../client/registry-view.js';
import type { TargetsDocument } from '../metadata/metadata-document.js';
import type { RegistrySigner } from '../metadata/registry-key.js';
import type { ReleaseName } from '../names/package-name.js';
import { fileEntryOfBytes } from '../repository/file-entry.js';
import { enoughSigners, signNamespace } from '../repository/namespace-approval.js';
import {
  existingRelease,
  type NamespacePlan,
  otherContent,
  publishedIn,
  renewed,
  withReleases,
  withYank,
} from '../repository/release-publication.js';
import { isSameContent } from '../repository/release-publishing.js';
import { askRegistry, type RegistryConnectionOptions } from './registry-connection.js';
import {
  assertSignedEnough,
  publicationOf,
  type SignedPublication,
  someSigners,
} from './signed-publication.js';

export interface RemotePublicationOptions {
  readonly connection: RegistryConnectionOptions;
  /** The verified state of the registry. */
  readonly view: RegistryView;
  /** The keys of the publisher or team that are here. */
  readonly signers: readonly RegistrySigner[];
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether the publication is returned for the signatures of others, instead of sent. Default: false. */
  readonly collects?: boolean | undefined;
}

export interface RemoteRelease extends ReleaseName {
  readonly archive: Buffer;
  /** Statements of the publisher, such as its provenance: one DSSE envelope each. */
  readonly statements: readonly string[];
}

export type RemotePublicationResult =
  | { readonly status: 'published' | 'exists' }
  /** With `collects`. */
  | { readonly status: 'signed'; readonly publication: SignedPublication }
  | { readonly status: 'waits-for-review'; readonly review: string; readonly findings: readonly Json[] };

export async function publishRemotely(
  release: RemoteRelease,
  options: RemotePublicationOptions,
): Promise<RemotePublicationResult> {
  const { connection } = options;
  const { name, version, archive } = release;
  const namespace = await ownNamespace(name.namespace, options);
  const hash = sha256(archive);
  const existing = existingRelease(namespace.releases, release);
  if (existing !== undefined) {
    if (!(await isSameContent(options.view, existing, archive))) throw otherContent(release);
    return { status: 'exists' };
  }
  const able = ableSigners(namespace, options, `a release in ${name.namespace}`);
  await askRegistry(
    { method: 'PUT', path: `api/v1/uploads/${hash}`, type: 'application/gzip', body: archive },
    connection,
  );
  const screened = await askRegistry(
    jsonRequest('api/v1/screen', { name: name.text, version, sha256: hash }),
    connection,
  );
  if (screened.status === 'waits-for-review')
    return {
      status: 'waits-for-review',
      review: String(screened.review),
      findings: Array.isArray(screened.findings) ? screened.findings : [],
    };
  if (!isObject(screened.statement))
    throw new HostError('upstream_failed', 'the registry did not say what its checks found', {
      hint: 'it may have another version of Toolwharf; tell its operator',
    });
  const statements = `${[JSON.stringify(screened.statement), ...release.statements].join('\n')}\n`;
  const entry = {
    name,
    version,
    bundle: fileEntryOfBytes(archive),
    statements: fileEntryOfBytes(Buffer.from(statements)),
  };
  const document = withReleases(namespace.file?.document, [entry], planOf(namespace, options));
  const publication = publicationOf(name.namespace, document, {
    sign: (it) => signNamespace(it, able),
    ...{ statements: { [hash]: statements }, archives: { [hash]: archive } },
  });
  if (options.collects === true) return { status: 'signed', publication };
  await sendPublication(publication, connection);
  return { status: 'published' };
}

/** Sends a publication that members of a team signed one after the other. */
export async function sendRemotely(
  publication: SignedPublication,
  { view, connection }: Pick<RemotePublicationOptions, 'view' | 'connection'>,
): Promise<void> {
  assertSignedEnough(publication, await ownNamespace(publication.namespace, { view }), view);
  for (const [hash, archive] of Object.entries(publication.archives))
    await askRegistry(
      { method: 'PUT', path: `api/v1/uploads/${hash}`, type: 'application/gzip', body: archive },
      connection,
    );
  await sendPublication(publication, connection);
}

/** Withdraws a release at a registry server. With `collects`, the publication is returned. */
export async function yankRemotely(
  release: ReleaseName & { readonly reason: string },
  options: RemotePublicationOptions,
): Promise<SignedPublication | undefined> {
  const { name, version } = release;
  const namespace = await ownNamespace(name.namespace, options);
  const able = ableSigners(namespace, options, `withdrawing ${name.text} ${version}`);
  const document = withYank(namespace.file?.document, release, planOf(namespace, options));
  return sendOrReturn(name.namespace, document, able, options);
}

/**
 * Signs the file of a namespace again before it expires, at a registry server. With `collects`, all keys that are here sign it:
 * they may be those of a new owner, whom the registry does not know yet.
 */
export async function renewRemotely(
  namespace: string,
  options: RemotePublicationOptions,
): Promise<SignedPublication | undefined> {
  const own = await ownNamespace(namespace, options);
  const able =
    options.collects === true ? options.signers : ableSigners(own, options, `renewing ${namespace}`);
  const document = renewed(publishedIn(namespace, own.file?.document), planOf(own, options));
  return sendOrReturn(namespace, document, able, options);
}

async function sendOrReturn(
  namespace: string,
  document: TargetsDocument,
  able: readonly RegistrySigner[],
  { connection, collects }: RemotePublicationOptions,
): Promise<SignedPublication | undefined> {
  const publication = publicationOf(namespace, document, { sign: (it) => signNamespace(it, able) });
  if (collects === true) return publication;
  await sendPublication(publication, connection);
  return undefined;
}

function ableSigners(
  { delegation }: NamespaceView,
  { signers, collects }: RemotePublicationOptions,
  what: string,
): RegistrySigner[] {
  return collects === true
    ? someSigners(delegation, signers, what)
    : enoughSigners(delegation, signers, what);
}

async function ownNamespace(
  namespace: string,
  { view }: Pick<RemotePublicationOptions, 'view'>,
): Promise<NamespaceView> {
  const found = await view.namespace(namespace);
  if (found !== undefined) return found;
  throw new HostError('denied', `nobody was approved for the namespace ${namespace}`, {
    hint: 'ask the operator of the registry: toolwharf registry approve NAMESPACE KEY',
  });
}

function planOf({ role }: NamespaceView, { view, now }: RemotePublicationOptions): NamespacePlan {
  return { role, bins: view.bins, days: view.root.document.days, now };
}

async function sendPublication(
  { namespace, metadata, statements }: SignedPublication,
  connection: RegistryConnectionOptions,
): Promise<void> {
  await askRegistry(jsonRequest('api/v1/publish', { namespace, metadata, statements }), connection);
}

function jsonRequest(path: string, body: Json) {
  return { method: 'POST', path, type: 'application/json', body: JSON.stringify(body) } as const;
}
