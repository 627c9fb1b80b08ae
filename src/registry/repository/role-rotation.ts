// New keys for a role. The files of the change are signed with the old keys, if they are still there, and with the new
// ones. So they are valid before and after the new root file appears, and readers never see a state between.
import { createPublicKey, type KeyObject } from 'node:crypto';
import { HostError } from '../../model/host-error.js';
import { signNote, verifierKeyText } from '../../store/signed-note.js';
import {
  type RootDocument,
  rootContent,
  type TargetsDocument,
  type TopRole,
  targetsContent,
  topRoles,
} from '../metadata/metadata-document.js';
import { type RegistrySigner, registryKeyText } from '../metadata/registry-key.js';
import { writeSignedFile } from '../metadata/signed-file.js';
import { enoughSigners } from './namespace-approval.js';
import { keyTable, type RoleSigners, roleKeys } from './new-repository.js';
import type { NewFile } from './pending-files.js';
import type { RegistryRepository } from './registry-repository.js';
import { RepositoryChange } from './repository-change.js';
import { type OnlineSigners, signersFor } from './repository-signers.js';

export interface Rotation {
  /** `log`: the key that signs the transparency log; its name and history stay. */
  readonly role: TopRole | 'log' | 'index' | 'quarantine';
  /** The new keys. For `log`: none. */
  readonly next?: RoleSigners | undefined;
  readonly nextLog?: KeyObject | undefined;
  /** Holders of the root keys of today; for a new root role, enough of the old ones. */
  readonly rootSigners: readonly RegistrySigner[];
  /** Holders of the targets keys of today. Needed for `targets`, `index` and `quarantine`. */
  readonly targetsSigners: readonly RegistrySigner[];
  readonly online: OnlineSigners;
  readonly now: number;
}

export async function rotateRole(repository: RegistryRepository, rotation: Rotation): Promise<void> {
  await repository.exclusive(async () => {
    const view = await repository.view();
    const signers = onlineAfter(rotation);
    const change = new RepositoryChange(view, {
      signers,
      now: rotation.now,
      cosign: oldLogSignature(rotation, view.head.origin),
    });
    if (rotation.role === 'targets') await renewTargets(change, rotation, rotation.next);
    if (rotation.role === 'index' || rotation.role === 'quarantine')
      await renewTargets(change, rotation, undefined);
    const keys =
      rotation.role === 'log'
        ? [keyTextOf(rotation.nextLog)]
        : (rotation.next?.signers ?? []).map((it) => registryKeyText(it.key));
    change.record({
      kind: 'keys',
      of: rotation.role,
      keys: keys.sort(),
      threshold: rotation.next?.threshold ?? 1,
      time: change.time,
    });
    const root =
      rotation.role === 'index' || rotation.role === 'quarantine' ? undefined : nextRoot(change, rotation);
    const files = await change.files(root === undefined ? {} : { root });
    await repository.publish(
      root === undefined ? files : withRoot(files, root, rotation, view.root.document),
    );
  });
}

/** Signs the targets file and the bins again, with the same content: for new keys, or before they expire. */
export async function renewTargets(
  change: RepositoryChange,
  rotation: Pick<Rotation, 'role' | 'targetsSigners' | 'next' | 'online'>,
  next: RoleSigners | undefined,
): Promise<void> {
  const { view } = change;
  const { document } = view.targets;
  const old = rotation.targetsSigners;
  const all = [...old, ...(next?.signers ?? [])];
  const role = rotation.role;
  const delegations = document.delegations.map((it) => {
    if (next !== undefined && it.name.startsWith('bin-')) return { ...it, ...roleKeys(next) };
    return it.name === role && rotation.next !== undefined ? { ...it, ...roleKeys(rotation.next) } : it;
  });
  const used = new Set(delegations.flatMap((it) => it.keyids));
  const keys = { ...document.keys, ...keyTable(rotation.next?.signers ?? []) };
  change.setRole(
    ...signedBy(
      {
        ...document,
        version: document.version + 1,
        expires: change.expires('targets'),
        keys: Object.fromEntries(Object.entries(keys).filter(([id]) => used.has(id))),
        delegations,
      },
      next === undefined ? enoughSigners(view.root.document.roles.targets, old, 'the targets file') : all,
    ),
  );
  for (const { name } of document.delegations) {
    const bin = name.startsWith('bin-') ? (await view.delegated(name))?.document : undefined;
    if (bin === undefined) continue;
    change.setRole(
      ...signedBy({ ...bin, version: bin.version + 1, expires: change.expires('targets') }, all),
    );
  }
  for (const name of ['index', 'quarantine'] as const) {
    if (role !== name) continue;
    const own = (await view.delegated(name))?.document;
    if (own !== undefined)
      change.signRole(
        { ...own, version: own.version + 1, expires: change.expires('online') },
        rotation.next?.signers ?? [],
      );
  }
}

function signedBy(document: TargetsDocument, signers: readonly RegistrySigner[]): [TargetsDocument, Buffer] {
  return [document, writeSignedFile(targetsContent(document), unique(signers))];
}

function nextRoot(change: RepositoryChange, { role, next, nextLog }: Rotation): RootDocument {
  const { document: old } = change.view.root;
  const roles = { ...old.roles };
  if (role !== 'log' && role !== 'index' && role !== 'quarantine') {
    if (next === undefined) throw new HostError('usage', `a rotation of ${role} needs new keys`);
    roles[role] = roleKeys(next);
  }
  const keys = { ...old.keys, ...keyTable(role === 'log' ? [] : (next?.signers ?? [])) };
  const used = new Set(topRoles.flatMap((it) => roles[it].keyids));
  return {
    ...old,
    version: old.version + 1,
    expires: change.expires('root'),
    keys: Object.fromEntries(Object.entries(keys).filter(([id]) => used.has(id))),
    roles,
    logKey: nextLog === undefined ? old.logKey : verifierText(change.view.head.origin, nextLog),
  };
}

/**
 * The new root comes after the files that are valid with both roots. Without the old key there are no such files: then it
 * comes first, and readers wait until the rest is there.
 */
function withRoot(
  files: ReadonlyMap<string, NewFile>,
  root: RootDocument,
  { role, rootSigners, targetsSigners, next, nextLog, online }: Rotation,
  old: RootDocument,
): Map<string, NewFile> {
  const signers = unique([...rootSigners, ...(role === 'root' ? (next?.signers ?? []) : [])]);
  const own: readonly [string, NewFile] = [
    `metadata/${root.version}.root.json`,
    writeSignedFile(rootContent(root), signers),
  ];
  const able = (it: 'targets' | 'snapshot' | 'timestamp', signers: readonly RegistrySigner[]) =>
    signersFor(old.roles[it], signers).length >= old.roles[it].threshold;
  const valid =
    able('snapshot', online.snapshot) &&
    able('timestamp', online.timestamp) &&
    (role !== 'targets' || able('targets', targetsSigners)) &&
    (role !== 'log' || nextLog !== online.log);
  return new Map(valid ? [...files, own] : [own, ...files]);
}

/** The old key of the log signs the first head of the new one too, so that readers with the old root accept it. */
function oldLogSignature(
  { role, online }: Rotation,
  origin: string,
): ((note: string) => Promise<string>) | undefined {
  if (role !== 'log') return undefined;
  return async (note) => {
    const text = note.slice(0, note.lastIndexOf('\n\n') + 1);
    const signed = signNote(text, origin, online.log);
    return `${note}${signed.slice(text.length + 1)}`;
  };
}

/** The online keys that sign the change: the old and the new ones of the role. */
function onlineAfter({ role, next, nextLog, online }: Rotation): OnlineSigners {
  if (role === 'log') return { ...online, log: nextLog ?? online.log };
  if (role === 'root' || role === 'targets') return online;
  return { ...online, [role]: unique([...online[role], ...(next?.signers ?? [])]) };
}

function unique(signers: readonly RegistrySigner[]): RegistrySigner[] {
  return [...new Map(signers.map((it) => [it.keyId, it])).values()];
}

function keyTextOf(key: KeyObject | undefined): string {
  if (key === undefined) throw new HostError('usage', 'a rotation of the log needs a new key');
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  return `ed25519:${Buffer.from(String(x), 'base64url').toString('hex')}`;
}

function verifierText(name: string, key: KeyObject): string {
  return verifierKeyText({ name, publicKey: createPublicKey(key) });
}
