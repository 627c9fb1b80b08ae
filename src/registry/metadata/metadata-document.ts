// What the files of TUF 1.0 say, with the fields that this registry adds. Reading one checks its shape completely;
// signatures, versions and expiry are checked by those who use it.
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { parseRegistryKey, registryKeyId } from './registry-key.js';
import { damagedMetadata, type KeyTable, type RoleKeys, type SignedFile } from './signed-file.js';

export const specVersion = '1.0.31';

export type TopRole = 'root' | 'targets' | 'snapshot' | 'timestamp';
export const topRoles: readonly TopRole[] = ['root', 'targets', 'snapshot', 'timestamp'];

/** For how many days each kind of metadata is valid after it was signed. */
export interface ExpiryDays {
  readonly root: number;
  /** The role `targets` and the bins. */
  readonly targets: number;
  /** What publishers sign. */
  readonly namespaces: number;
  /** Snapshot, timestamp, index and quarantine. */
  readonly online: number;
}

export interface RootDocument {
  readonly version: number;
  readonly expires: string;
  readonly keys: KeyTable;
  readonly roles: Readonly<Record<TopRole, RoleKeys>>;
  /** The key of the transparency log, as in c2sp.org/signed-note. Its name is the origin of the log. */
  readonly logKey: string;
  /** Keys of witnesses, in the same form, and how many of them must have signed the head of the log. */
  readonly witnesses: { readonly keys: readonly string[]; readonly threshold: number };
  readonly days: ExpiryDays;
}

/** A file that other metadata vouches for. */
export interface FileEntry {
  readonly length: number;
  readonly sha256: string;
}

export interface TargetEntry extends FileEntry {
  readonly custom: JsonObject;
}

export interface Delegation extends RoleKeys {
  readonly name: string;
  readonly paths: readonly string[];
}

export interface TargetsDocument {
  /** The role that the file is for, so that it cannot be used as that of another one with the same key. */
  readonly role: string;
  readonly version: number;
  readonly expires: string;
  readonly targets: Readonly<Record<string, TargetEntry>>;
  readonly keys: KeyTable;
  readonly delegations: readonly Delegation[];
}

export interface SnapshotDocument {
  readonly version: number;
  readonly expires: string;
  /** The versions of all other files, by role. */
  readonly versions: ReadonlyMap<string, number>;
}

export interface TimestampDocument {
  readonly version: number;
  readonly expires: string;
  readonly snapshot: FileEntry & { readonly version: number };
  /** The signed note of the head of the transparency log. */
  readonly checkpoint: string;
}

const hex64 = /^[0-9a-f]{64}$/;
const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;
const roleName = /^[a-z][a-z0-9-]{0,62}$/;
const maxWitnesses = 32;

export function readRoot(file: SignedFile): RootDocument {
  const what = 'the root file';
  const { signed } = file;
  const head = headOf(signed, 'root', what);
  if (signed.consistent_snapshot !== true) throw damagedMetadata(what, 'it has no consistent snapshots');
  const keys = keysOf(signed.keys, what);
  const named = isObject(signed.roles) ? signed.roles : {};
  const roles = Object.fromEntries(
    topRoles.map((it) => [it, roleKeysOf(named[it], keys, `${what} for ${it}`)]),
  ) as Record<TopRole, RoleKeys>;
  // One stolen key must not be able to do the work of two roles.
  const used = topRoles.flatMap((it) => roles[it].keyids);
  if (new Set(used).size !== used.length) throw damagedMetadata(what, 'a key belongs to two roles');
  const own = isObject(signed['x-toolwharf']) ? signed['x-toolwharf'] : {};
  const witnesses = isObject(own.witnesses) ? own.witnesses : {};
  const witnessKeys = textsOf(witnesses.keys);
  if (typeof own.log !== 'string' || witnessKeys === undefined || witnessKeys.length > maxWitnesses)
    throw damagedMetadata(what, 'it does not name the transparency log');
  return {
    ...head,
    keys,
    roles,
    logKey: own.log,
    witnesses: { keys: witnessKeys, threshold: countOf(witnesses.threshold, what, 0) },
    days: daysOf(own.days, what),
  };
}

export function rootContent(root: Omit<RootDocument, 'roles'> & Pick<RootDocument, 'roles'>): JsonObject {
  return {
    ...headContent('root', root),
    consistent_snapshot: true,
    keys: root.keys as unknown as JsonObject,
    roles: root.roles as unknown as JsonObject,
    'x-toolwharf': {
      log: root.logKey,
      witnesses: root.witnesses as unknown as JsonObject,
      days: root.days as unknown as JsonObject,
    },
  };
}

export function readTargetsDocument(file: SignedFile, role: string): TargetsDocument {
  const what = `the file of the role ${role}`;
  const { signed } = file;
  const head = headOf(signed, 'targets', what);
  if (signed['x-role'] !== role)
    throw damagedMetadata(what, `it is for the role ${JSON.stringify(signed['x-role'] ?? null)}`);
  const targets: Record<string, TargetEntry> = {};
  for (const [path, value] of Object.entries(isObject(signed.targets) ? signed.targets : {})) {
    const entry = fileEntryOf(value, `${what}, target ${path}`);
    const custom = isObject(value) && isObject(value.custom) ? value.custom : {};
    targets[path] = { ...entry, custom };
  }
  const list = isObject(signed.delegations) ? signed.delegations : { keys: {}, roles: [] };
  const keys = keysOf(list.keys, what);
  const delegations = (Array.isArray(list.roles) ? (list.roles as readonly Json[]) : []).map((it) =>
    delegationOf(it, keys, what),
  );
  if (new Set(delegations.map((it) => it.name)).size !== delegations.length)
    throw damagedMetadata(what, 'it delegates to one role twice');
  return { role, ...head, targets, keys, delegations };
}

export function targetsContent(document: TargetsDocument): JsonObject {
  const targets = Object.fromEntries(
    Object.entries(document.targets).map(([path, { length, sha256, custom }]) => [
      path,
      { length, hashes: { sha256 }, ...(Object.keys(custom).length === 0 ? {} : { custom }) },
    ]),
  );
  const roles = document.delegations.map(({ name, keyids, threshold, paths }) => ({
    name,
    keyids,
    threshold,
    paths,
    terminating: true,
  }));
  return {
    ...headContent('targets', document),
    'x-role': document.role,
    targets,
    ...(roles.length === 0 ? {} : { delegations: { keys: document.keys as unknown as JsonObject, roles } }),
  };
}

export function readSnapshot(file: SignedFile): SnapshotDocument {
  const what = 'the snapshot file';
  const { signed } = file;
  const versions = new Map<string, number>();
  for (const [name, value] of Object.entries(isObject(signed.meta) ? signed.meta : {})) {
    const role = name.endsWith('.json') ? name.slice(0, -'.json'.length) : '';
    if (!roleName.test(role)) throw damagedMetadata(what, `it names the file ${JSON.stringify(name)}`);
    versions.set(role, countOf(isObject(value) ? value.version : undefined, what));
  }
  if (!versions.has('targets')) throw damagedMetadata(what, 'it does not name the targets file');
  return { ...headOf(signed, 'snapshot', what), versions };
}

export function snapshotContent(snapshot: SnapshotDocument): JsonObject {
  const meta = Object.fromEntries(
    [...snapshot.versions].map(([role, version]) => [`${role}.json`, { version }]),
  );
  return { ...headContent('snapshot', snapshot), meta };
}

export function readTimestamp(file: SignedFile): TimestampDocument {
  const what = 'the timestamp file';
  const { signed } = file;
  const entry = isObject(signed.meta) ? signed.meta['snapshot.json'] : undefined;
  const lines = textsOf(signed['x-checkpoint']);
  if (lines === undefined) throw damagedMetadata(what, 'it has no head of the transparency log');
  return {
    ...headOf(signed, 'timestamp', what),
    snapshot: {
      ...fileEntryOf(entry, what),
      version: countOf(isObject(entry) ? entry.version : undefined, what),
    },
    checkpoint: `${lines.join('\n')}\n`,
  };
}

export function timestampContent(timestamp: TimestampDocument): JsonObject {
  const { version, length, sha256 } = timestamp.snapshot;
  return {
    ...headContent('timestamp', timestamp),
    meta: { 'snapshot.json': { version, length, hashes: { sha256 } } },
    // Lines, because signed text has no control characters.
    'x-checkpoint': timestamp.checkpoint.split('\n').slice(0, -1),
  };
}

function headContent(type: TopRole, { version, expires }: { version: number; expires: string }): JsonObject {
  return { _type: type, spec_version: specVersion, version, expires };
}

function headOf(signed: JsonObject, type: TopRole, what: string): { version: number; expires: string } {
  if (signed._type !== type)
    throw damagedMetadata(what, `its type is ${JSON.stringify(signed._type ?? null)}`);
  if (typeof signed.spec_version !== 'string' || !/^1\.0(?:\.\d+)?$/.test(signed.spec_version))
    throw damagedMetadata(what, 'it is of another version of the specification');
  const { expires } = signed;
  if (typeof expires !== 'string' || !time.test(expires) || Number.isNaN(Date.parse(expires)))
    throw damagedMetadata(what, 'its time of expiry is not a time');
  return { version: countOf(signed.version, what), expires };
}

function keysOf(value: Json | undefined, what: string): KeyTable {
  if (!isObject(value)) throw damagedMetadata(what, 'it has no keys');
  for (const [id, it] of Object.entries(value)) {
    const key = parseRegistryKey(it);
    if (key === undefined) throw damagedMetadata(what, 'a key is not an Ed25519 key');
    if (registryKeyId(key) !== id) throw damagedMetadata(what, 'a key has the id of another one');
  }
  return value as unknown as KeyTable;
}

function roleKeysOf(value: Json | undefined, keys: KeyTable, what: string): RoleKeys {
  const keyids = isObject(value) ? textsOf(value.keyids) : undefined;
  const threshold = countOf(isObject(value) ? value.threshold : undefined, what);
  if (keyids === undefined || new Set(keyids).size !== keyids.length)
    throw damagedMetadata(what, 'a role has no list of keys');
  if (!keyids.every((it) => Object.hasOwn(keys, it)))
    throw damagedMetadata(what, 'a role names a key that is missing');
  if (threshold > keyids.length) throw damagedMetadata(what, 'a role needs more signatures than it has keys');
  return { keyids, threshold };
}

function delegationOf(value: Json, keys: KeyTable, what: string): Delegation {
  const { name, terminating } = isObject(value) ? value : {};
  const paths = isObject(value) ? textsOf(value.paths) : undefined;
  if (typeof name !== 'string' || !roleName.test(name) || (topRoles as readonly string[]).includes(name))
    throw damagedMetadata(what, 'it delegates to a role without a valid name');
  if (paths === undefined || terminating !== true)
    throw damagedMetadata(what, `it does not say what it delegates to ${name}`);
  return { name, paths, ...roleKeysOf(value, keys, what) };
}

function fileEntryOf(value: Json | undefined, what: string): FileEntry {
  const hashes = isObject(value) && isObject(value.hashes) ? value.hashes : {};
  const { sha256 } = hashes;
  if (typeof sha256 !== 'string' || !hex64.test(sha256)) throw damagedMetadata(what, 'a hash is missing');
  // Other clients check all hashes of a file, so one that nobody checks here would mean two different things.
  if (Object.keys(hashes).length > 1) throw damagedMetadata(what, 'it has a hash that is not SHA-256');
  return { length: countOf(isObject(value) ? value.length : undefined, what, 0), sha256 };
}

function daysOf(value: Json | undefined, what: string): ExpiryDays {
  const it = isObject(value) ? value : {};
  return {
    root: countOf(it.root, what),
    targets: countOf(it.targets, what),
    namespaces: countOf(it.namespaces, what),
    online: countOf(it.online, what),
  };
}

function countOf(value: Json | undefined, what: string, least = 1): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
  throw damagedMetadata(what, 'a number is missing or too small');
}

function textsOf(value: Json | undefined): readonly string[] | undefined {
  return Array.isArray(value) && value.every((it) => typeof it === 'string')
    ? (value as string[])
    : undefined;
}
