// One verified state of a registry: the client workflow of TUF 1.0, from a trusted root to the namespaces that somebody
// asks for. The view stores nothing; `trusted` says what its caller may keep once every check has passed.
import { HostError } from '../../model/host-error.js';
import { type LogHead, openLogHead } from '../log/log-head.js';
import { assertLogGrew, LogReader } from '../log/log-reader.js';
import {
  assertFile,
  type Checked,
  checkFirstRoot,
  checkNextRoot,
  checkSnapshot,
  checkTargets,
  checkTimestamp,
  type Delegator,
  delegatorOf,
  isExpired,
  keysChanged,
  metadataLimits,
  topTargetsDelegator,
} from '../metadata/metadata-check.js';
import {
  type Delegation,
  type FileEntry,
  type RootDocument,
  readSnapshot,
  readTargetsDocument,
  readTimestamp,
  type SnapshotDocument,
  type TargetsDocument,
  type TimestampDocument,
} from '../metadata/metadata-document.js';
import { readSignedFile } from '../metadata/signed-file.js';
import { binOf, binPattern, binRole, namespacePattern, targetFile } from '../names/package-name.js';
import { assertReleasesKept } from '../names/release-changes.js';
import { type ReleaseRecord, releaseRecords } from '../names/release-record.js';
import type { RegistryTransport } from '../transport/registry-transport.js';
import { ownKeys } from './separate-keys.js';
import type { NewTrust, TrustedFiles, ViewOptions } from './trusted-files.js';

/** A namespace with the keys that may sign it. */
export interface NamespaceView {
  readonly namespace: string;
  readonly role: string;
  readonly delegation: Delegation;
  readonly delegator: Delegator;
  /** Undefined: nothing was published yet. */
  readonly file: Checked<TargetsDocument> | undefined;
  readonly releases: readonly ReleaseRecord[];
}

const maxRoots = 1024;

export class RegistryView {
  readonly root: Checked<RootDocument>;
  readonly timestamp: Checked<TimestampDocument>;
  readonly snapshot: Checked<SnapshotDocument>;
  readonly targets: Checked<TargetsDocument>;
  readonly head: LogHead;
  /** Reads the transparency log at the size of `head`. */
  readonly log: LogReader;
  /** A power of two. */
  readonly bins: number;
  readonly transport: RegistryTransport;
  readonly #options: ViewOptions;
  readonly #roles = new Map<string, Checked<TargetsDocument>>();
  readonly #expired: string[];

  private constructor(
    options: ViewOptions,
    parts: Pick<RegistryView, 'root' | 'timestamp' | 'snapshot' | 'targets' | 'head' | 'log'>,
    expired: string[],
  ) {
    this.#options = options;
    this.transport = options.transport;
    this.root = parts.root;
    this.timestamp = parts.timestamp;
    this.snapshot = parts.snapshot;
    this.targets = parts.targets;
    this.head = parts.head;
    this.log = parts.log;
    this.bins = binCount(parts.targets.document);
    this.#expired = expired;
    this.#roles.set('targets', parts.targets);
  }

  static async open(options: ViewOptions): Promise<RegistryView> {
    const { transport, trusted } = options;
    const expired: string[] = [];
    const { root, isRenewed } = await newestRoot(options);
    checkExpiry('the root file', root.document, options, expired);

    // With new keys for them, older files say nothing: this is how a registry recovers from versions that are too high.
    const before = isRenewed ? undefined : oldFiles(trusted);
    const timestampBytes = await required(transport, 'metadata/timestamp.json', metadataLimits.timestamp);
    const timestamp = checkTimestamp(timestampBytes, root, before?.timestamp);
    checkExpiry('the timestamp file', timestamp.document, options, expired);

    const head = openLogHead(timestamp.document.checkpoint, root.document);
    const log = new LogReader(head.size, (path, maxBytes) => transport.read(`log/${path}`, maxBytes));
    if (trusted.head !== undefined) await assertLogGrew(trusted.head, head, log);

    const { version, length } = timestamp.document.snapshot;
    const known = before?.snapshot;
    const snapshotBytes =
      known?.document.version === version
        ? known.bytes
        : await required(
            transport,
            `metadata/${version}.snapshot.json`,
            Math.min(length, metadataLimits.snapshot),
          );
    const snapshot = checkSnapshot(snapshotBytes, { root, timestamp }, known);
    checkExpiry('the snapshot file', snapshot.document, options, expired);

    const targets = await readRole('targets', topTargetsDelegator(root), snapshot.document, options);
    if (targets === undefined) throw new Error('a snapshot always names the targets file');
    checkExpiry('the targets file', targets.document, options, expired);
    ownKeys(root.document, targets.document);
    return new RegistryView(options, { root, timestamp, snapshot, targets, head, log }, expired);
  }

  /** Which files were used although they have expired. */
  get expired(): readonly string[] {
    return this.#expired;
  }

  /** What may be kept: everything that was read and checked so far. */
  get trusted(): NewTrust {
    return {
      root: this.root.bytes,
      timestamp: this.timestamp.bytes,
      snapshot: this.snapshot.bytes,
      versions: {
        root: this.root.document.version,
        timestamp: this.timestamp.document.version,
        snapshot: this.snapshot.document.version,
      },
      head: this.head,
      roles: new Map(
        [...this.#roles].map(([role, { document, bytes }]) => [role, { version: document.version, bytes }]),
      ),
    };
  }

  /** A file of the log. */
  readonly readLog = (path: string, maxBytes: number): Promise<Buffer | undefined> =>
    this.transport.read(`log/${path}`, maxBytes);

  /** A small target, such as a part of the index. */
  async readTarget(path: string, entry: FileEntry, maxBytes: number): Promise<Buffer> {
    const file = targetFile(path, entry.sha256);
    const bytes = await required(this.transport, file, Math.min(entry.length, maxBytes));
    assertFile(bytes, entry, file);
    return bytes;
  }

  /** One of the roles that the targets file delegates to; undefined: it has no file yet. */
  async delegated(role: string): Promise<Checked<TargetsDocument> | undefined> {
    const { document } = this.targets;
    const delegation = document.delegations.find((it) => it.name === role);
    return delegation === undefined ? undefined : this.#role(role, delegatorOf(document, delegation));
  }

  /** Undefined: nobody was approved for this namespace. */
  async namespace(namespace: string): Promise<NamespaceView | undefined> {
    const bin = await this.delegated(binRole(binOf(namespace, this.bins)));
    const pattern = namespacePattern(namespace, this.bins);
    const delegation = bin?.document.delegations.find(
      (it) => it.paths.length === 1 && it.paths[0] === pattern,
    );
    if (bin === undefined || delegation === undefined) return undefined;
    const { name: role } = delegation;
    const delegator = delegatorOf(bin.document, delegation);
    const file = await this.#role(role, delegator);
    const releases = file === undefined ? [] : releaseRecords(file.document, this.bins);
    for (const it of releases)
      if (it.name.namespace !== namespace)
        throw new HostError(
          'integrity',
          `the role ${role} names releases of ${it.name.namespace}, which are not its own`,
        );
    return { namespace, role, delegation, delegator, file, releases };
  }

  async #role(role: string, delegator: Delegator): Promise<Checked<TargetsDocument> | undefined> {
    const known = this.#roles.get(role);
    if (known !== undefined) return known;
    const found = await readRole(role, delegator, this.snapshot.document, this.#options);
    if (found === undefined) return undefined;
    checkExpiry(`the file of the role ${role}`, found.document, this.#options, this.#expired);
    this.#roles.set(role, found);
    return found;
  }
}

async function newestRoot({
  transport,
  trusted,
}: ViewOptions): Promise<{ root: Checked<RootDocument>; isRenewed: boolean }> {
  let root = checkFirstRoot(trusted.root);
  let isRenewed = false;
  for (let count = 0; count < maxRoots; count++) {
    const bytes = await transport.read(
      `metadata/${root.document.version + 1}.root.json`,
      metadataLimits.root,
    );
    if (bytes === undefined) return { root, isRenewed };
    const next = checkNextRoot(bytes, root);
    isRenewed ||= (['timestamp', 'snapshot'] as const).some((it) =>
      keysChanged(root.document.roles[it], next.document.roles[it]),
    );
    root = next;
  }
  throw new HostError('integrity', `the registry has more than ${maxRoots} new root files`);
}

/** Files of this machine, which were checked when they were stored. */
function oldFiles({
  timestamp,
  snapshot,
}: TrustedFiles): { timestamp: Checked<TimestampDocument>; snapshot: Checked<SnapshotDocument> } | undefined {
  if (timestamp === undefined || snapshot === undefined) return undefined;
  return {
    timestamp: {
      document: readTimestamp(readSignedFile(timestamp, 'the stored timestamp')),
      bytes: timestamp,
    },
    snapshot: { document: readSnapshot(readSignedFile(snapshot, 'the stored snapshot')), bytes: snapshot },
  };
}

/** Undefined: the snapshot does not name the role. */
async function readRole(
  role: string,
  delegator: Delegator,
  snapshot: SnapshotDocument,
  { transport, trusted }: ViewOptions,
): Promise<Checked<TargetsDocument> | undefined> {
  const version = snapshot.versions.get(role);
  if (version === undefined) return undefined;
  const known = trusted.role(role);
  const old =
    known === undefined ? undefined : readTargetsDocument(readSignedFile(known, `the file of ${role}`), role);
  const bytes =
    known !== undefined && old?.version === version
      ? known
      : await required(transport, `metadata/${version}.${role}.json`, metadataLimits.targets);
  const checked = checkTargets(bytes, role, delegator, version);
  if (old !== undefined) assertReleasesKept(old, checked.document);
  return checked;
}

async function required(transport: RegistryTransport, path: string, maxBytes: number): Promise<Buffer> {
  const bytes = await transport.read(path, maxBytes);
  if (bytes !== undefined) return bytes;
  throw new HostError('integrity', `the registry at ${transport.place} has no ${path}`, {
    hint: 'check the address or folder; a copy that is not whole must be made again; otherwise tell the operator of the registry',
  });
}

function checkExpiry(
  what: string,
  document: { readonly expires: string },
  { now, acceptExpired, transport }: ViewOptions,
  expired: string[],
): void {
  if (!isExpired(document, now)) return;
  const text = `${what} expired at ${document.expires}`;
  if (acceptExpired !== true)
    throw new HostError(
      'integrity',
      `the copy of the registry at ${transport.place} is too old: ${text}, and it is ${new Date(now).toISOString()} here`,
      {
        hint: 'check the clock of this machine; ask the operator of the registry to renew it; to use an offline copy, set accept_expired for this registry',
      },
    );
  expired.push(text);
}

/** The targets file delegates to a number of bins, a power of two, and to roles of the registry itself. */
function binCount({ delegations }: TargetsDocument): number {
  const bins = delegations.filter((it) => it.name.startsWith('bin-'));
  const isPower = bins.length > 0 && bins.length <= 256 && Number.isInteger(Math.log2(bins.length));
  const isRegular = bins.every(({ name, paths }, index) => {
    const bin = index.toString(16).padStart(2, '0');
    return name === binRole(bin) && paths.length === 1 && paths[0] === binPattern(bin);
  });
  if (isPower && isRegular) return bins.length;
  throw new HostError('integrity', 'the targets file of the registry does not describe its bins');
}
