// One registry as a client uses it: its state is updated and checked first, and only then kept or used.

import { sha256 } from '../../files/sha256.js';
import { HostError } from '../../model/host-error.js';
import { readLogEntry } from '../log/log-entry.js';
import { type LogHead, openLogHead } from '../log/log-head.js';
import { maxProofBytes, proofFile, readReleaseProof } from '../log/log-proof.js';
import { assertLogGrew, assertLogged, LogReader } from '../log/log-reader.js';
import { logLeaf } from '../log/log-tiles.js';
import { targetFile } from '../names/package-name.js';
import type { QuarantinedRelease } from '../names/quarantine-list.js';
import type { ReleaseRecord } from '../names/release-record.js';
import type { RegistryTransport } from '../transport/registry-transport.js';
import { firstRoot } from './first-root.js';
import type { RegistryStore } from './registry-store.js';
import { quarantineEntryOf, quarantineOf } from './registry-targets.js';
import { RegistryView } from './registry-view.js';
import type { ReleaseStatements } from './release-statements.js';

/** How a client knows the first root: the file itself, or the SHA-256 of `metadata/1.root.json`. */
export type RootTrust = { readonly file: Buffer } | { readonly fingerprint: string };

export interface RegistryClientOptions {
  /** As the operator calls it. */
  readonly name: string;
  readonly transport: RegistryTransport;
  readonly root: RootTrust;
  readonly store: RegistryStore;
  readonly now: () => number;
  readonly acceptExpired: boolean;
}

/** A verified state of a registry. */
export interface RegistryState {
  readonly registry: string;
  readonly view: RegistryView;
  /** Files that were used although they have expired; only with `acceptExpired`. */
  readonly expired: readonly string[];
  /** The releases that the registry warns about. */
  readonly quarantine: readonly QuarantinedRelease[];
}

/** A release of a verified state, with what its registry says about it now. */
export interface FoundRelease {
  readonly registry: string;
  readonly release: ReleaseRecord;
  readonly quarantined: QuarantinedRelease | undefined;
}

/** As for archives from everywhere else. */
const maxArchiveBytes = 512 * 1024 * 1024;

export class RegistryClient {
  readonly name: string;
  readonly #options: RegistryClientOptions;

  constructor(options: RegistryClientOptions) {
    this.name = options.name;
    this.#options = options;
  }

  get store(): RegistryStore {
    return this.#options.store;
  }

  /** Reads the newest state. Nothing is stored before every check of it has passed. */
  async update(): Promise<RegistryState> {
    const { transport, store, now, acceptExpired, name } = this.#options;
    const trusted = store.trusted(this.#knowsRoot() ? undefined : await this.firstRoot());
    const view = await RegistryView.open({ transport, trusted, now: now(), acceptExpired });
    const quarantine = await this.#quarantine(view);
    this.#keep(view, { quarantine });
    return { registry: name, view, expired: view.expired, quarantine: quarantine.releases };
  }

  /** All releases in the namespace of a package. Undefined: this registry does not have the namespace. */
  async namespace(
    { view, quarantine }: RegistryState,
    namespace: string,
  ): Promise<readonly FoundRelease[] | undefined> {
    const found = await view.namespace(namespace);
    if (found === undefined) return undefined;
    this.#keep(view, { releases: found.releases });
    return found.releases.map((release) => ({
      registry: this.name,
      release,
      quarantined: quarantine.find((it) => it.name === release.name.text && it.version === release.version),
    }));
  }

  /** Copies the archive of a release to a path, after a check that the release is in the transparency log. */
  async fetch({ view }: RegistryState, release: ReleaseRecord, target: string): Promise<void> {
    const { length } = release.bundle;
    if (length > maxArchiveBytes)
      throw new HostError(
        'output_too_large',
        `the archive of ${release.name.text} ${release.version} has ${length.toLocaleString('en')} bytes, and at most ${maxArchiveBytes.toLocaleString('en')} are read`,
        { hint: 'ask its publisher for a smaller one' },
      );
    await assertReleaseLogged(view, release);
    await view.transport.fetch(targetFile(release.path, release.bundle.sha256), release.bundle, target);
  }

  /** The newest head of the log that this machine has seen; undefined: none yet. */
  get head(): LogHead | undefined {
    return this.#options.store.head;
  }

  /** Compares the log with a head that somebody else has seen. Throws with both heads if they contradict each other. */
  compareHead({ view }: RegistryState, note: string): Promise<LogHead> {
    return compareWithHead(view, note);
  }

  #keep(view: RegistryView, said: ReleaseStatements): void {
    const { store, now } = this.#options;
    const seen = new Date(now()).toISOString();
    store.keep(view.trusted, { seen, firstRoot: this.#configuredRoot, said });
  }

  /** The SHA-256 of the root file that the operator configured. */
  get #configuredRoot(): string {
    const { root } = this.#options;
    return 'file' in root ? sha256(root.file) : root.fingerprint;
  }

  /**
   * Whether this machine knows a root that follows from the configured one. Throws if what it knows began with another root:
   * the operator changed the configuration then, and the old root must not be trusted on.
   */
  #knowsRoot(): boolean {
    const { store, root, name } = this.#options;
    const configured = this.#configuredRoot;
    const [stored, first] = [store.root, store.firstRoot];
    if (stored === undefined || first === undefined) return false;
    // Also the newest root file of the same registry may be configured.
    if (first === configured || ('file' in root && root.file.equals(stored))) return true;
    throw new HostError(
      'integrity',
      `the configuration names another root for the registry ${name} than this machine has trusted so far: ${configured} instead of ${first}`,
      {
        hint: `if you did not change it, ask the operator of the registry which one is right; if the registry was made anew, delete ${store.path}, or give it another name in the configuration`,
      },
    );
  }

  /** The list is read again only if it changed. */
  async #quarantine(view: RegistryView): Promise<NonNullable<ReleaseStatements['quarantine']>> {
    const hash = (await quarantineEntryOf(view))?.sha256 ?? '';
    const known = this.#options.store.quarantine(hash);
    return { sha256: hash, releases: known ?? (await quarantineOf(view)) };
  }

  /** The first root file, which the operator trusts. */
  async firstRoot(): Promise<Buffer> {
    const { root, transport, name } = this.#options;
    if ('file' in root) return root.file;
    return firstRoot(
      transport,
      root.fingerprint,
      `check the address of the registry ${name} in the configuration`,
    );
  }
}

/** Compares the log of a state with a head that somebody else has seen. Throws with both heads if they contradict each other. */
export async function compareWithHead(view: RegistryView, note: string): Promise<LogHead> {
  const other = openLogHead(note, { ...view.root.document, witnesses: { keys: [], threshold: 0 } });
  if (other.size <= view.head.size) await assertLogGrew(other, view.head, view.log);
  else await assertLogGrew(view.head, other, new LogReader(other.size, view.readLog));
  return other;
}

/** Throws unless the log of the registry says exactly this about a release. */
export async function assertReleaseLogged(view: RegistryView, release: ReleaseRecord): Promise<void> {
  const what = `${release.name.text} ${release.version}`;
  const bytes = await view.transport.read(proofFile(release.path), maxProofBytes);
  if (bytes === undefined)
    throw new HostError('integrity', `the registry has no proof that ${what} is in its transparency log`, {
      hint: 'do not use it, and tell the operator of the registry',
    });
  const { index, entry } = readReleaseProof(bytes.toString('utf8'));
  const said = readLogEntry(entry);
  const { sha256: hash, length } = release.bundle;
  if (
    said?.kind !== 'publish' ||
    said.name !== release.name.text ||
    said.version !== release.version ||
    said.sha256 !== hash ||
    said.length !== length ||
    said.statements !== release.statements?.sha256
  )
    throw new HostError('integrity', `the transparency log says something else about ${what}`, {
      hint: 'do not use it, and tell the operator of the registry',
    });
  await assertLogged(logLeaf(entry), index, view.head, view.log, what);
}
