import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createPrivateFile, readPrivateFile } from '../files/private-file.js';
import { HostError } from '../model/host-error.js';
import { parseVerifierKey } from './signed-note.js';

interface KeyPaths {
  readonly folder: string;
  readonly key: string;
}

const publicName = 'audit.public.pem';
/** A key in PEM format, perhaps with comments. */
const keySizes = { min: 1, max: 64 * 1024 };

/** The signing key. A new key is created only if there are no checkpoints yet. The public key is stored with them. */
export function openCheckpointKey(paths: KeyPaths, mustExist: boolean): KeyObject {
  const pem = readPrivateFile(paths.key, keySizes);
  if (pem !== undefined) return createPrivateKey(pem);
  if (mustExist) {
    throw new HostError(
      'state_unusable',
      `${paths.key}, the key that signed the checkpoints in ${paths.folder}, is missing`,
      {
        hint: `restore it; or start a new audit log: move ${paths.folder} and the database to another folder`,
      },
    );
  }
  const { privateKey } = generateKeyPairSync('ed25519');
  mkdirSync(dirname(paths.key), { recursive: true, mode: 0o700 });
  if (!createPrivateFile(paths.key, privateKey.export({ type: 'pkcs8', format: 'pem' })))
    throw new HostError('state_unusable', `another process created ${paths.key} at the same time`, {
      hint: 'start again; each host needs a key of its own',
    });
  storePublicKey(paths, privateKey);
  return privateKey;
}

export function storePublicKey(paths: KeyPaths, privateKey: KeyObject): void {
  const pem = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }) as string;
  writeFileSync(join(paths.folder, publicName), pem, { mode: 0o644 });
}

/** The public key of the checkpoints: from the signing key if it is readable, else the file stored with them. */
export function readOwnPublicKey(paths: KeyPaths): KeyObject | undefined {
  for (const path of [paths.key, join(paths.folder, publicName)]) {
    try {
      return createPublicKey(readFileSync(path, 'utf8'));
    } catch {
      // Try the next file.
    }
  }
  return undefined;
}

/** Reads a public key from a file that the user named: PEM, or a verifier key as in c2sp.org/signed-note. */
export function readTrustedPublicKey(path: string): KeyObject {
  try {
    const text = readFileSync(path, 'utf8');
    return parseVerifierKey(text.trim())?.publicKey ?? createPublicKey(text);
  } catch (error) {
    throw new HostError('usage', `${path} is not a public key`, {
      cause: error,
      hint: `use a copy of ${publicName} from the checkpoint folder, or what "toolwharf audit checkpoint --key" prints`,
    });
  }
}
