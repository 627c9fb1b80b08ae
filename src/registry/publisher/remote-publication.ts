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
  withReleases,
  withYank,
} from '../repository/release-publication.js';
import { askRegistry, type RegistryConnectionOptions } from './registry-connection.js';

export interface RemotePublicationOptions {
  readonly connection: RegistryConnectionOptions;
  /** The verified state of the registry. */
  readonly view: RegistryView;
  /** The keys of the publisher or team that are here. */
  readonly signers: readonly RegistrySigner[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface RemoteRelease extends ReleaseName {
  readonly archive: Buffer;
  /** Statements of the publisher, such as its provenance: one DSSE envelope each. */
  readonly statements: readonly string[];
}

export type RemotePublicationResult =
  | { readonly status: 'published' | 'exists' }
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
    if (existing.bundle.sha256 !== hash) throw otherContent(release);
    return { status: 'exists' };
  }
  const able = enoughSigners(namespace.delegation, options.signers, `a release in ${name.namespace}`);
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
  await sendNamespace(name.namespace, document, { able, statements: { [hash]: statements }, connection });
  return { status: 'published' };
}

/** Withdraws a release at a registry server. */
export async function yankRemotely(
  release: ReleaseName & { readonly reason: string },
  options: RemotePublicationOptions,
): Promise<void> {
  const { name, version } = release;
  const namespace = await ownNamespace(name.namespace, options);
  const able = enoughSigners(namespace.delegation, options.signers, `withdrawing ${name.text} ${version}`);
  const document = withYank(namespace.file?.document, release, planOf(namespace, options));
  await sendNamespace(name.namespace, document, { able, statements: {}, connection: options.connection });
}

async function ownNamespace(namespace: string, { view }: RemotePublicationOptions): Promise<NamespaceView> {
  const found = await view.namespace(namespace);
  if (found !== undefined) return found;
  throw new HostError('denied', `nobody was approved for the namespace ${namespace}`, {
    hint: 'ask the operator of the registry: toolwharf registry approve NAMESPACE KEY',
  });
}

function planOf({ role }: NamespaceView, { view, now }: RemotePublicationOptions): NamespacePlan {
  return { role, bins: view.bins, days: view.root.document.days, now };
}

async function sendNamespace(
  namespace: string,
  document: TargetsDocument,
  {
    able,
    statements,
    connection,
  }: {
    readonly able: RegistrySigner[];
    readonly statements: Readonly<Record<string, string>>;
    readonly connection: RegistryConnectionOptions;
  },
): Promise<void> {
  const metadata = signNamespace(document, able).toString('utf8');
  await askRegistry(jsonRequest('api/v1/publish', { namespace, metadata, statements }), connection);
}

function jsonRequest(path: string, body: Json) {
  return { method: 'POST', path, type: 'application/json', body: JSON.stringify(body) } as const;
}
