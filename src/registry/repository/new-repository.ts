import { createPublicKey } from 'node:crypto';
import { sha256, sha256Bytes } from '../../files/sha256.js';
import { HostError } from '../../model/host-error.js';
import { signCheckpoint } from '../../store/checkpoint.js';
import { verifierKeyText } from '../../store/signed-note.js';
import { ownKeys } from '../client/separate-keys.js';
import { writeLogEntry } from '../log/log-entry.js';
import { growLog } from '../log/log-growth.js';
import {
  type Delegation,
  type ExpiryDays,
  type RootDocument,
  rootContent,
  snapshotContent,
  type TargetsDocument,
  targetsContent,
  timestampContent,
  topRoles,
} from '../metadata/metadata-document.js';
import { type RegistrySigner, registryKeyText } from '../metadata/registry-key.js';
import { type KeyTable, type RoleKeys, writeSignedFile } from '../metadata/signed-file.js';
import { binPattern, binRole } from '../names/package-name.js';
import type { NewFile } from './pending-files.js';
import type { RegistryRepository } from './registry-repository.js';
import { timeText } from './repository-change.js';
import type { OnlineSigners } from './repository-signers.js';

export interface RoleSigners {
  readonly signers: readonly RegistrySigner[];
  readonly threshold: number;
}

export interface NewRepository {
  /** Part of the name of the log, such as a host name. */
  readonly logName: string;
  readonly root: RoleSigners;
  readonly targets: RoleSigners;
  readonly online: OnlineSigners;
  readonly days: ExpiryDays;
  /** A power of two from 1 to 256. */
  readonly bins: number;
  readonly witnesses: RootDocument['witnesses'];
  readonly now: number;
}

/** Few namespaces per bin keep what a client reads small, few bins keep the snapshot small. */
export const defaultBins = 64;
export const defaultDays: ExpiryDays = { root: 365, targets: 365, namespaces: 365, online: 30 };
const dayMs = 24 * 60 * 60 * 1000;

/** Creates a registry in an empty folder. */
export async function createRepository(
  repository: RegistryRepository,
  options: NewRepository,
): Promise<void> {
  const { bins, logName } = options;
  if (bins < 1 || bins > 256 || !Number.isInteger(Math.log2(bins)))
    throw new HostError('usage', 'the number of bins is a power of two from 1 to 256');
  assertLogName(logName);
  await repository.exclusive(async () => {
    await repository.assertEmpty();
    await repository.publish(await initialFiles(options));
  });
}

/** Throws unless the text can be part of the name of a log. */
export function assertLogName(logName: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9.:/-]{0,120}$/.test(logName)) return;
  throw new HostError('usage', `${JSON.stringify(logName)} cannot be the name of a log`, {
    hint: 'use letters, digits, ".", "-" and "/", such as --name packages.example',
  });
}

async function initialFiles(options: NewRepository): Promise<Map<string, NewFile>> {
  const { online, days, now } = options;
  const expires = (kind: keyof ExpiryDays) => timeText(now + days[kind] * dayMs);
  const origin = `toolwharf/registry/${options.logName}`;
  const root = rootDocument(options, origin);
  const targets = targetsDocument(options);
  ownKeys(root, targets);
  const entries = (['root', 'targets'] as const).map((role) =>
    writeLogEntry({
      kind: 'keys',
      of: role,
      keys: options[role].signers.map((it) => registryKeyText(it.key)).sort(),
      threshold: options[role].threshold,
      time: timeText(now),
    }),
  );
  const log = await growLog({ size: 0, root: sha256Bytes('') }, entries, async () => undefined);
  const checkpoint = signCheckpoint(
    { origin, size: log.size, root: log.root.toString('base64') },
    online.log,
  );
  const snapshot = writeSignedFile(
    snapshotContent({ version: 1, expires: expires('online'), versions: new Map([['targets', 1]]) }),
    online.snapshot,
  );
  const timestamp = timestampContent({
    version: 1,
    expires: expires('online'),
    snapshot: { version: 1, length: snapshot.length, sha256: sha256(snapshot) },
    checkpoint: checkpoint.note,
  });
  const files = new Map<string, NewFile>([
    ['metadata/1.root.json', writeSignedFile(rootContent(root), options.root.signers)],
    ['metadata/1.targets.json', writeSignedFile(targetsContent(targets), options.targets.signers)],
    ['metadata/1.snapshot.json', snapshot],
  ]);
  for (const [path, bytes] of log.files) files.set(`log/${path}`, bytes);
  files.set('metadata/timestamp.json', writeSignedFile(timestamp, online.timestamp));
  files.set('log/checkpoint', Buffer.from(checkpoint.note));
  return files;
}

function rootDocument(options: NewRepository, origin: string): RootDocument {
  const { online, days, now, witnesses } = options;
  const signers = {
    root: options.root,
    targets: options.targets,
    snapshot: one(online.snapshot),
    timestamp: one(online.timestamp),
  };
  const roles = Object.fromEntries(
    topRoles.map((it) => [it, roleKeys(signers[it])]),
  ) as RootDocument['roles'];
  return {
    version: 1,
    expires: timeText(now + days.root * dayMs),
    keys: keyTable(topRoles.flatMap((it) => signers[it].signers)),
    roles,
    logKey: verifierKeyText({ name: origin, publicKey: createPublicKey(online.log) }),
    witnesses,
    days,
  };
}

function targetsDocument({ targets, online, days, bins, now }: NewRepository): TargetsDocument {
  const delegations: Delegation[] = Array.from({ length: bins }, (_, it) => {
    const bin = it.toString(16).padStart(2, '0');
    return { name: binRole(bin), paths: [binPattern(bin)], ...roleKeys(targets) };
  });
  for (const role of ['index', 'quarantine'] as const)
    delegations.push({ name: role, paths: [`${role}/*`], ...roleKeys(one(online[role])) });
  return {
    role: 'targets',
    version: 1,
    expires: timeText(now + days.targets * dayMs),
    targets: {},
    keys: keyTable([...targets.signers, ...online.index, ...online.quarantine]),
    delegations,
  };
}

function one(signers: readonly RegistrySigner[]): RoleSigners {
  return { signers, threshold: 1 };
}

export function roleKeys({ signers, threshold }: RoleSigners): RoleKeys {
  const keyids = signers.map((it) => it.keyId).sort();
  if (threshold < 1 || threshold > keyids.length)
    throw new HostError('usage', `${keyids.length} keys cannot give ${threshold} signatures`);
  return { keyids, threshold };
}

export function keyTable(signers: readonly RegistrySigner[]): KeyTable {
  return Object.fromEntries(signers.map((it) => [it.keyId, it.key]));
}
