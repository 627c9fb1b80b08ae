// New keys for roles. The files of the change are signed with the old keys, if they are still there, and with the new
// ones. So they are valid before and after the new root file appears, and readers never see a state between.
import { createPublicKey, type KeyObject } from 'node:crypto';
import { signNote, verifierKeyText } from '../../store/signed-note.js';
import type { RegistryView } from '../client/registry-view.js';
import {
  type RootDocument,
  rootContent,
  type TargetsDocument,
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

/** Roles of the registry itself, with keys that can be replaced. */
export const registryRoles = [
  'root',
  'targets',
  'snapshot',
  'timestamp',
  'index',
  'quarantine',
  'log',
] as const;
export type RegistryRole = (typeof registryRoles)[number];

/** The keys of today that are here, as far as they are needed. */
export interface RotationSigners {
  /** Enough of the root keys. Needed for all roles but `index` and `quarantine`. */
  readonly rootSigners: readonly RegistrySigner[];
  /** Enough of the targets keys. Needed for `index` and `quarantine`; for `targets`, those that are not lost. */
  readonly targetsSigners: readonly RegistrySigner[];
}

export interface Rotation extends RotationSigners {
  /** The new keys by role. */
  readonly next: Readonly<Partial<Record<Exclude<RegistryRole, 'log'>, RoleSigners>>>;
  /** The new key that signs the transparency log; its name and history stay. Undefined: the old one stays. */
  readonly nextLog?: KeyObject | undefined;
  /** Files that are signed again with the keys that they have, because they expire. Default: none. */
  readonly renewed?: readonly ('root' | 'targets')[] | undefined;
  /** The online keys. Of roles whose keys are lost: the new ones. */
  readonly online: OnlineSigners;
  readonly now: number;
}

const rootRoles: readonly RegistryRole[] = ['root', 'targets', 'snapshot', 'timestamp', 'log'];

/** Throws unless the keys that are needed for new keys of these roles are here. Nothing was created or changed then. */
export function assertMayRotate(
  view: RegistryView,
  roles: readonly RegistryRole[],
  { rootSigners, targetsSigners }: RotationSigners,
): void {
  const { root, targets } = view.root.document.roles;
  if (roles.some((it) => rootRoles.includes(it))) enoughSigners(root, rootSigners, 'the root file');
  const changesTargets = roles.includes('index') || roles.includes('quarantine');
  if (changesTargets && !roles.includes('targets'))
    enoughSigners(targets, targetsSigners, 'the targets file');
}

export async function rotateRoles(repository: RegistryRepository, rotation: Rotation): Promise<void> {
  const { next, nextLog, now, renewed = [] } = rotation;
  const roles = registryRoles.filter((it) => (it === 'log' ? nextLog : next[it]) !== undefined);
  await repository.exclusive(async () => {
    const view = await repository.view();
    assertMayRotate(view, renewed.includes('root') ? ['root', ...roles] : roles, rotation);
    const change = new RepositoryChange(view, {
      signers: onlineAfter(rotation),
      now,
      cosign: nextLog === undefined ? undefined : logSignatureOf(rotation.online.log, view.head.origin),
    });
    const isTargets = (['targets', 'index', 'quarantine'] as const).some((it) => next[it] !== undefined);
    if (isTargets || renewed.includes('targets')) await renewTargets(change, rotation);
    for (const role of roles)
      change.record({
        kind: 'keys',
        of: role,
        keys:
          role === 'log'
            ? [keyTextOf(nextLog as KeyObject)]
            : (next[role]?.signers ?? []).map((it) => registryKeyText(it.key)).sort(),
        threshold: role === 'log' ? 1 : (next[role]?.threshold ?? 1),
        time: change.time,
      });
    const isRoot = renewed.includes('root') || roles.some((it) => rootRoles.includes(it));
    const root = isRoot ? nextRoot(change, rotation) : undefined;
    const files = await change.files(root === undefined ? {} : { root });
    await repository.publishChange(
      change,
      root === undefined ? files : withRoot(files, root, rotation, view.root.document),
    );
  });
}

/** Signs the targets file and the bins again: with the same content, or with new keys in it. */
async function renewTargets(
  change: RepositoryChange,
  { targetsSigners: old, next }: Pick<Rotation, 'targetsSigners' | 'next'>,
): Promise<void> {
  const { view } = change;
  const { document } = view.targets;
  const signers =
    next.targets === undefined
      ? enoughSigners(view.root.document.roles.targets, old, 'the targets file')
      : unique([...old, ...next.targets.signers]);
  const delegations = document.delegations.map((it) => {
    const own = it.name.startsWith('bin-')
      ? next.targets
      : it.name === 'index' || it.name === 'quarantine'
        ? next[it.name]
        : undefined;
    return own === undefined ? it : { ...it, ...roleKeys(own) };
  });
  const used = new Set(delegations.flatMap((it) => it.keyids));
  const added = [next.targets, next.index, next.quarantine].flatMap((it) => it?.signers ?? []);
  const keys = { ...document.keys, ...keyTable(added) };
  change.setRole(
    ...signedBy(
      {
        ...document,
        version: document.version + 1,
        expires: change.expires('targets'),
        keys: Object.fromEntries(Object.entries(keys).filter(([id]) => used.has(id))),
        delegations,
      },
      signers,
    ),
  );
  for (const { name } of document.delegations) {
    const bin = name.startsWith('bin-') ? (await view.delegated(name))?.document : undefined;
    if (bin === undefined) continue;
    change.setRole(
      ...signedBy({ ...bin, version: bin.version + 1, expires: change.expires('targets') }, signers),
    );
  }
  for (const name of ['index', 'quarantine'] as const) {
    const own = next[name] === undefined ? undefined : (await view.delegated(name))?.document;
    if (own !== undefined)
      change.signRole(
        { ...own, version: own.version + 1, expires: change.expires('online') },
        next[name]?.signers ?? [],
      );
  }
}

function signedBy(document: TargetsDocument, signers: readonly RegistrySigner[]): [TargetsDocument, Buffer] {
  return [document, writeSignedFile(targetsContent(document), signers)];
}

function nextRoot(change: RepositoryChange, { next, nextLog }: Rotation): RootDocument {
  const { document: old } = change.view.root;
  const replaced = topRoles.filter((it) => next[it] !== undefined);
  const roles = {
    ...old.roles,
    ...Object.fromEntries(replaced.map((it) => [it, roleKeys(next[it] as RoleSigners)])),
  };
  const keys = { ...old.keys, ...keyTable(replaced.flatMap((it) => next[it]?.signers ?? [])) };
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
  { rootSigners, targetsSigners, next, nextLog, online }: Rotation,
  old: RootDocument,
): Map<string, NewFile> {
  const own: readonly [string, NewFile] = [
    `metadata/${root.version}.root.json`,
    writeSignedFile(rootContent(root), unique([...rootSigners, ...(next.root?.signers ?? [])])),
  ];
  const able = (it: 'targets' | 'snapshot' | 'timestamp', signers: readonly RegistrySigner[]) =>
    signersFor(old.roles[it], signers).length >= old.roles[it].threshold;
  const valid =
    able('snapshot', online.snapshot) &&
    able('timestamp', online.timestamp) &&
    (next.targets === undefined || able('targets', targetsSigners)) &&
    (nextLog === undefined || verifierText(root.logKey.split('+')[0] ?? '', online.log) === old.logKey);
  return new Map(valid ? [...files, own] : [own, ...files]);
}

/** The old key of the log signs the first head of the new one too, so that readers with the old root accept it. */
function logSignatureOf(key: KeyObject, origin: string): (note: string) => Promise<string> {
  return async (note) => {
    const text = note.slice(0, note.lastIndexOf('\n\n') + 1);
    const signed = signNote(text, origin, key).slice(text.length + 1);
    // Without the old key, this is the signature that the note has already.
    return note.endsWith(signed) ? note : `${note}${signed}`;
  };
}

/** The online keys that sign the change: the old and the new ones of each role. */
function onlineAfter({ next, nextLog, online }: Rotation): OnlineSigners {
  const both = (role: 'snapshot' | 'timestamp' | 'index' | 'quarantine') =>
    unique([...online[role], ...(next[role]?.signers ?? [])]);
  return {
    snapshot: both('snapshot'),
    timestamp: both('timestamp'),
    index: both('index'),
    quarantine: both('quarantine'),
    log: nextLog ?? online.log,
  };
}

function unique(signers: readonly RegistrySigner[]): RegistrySigner[] {
  return [...new Map(signers.map((it) => [it.keyId, it])).values()];
}

function keyTextOf(key: KeyObject): string {
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  return `ed25519:${Buffer.from(String(x), 'base64url').toString('hex')}`;
}

function verifierText(name: string, key: KeyObject): string {
  return verifierKeyText({ name, publicKey: createPublicKey(key) });
}
