// What a publisher does with a registry server: send archives, have them screened, and send the signed file of its
// namespace. The server checks everything again; the signature of the publisher decides what may be published.
import { randomBytes } from 'node:crypto';
import type { FormatDescriptor } from '../../formats/format-descriptor.js';
import { HostError } from '../../model/host-error.js';
import type { RegistryView } from '../client/registry-view.js';
import { missingOnlineRoles } from '../keys/role-keys.js';
import { checkTargets } from '../metadata/metadata-check.js';
import { registrySigner } from '../metadata/registry-key.js';
import type { ReleaseName } from '../names/package-name.js';
import { summaryOfPackage } from '../names/package-summary.js';
import { type ReleaseRecord, releaseRecords, statementsPath } from '../names/release-record.js';
import { assertNotOutdated } from '../repository/namespace-file.js';
import type { RegistryRepository } from '../repository/registry-repository.js';
import { acceptNamespace, type ReleaseFiles } from '../repository/release-publication.js';
import type { OnlineSigners } from '../repository/repository-signers.js';
import { withArchive } from './opened-archive.js';
import type { RegistryToken } from './publisher-tokens.js';
import { isScreened, type ScreeningOptions, type ScreeningResult, screenRelease } from './screening.js';
import type { UploadFolder } from './upload-folder.js';

export interface PublicationIntakeOptions {
  readonly repository: RegistryRepository;
  readonly online: OnlineSigners;
  readonly uploads: UploadFolder;
  readonly formats: readonly FormatDescriptor[];
  /** Undefined: what arrives here was screened before. */
  readonly screening?: Omit<ScreeningOptions, 'signers' | 'formats' | 'randomId'> | undefined;
}

/** Who sends something. */
export type Sender = Pick<RegistryToken, 'role' | 'namespaces' | 'name'>;

export interface ScreeningRequest extends ReleaseName {
  readonly sha256: string;
}

export interface PublicationRequest {
  readonly namespace: string;
  /** The next file of the namespace, signed by its publisher. */
  readonly metadata: Buffer;
  /** By the hash of the archive: one DSSE envelope per line. */
  readonly statements: ReadonlyMap<string, string>;
}

export interface PublishedRelease {
  readonly name: string;
  readonly version: string;
  readonly sha256: string;
}

const dayMs = 24 * 60 * 60 * 1000;

export class PublicationIntake {
  readonly #options: PublicationIntakeOptions;
  /** Changes happen one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  /** Archives are unpacked one after the other for each sender: they may be large, and a model may take long. */
  readonly #unpacking = new Map<string, Promise<unknown>>();

  constructor(options: PublicationIntakeOptions) {
    this.#options = options;
  }

  async screen({ name, version, sha256 }: ScreeningRequest, token: Sender): Promise<ScreeningResult> {
    assertMayPublish(token, name.namespace);
    const { screening, online, formats } = this.#options;
    if (screening === undefined) throw new Error('nothing is screened here');
    return this.#inTurnOf(token, async () =>
      screenRelease(
        { name, version, sha256, archive: await this.#upload(sha256), publisher: token.name },
        {
          ...screening,
          formats,
          signers: () => online.quarantine,
          randomId: () => randomBytes(16).toString('hex'),
        },
      ),
    );
  }

  /** The releases that are new. Empty if the file only withdraws some, or renews the signature. */
  async publish(
    { namespace, metadata, statements }: PublicationRequest,
    token: Sender,
  ): Promise<readonly PublishedRelease[]> {
    assertMayPublish(token, namespace);
    const files = await this.#inTurnOf(token, () => this.#filesOf(namespace, metadata, statements));
    const added = await this.#inTurn(() =>
      this.#options.repository.change(this.#options.online, (change) =>
        acceptNamespace(change, namespace, metadata, files),
      ),
    );
    for (const it of added) await this.#options.uploads.remove(it.bundle.sha256);
    return added.map(({ name, version, bundle }) => ({ name: name.text, version, sha256: bundle.sha256 }));
  }

  /** Signs the online files again after half of their time, so that a registry that nobody publishes in does not expire. */
  async renew(now: number): Promise<boolean> {
    const { timestamp, root } = await this.#options.repository.view();
    const left = Date.parse(timestamp.document.expires) - now;
    if (left > (root.document.days.online * dayMs) / 2) return false;
    await this.#inTurn(() => this.#options.repository.change(this.#options.online, async () => {}));
    return true;
  }

  /** Nothing is unpacked before the signatures of the publisher were checked. */
  async #filesOf(
    namespace: string,
    metadata: Buffer,
    statements: ReadonlyMap<string, string>,
  ): Promise<Map<string, ReleaseFiles>> {
    const view = await this.#options.repository.view();
    this.#assertKeys(view);
    const found = await view.namespace(namespace);
    if (found === undefined)
      throw new HostError('denied', `nobody was approved for the namespace ${namespace}`, {
        hint: 'ask the operator of the registry: toolwharf registry approve NAMESPACE KEY',
      });
    const version = (found.file?.document.version ?? 0) + 1;
    assertNotOutdated(namespace, metadata, found.role, version);
    const { document } = checkTargets(metadata, found.role, found.delegator, version);
    const known = new Set(found.releases.map((it) => it.path));
    const added = releaseRecords(document, view.bins).filter((it) => !known.has(it.path));
    const files = new Map<string, ReleaseFiles>();
    for (const it of added)
      files.set(it.path, await this.#releaseFiles(it, statements.get(it.bundle.sha256)));
    return files;
  }

  /** Another process may have replaced the keys since this one read them. */
  #assertKeys(view: RegistryView): void {
    const { log, ...others } = this.#options.online;
    const missing = missingOnlineRoles(view, [...Object.values(others).flat(), registrySigner(log)]);
    if (missing.length === 0) return;
    throw new HostError(
      'unavailable',
      `this registry cannot publish now: its server has old keys for ${missing.join(', ')}`,
      { hint: 'its operator must start "toolwharf registry serve" again, with the new keys' },
    );
  }

  async #releaseFiles(record: ReleaseRecord, statements: string | undefined): Promise<ReleaseFiles> {
    const { name, version, bundle, path } = record;
    const archive = await this.#upload(bundle.sha256);
    if (statements === undefined || !isScreened(statements, bundle.sha256, this.#options.online.quarantine))
      throw new HostError('approval_required', `${name.text} ${version} was not checked by this registry`, {
        hint: 'send it to be screened first; "toolwharf publish" does that',
      });
    if (record.statements === undefined)
      throw new HostError(
        'usage',
        `the metadata of ${name.text} ${version} does not name ${statementsPath(path)}`,
      );
    return withArchive(archive, this.#options.formats, async ({ package: pkg }) => {
      const own = name.name ?? name.namespace;
      if (pkg === undefined || pkg.id !== own)
        throw new HostError('invalid_manifest', `the archive of ${name.text} is not a package named ${own}`);
      // The statement is about the archive, whatever the publisher calls it.
      if (pkg.version !== version)
        throw new HostError(
          'invalid_manifest',
          `the archive of ${name.text} ${version} is that of version ${pkg.version}`,
        );
      return { bundle: archive, statements: Buffer.from(statements), summary: summaryOfPackage(pkg) };
    });
  }

  async #upload(sha256: string): Promise<string> {
    const path = await this.#options.uploads.find(sha256);
    if (path !== undefined) return path;
    throw new HostError('not_found', `the archive ${sha256} is not here`, { hint: 'upload it first' });
  }

  #inTurnOf<T>({ name }: Sender, work: () => Promise<T>): Promise<T> {
    const result = (this.#unpacking.get(name) ?? Promise.resolve()).then(work);
    const done = result
      .catch(() => {})
      .finally(() => {
        if (this.#unpacking.get(name) === done) this.#unpacking.delete(name);
      });
    this.#unpacking.set(name, done);
    return result;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work, work);
    this.#last = result.catch(() => {});
    return result;
  }
}

function assertMayPublish({ role, namespaces, name }: Sender, namespace: string): void {
  if (role === 'publish' && namespaces.includes(namespace)) return;
  throw new HostError('denied', `the token ${name} may not publish in the namespace ${namespace}`, {
    hint: 'ask the operator of the registry for a token: toolwharf registry token create',
  });
}
