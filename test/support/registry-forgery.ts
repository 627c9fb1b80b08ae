// Rewrites files of a registry as an attacker would who has some of its keys.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/model/json.js';
import type { RegistrySigner } from '../../src/registry/metadata/registry-key.js';
import { writeSignedFile } from '../../src/registry/metadata/signed-file.js';

export type Signed = Record<string, unknown> & { version: number; expires: string };

export function metadataPath(folder: string, file: string): string {
  return join(folder, 'metadata', file);
}

export function readSigned(folder: string, file: string): Signed {
  return (JSON.parse(readFileSync(metadataPath(folder, file), 'utf8')) as { signed: Signed }).signed;
}

/** Writes a file with a change, signed by these keys. */
export function forge(
  folder: string,
  file: string,
  change: (signed: Signed) => void,
  signers: readonly RegistrySigner[],
  as = file,
): Buffer {
  const signed = readSigned(folder, file);
  change(signed);
  const bytes = writeSignedFile(signed as unknown as JsonObject, signers);
  writeFileSync(metadataPath(folder, as), bytes);
  return bytes;
}

/** The newest version of a file, by what the timestamp and the snapshot say. */
export function versionsOf(folder: string): {
  timestamp: number;
  snapshot: number;
  of(role: string): number;
} {
  const timestamp = readSigned(folder, 'timestamp.json');
  const { version } = (timestamp.meta as Record<string, { version: number }>)['snapshot.json'] as {
    version: number;
  };
  const snapshot = readSigned(folder, `${version}.snapshot.json`);
  return {
    timestamp: timestamp.version,
    snapshot: version,
    of: (role) => (snapshot.meta as Record<string, { version: number }>)[`${role}.json`]?.version ?? 0,
  };
}

/** A new snapshot and timestamp, as somebody with both keys makes them. */
export function forgeOnline(
  folder: string,
  change: (meta: Record<string, { version: number }>) => void,
  {
    snapshot,
    timestamp,
  }: { readonly snapshot: readonly RegistrySigner[]; readonly timestamp: readonly RegistrySigner[] },
  step = 1,
): void {
  const now = versionsOf(folder);
  const version = now.snapshot + step;
  const bytes = forge(
    folder,
    `${now.snapshot}.snapshot.json`,
    (signed) => {
      signed.version = version;
      change(signed.meta as Record<string, { version: number }>);
    },
    snapshot,
    `${version}.snapshot.json`,
  );
  forge(
    folder,
    'timestamp.json',
    (signed) => {
      signed.version += step;
      signed.meta = { 'snapshot.json': { version, length: bytes.length, hashes: { sha256: sha256(bytes) } } };
    },
    timestamp,
  );
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
