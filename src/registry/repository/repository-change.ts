// Collects what one change of a registry writes, and signs what belongs to every change: index, quarantine, log, snapshot
// and timestamp. Publishing the files is the last step.
import { gzipSync } from 'node:zlib';
import { sha256 } from '../../files/sha256.js';
import { signCheckpoint } from '../../store/checkpoint.js';
import { indexPath, quarantineOf, summariesOf } from '../client/registry-targets.js';
import type { RegistryView } from '../client/registry-view.js';
import { type LogEntry, writeLogEntry } from '../log/log-entry.js';
import { growLog } from '../log/log-growth.js';
import { type LogTrust, openLogHead } from '../log/log-head.js';
import { proofFile, writeReleaseProof } from '../log/log-proof.js';
import { LogReader } from '../log/log-reader.js';
import {
  type ExpiryDays,
  type RootDocument,
  snapshotContent,
  type TargetEntry,
  type TargetsDocument,
  targetsContent,
  timestampContent,
} from '../metadata/metadata-document.js';
import type { RegistrySigner } from '../metadata/registry-key.js';
import { writeSignedFile } from '../metadata/signed-file.js';
import { targetFile, twinKey } from '../names/package-name.js';
import { type QuarantinedRelease, quarantinePath, writeQuarantine } from '../names/quarantine-list.js';
import { type ReleaseSummary, storedSummary, writeSummaries } from '../names/release-summary.js';
import type { NewFile } from './pending-files.js';
import type { OnlineSigners } from './repository-signers.js';

export interface RepositoryChangeOptions {
  readonly signers: OnlineSigners;
  readonly now: number;
  /** Adds signatures of witnesses to the head of the log. Default: none. */
  readonly cosign?: ((note: string) => Promise<string>) | undefined;
}

interface NewRole {
  readonly document: TargetsDocument;
  readonly bytes: Buffer;
}

const dayMs = 24 * 60 * 60 * 1000;

export class RepositoryChange {
  readonly view: RegistryView;
  readonly now: number;
  readonly #options: RepositoryChangeOptions;
  readonly #roles = new Map<string, NewRole>();
  readonly #files = new Map<string, NewFile>();
  readonly #log: LogEntry[] = [];
  /** By the path of the release: which entry of this change is its own. */
  readonly #releases = new Map<string, number>();
  /** By bin, then by name. */
  readonly #summaries = new Map<string, Map<string, ReleaseSummary>>();
  /** By bin, then by name. */
  readonly #latest = new Map<string, Map<string, string>>();
  #twins: Map<string, string> | undefined;
  /** Undefined: this change does not touch it. */
  #quarantine: readonly QuarantinedRelease[] | undefined;
  #oldQuarantine: Promise<readonly QuarantinedRelease[]> | undefined;

  constructor(view: RegistryView, options: RepositoryChangeOptions) {
    this.view = view;
    this.now = options.now;
    this.#options = options;
  }

  /** The time of the change, as metadata writes it. */
  get time(): string {
    return timeText(this.now);
  }

  expires(kind: keyof ExpiryDays): string {
    return timeText(this.now + this.view.root.document.days[kind] * dayMs);
  }

  /** A role as this change leaves it; undefined: this change does not touch it. */
  changedRole(name: string): TargetsDocument | undefined {
    return this.#roles.get(name)?.document;
  }

  /** The roles that this change signs, besides snapshot and timestamp. */
  get changedRoles(): readonly string[] {
    return [...this.#roles.keys()];
  }

  /** One of the roles that the targets file delegates to, as this change leaves it. */
  async delegated(name: string): Promise<TargetsDocument | undefined> {
    return this.changedRole(name) ?? (await this.view.delegated(name))?.document;
  }

  /** The namespaces by what they look like, so that no new one can be mistaken for another. */
  async twins(): Promise<ReadonlyMap<string, string>> {
    if (this.#twins !== undefined) return this.#twins;
    const names: string[] = [];
    for (const { name } of this.view.targets.document.delegations)
      if (name.startsWith('bin-'))
        for (const it of (await this.delegated(name))?.delegations ?? [])
          names.push(it.paths[0]?.split('/')[1] ?? '');
    this.#twins = new Map(names.map((it) => [twinKey(it), it]));
    return this.#twins;
  }

  addTwin(namespace: string): void {
    this.#twins?.set(twinKey(namespace), namespace);
  }

  setRole(document: TargetsDocument, bytes: Buffer): void {
    this.#roles.set(document.role, { document, bytes });
  }

  signRole(document: TargetsDocument, signers: readonly RegistrySigner[]): void {
    this.setRole(document, writeSignedFile(targetsContent(document), signers));
  }

  /** A new file, which nothing that was published before has. */
  addFile(path: string, content: NewFile): void {
    this.#files.set(path, content);
  }

  record(entry: LogEntry): void {
    this.#log.push(entry);
  }

  /** Records a release, which gets the proof that it is in the log. */
  recordRelease(path: string, entry: LogEntry): void {
    this.#releases.set(path, this.#log.length);
    this.#log.push(entry);
  }

  describe(bin: string, summary: ReleaseSummary): void {
    const part = this.#summaries.get(bin) ?? new Map<string, ReleaseSummary>();
    this.#summaries.set(bin, part.set(summary.name, storedSummary(summary)));
  }

  /** Which version of a package people get who name none. */
  setLatest(bin: string, name: string, version: string): void {
    const part = this.#latest.get(bin) ?? new Map<string, string>();
    this.#latest.set(bin, part.set(name, version));
  }

  async quarantine(): Promise<readonly QuarantinedRelease[]> {
    this.#oldQuarantine ??= quarantineOf(this.view);
    return this.#quarantine ?? this.#oldQuarantine;
  }

  setQuarantine(releases: readonly QuarantinedRelease[]): void {
    this.#quarantine = releases;
  }

  /** All files of the change in the order in which they are published. `root`: that of a rotation. */
  async files({ root }: { readonly root?: RootDocument } = {}): Promise<Map<string, NewFile>> {
    const { signers } = this.#options;
    await this.#changeIndex();
    await this.#changeQuarantine();
    const files = new Map<string, NewFile>(this.#files);
    const checkpoint = await this.#growLog(files, root ?? this.view.root.document);
    const versions = new Map(this.view.snapshot.document.versions);
    for (const [role, { document, bytes }] of this.#roles) {
      versions.set(role, document.version);
      files.set(`metadata/${document.version}.${role}.json`, bytes);
    }
    const version = this.view.snapshot.document.version + 1;
    const snapshot = writeSignedFile(
      snapshotContent({ version, expires: this.expires('online'), versions }),
      signers.snapshot,
    );
    files.set(`metadata/${version}.snapshot.json`, snapshot);
    const timestamp = timestampContent({
      version: this.view.timestamp.document.version + 1,
      expires: this.expires('online'),
      snapshot: { version, length: snapshot.length, sha256: sha256(snapshot) },
      checkpoint,
    });
    // From here on, readers see the change.
    files.set('metadata/timestamp.json', writeSignedFile(timestamp, signers.timestamp));
    files.set('log/checkpoint', Buffer.from(checkpoint));
    return files;
  }

  async #growLog(files: Map<string, NewFile>, trust: LogTrust): Promise<string> {
    const { view } = this;
    const { signers, cosign } = this.#options;
    const entries = this.#log.map(writeLogEntry);
    const growth = await growLog(view.head, entries, view.readLog);
    for (const [path, bytes] of growth.files) files.set(`log/${path}`, bytes);
    const root = growth.root.toString('base64');
    const { note } = signCheckpoint({ origin: view.head.origin, size: growth.size, root }, signers.log);
    const read = async (path: string, maxBytes: number) =>
      growth.files.get(path) ?? (await view.readLog(path, maxBytes));
    const reader = new LogReader(growth.size, read);
    for (const [path, number] of this.#releases) {
      const index = view.head.size + number;
      const hashes = await reader.inclusionProof(index);
      const proof = writeReleaseProof({ index, entry: entries[number] as Buffer, hashes, note });
      files.set(proofFile(path), Buffer.from(proof));
    }
    const checkpoint = cosign === undefined ? note : await cosign(note);
    openLogHead(checkpoint, trust);
    return checkpoint;
  }

  async #changeIndex(): Promise<void> {
    const changes = new Map<string, Buffer>();
    const old = (await this.view.delegated('index'))?.document;
    for (const bin of new Set([...this.#summaries.keys(), ...this.#latest.keys()])) {
      const path = indexPath(bin);
      const all = await summariesOf(this.view, path, old?.targets[path]);
      for (const [name, summary] of this.#summaries.get(bin) ?? []) all.set(name, summary);
      for (const [name, version] of this.#latest.get(bin) ?? []) {
        const known = all.get(name);
        if (known !== undefined) all.set(name, { ...known, version });
      }
      changes.set(path, gzipSync(writeSummaries(all), { level: 9 }));
    }
    if (changes.size > 0 || this.#isAging(old)) this.#changeOnline('index', old, changes);
  }

  async #changeQuarantine(): Promise<void> {
    const old = (await this.view.delegated('quarantine'))?.document;
    const changes = new Map<string, Buffer>();
    if (this.#quarantine !== undefined) changes.set(quarantinePath, writeQuarantine(this.#quarantine));
    if (changes.size > 0 || this.#isAging(old)) this.#changeOnline('quarantine', old, changes);
  }

  /** Files of the registry's own roles are renewed after half of their time. */
  #isAging(document: TargetsDocument | undefined): boolean {
    if (document === undefined) return false;
    return Date.parse(document.expires) - this.now < (this.view.root.document.days.online * dayMs) / 2;
  }

  #changeOnline(
    role: 'index' | 'quarantine',
    old: TargetsDocument | undefined,
    changes: ReadonlyMap<string, Buffer>,
  ): void {
    const targets: Record<string, TargetEntry> = { ...old?.targets };
    for (const [path, bytes] of changes) {
      const hash = sha256(bytes);
      targets[path] = { length: bytes.length, sha256: hash, custom: {} };
      this.addFile(targetFile(path, hash), bytes);
    }
    const document: TargetsDocument = {
      role,
      version: (old?.version ?? 0) + 1,
      expires: this.expires('online'),
      targets,
      keys: {},
      delegations: [],
    };
    this.signRole(document, this.#options.signers[role]);
  }
}

export function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
