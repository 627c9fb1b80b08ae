import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { HostError } from '../model/host-error.js';

export type KeySource = 'key file' | 'passphrase';

const keyFile = 'vault.key';
const saltFile = 'vault.salt';
const keyBytes = 32;
const saltBytes = 16;
const checkBytes = 32;
// A guess costs 128 MiB and a good part of a second.
const cost = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };

/**
 * The key of a state directory. `make`: a new one when there is none, which is right only while nothing was sealed.
 * A vault is kept with a key file or with a passphrase, never with both.
 */
export async function vaultKey(
  state: string,
  passphrase: string | undefined,
  make: boolean,
): Promise<Buffer> {
  const file = readPrivate(join(state, keyFile), keyBytes);
  const salt = readPrivate(join(state, saltFile), saltBytes + checkBytes);
  if (passphrase === undefined) {
    if (salt !== undefined)
      throw new HostError(
        'state_unusable',
        `the secrets in ${state} are kept with a passphrase, and none was given`,
        {
          hint: 'start the host with the passphrase',
        },
      );
    if (file !== undefined) return file;
    if (!make) throw lost(join(state, keyFile));
    return makePrivate(join(state, keyFile), randomBytes(keyBytes));
  }
  if (passphrase === '')
    throw new HostError('state_unusable', 'the passphrase of the secrets is empty', {
      hint: 'give one, or none at all for a key file',
    });
  if (file !== undefined)
    throw new HostError(
      'state_unusable',
      `the secrets in ${state} are kept with a key file, not a passphrase`,
      {
        hint: 'start the host without a passphrase',
      },
    );
  if (salt !== undefined) return checkedKey(salt, passphrase, state);
  if (!make) throw lost(join(state, saltFile));
  const fresh = randomBytes(saltBytes);
  const made = await derive(passphrase, fresh);
  const kept = makePrivate(join(state, saltFile), Buffer.concat([fresh, made.check]));
  return kept.subarray(0, saltBytes).equals(fresh) ? made.key : checkedKey(kept, passphrase, state);
}

async function checkedKey(kept: Buffer, passphrase: string, state: string): Promise<Buffer> {
  const { key, check } = await derive(passphrase, kept.subarray(0, saltBytes));
  if (!timingSafeEqual(check, kept.subarray(saltBytes)))
    throw new HostError('state_unusable', `this is not the passphrase of the secrets in ${state}`, {
      hint: 'start the host with the right one; nothing was changed',
    });
  return key;
}

/** Key and check value are halves of one derivation: the check says nothing of the key. */
async function derive(passphrase: string, salt: Buffer): Promise<{ key: Buffer; check: Buffer }> {
  const bytes = await new Promise<Buffer>((resolve, reject) => {
    scrypt(passphrase.normalize('NFC'), salt, keyBytes + checkBytes, cost, (error, derived) =>
      error === null ? resolve(derived) : reject(error),
    );
  });
  const check = createHash('sha256')
    .update('toolport vault check\0')
    .update(bytes.subarray(keyBytes))
    .digest();
  return { key: bytes.subarray(0, keyBytes), check };
}

function lost(path: string): HostError {
  return new HostError('state_unusable', `${path} is gone, so the secrets kept there cannot be opened`, {
    hint: 'put the file back, or unset the secrets and set them again ("toolport secret list")',
  });
}

/** The bytes of a file that is nobody else's business. Undefined when there is none; anything doubtful is refused. */
function readPrivate(path: string, size: number): Buffer | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new HostError('state_unusable', `${path} cannot be read`, {
      cause: error,
      hint: 'it must be a regular file of yours with mode 0600',
    });
  }
  try {
    const stat = fstatSync(file);
    const refuse = (what: string, hint: string): never => {
      throw new HostError('state_unusable', `${path} ${what}`, { hint });
    };
    if (!stat.isFile()) refuse('is not a regular file', 'remove it if it is not yours');
    if (stat.uid !== process.getuid?.()) refuse('belongs to another user', 'check who put it there');
    if ((stat.mode & 0o177) !== 0)
      refuse('can be read by others', `if nobody else had it, run: chmod 600 ${path}`);
    if (stat.size !== size) refuse('was damaged: it has the wrong size', 'put the right one back');
    const bytes = Buffer.alloc(size);
    if (readSync(file, bytes, 0, size, 0) !== size)
      refuse('was damaged: it has the wrong size', 'put the right one back');
    return bytes;
  } finally {
    closeSync(file);
  }
}

/** The file appears whole or not at all, and never in place of another: then the other one counts. */
function makePrivate(path: string, bytes: Buffer): Buffer {
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    const file = openSync(draft, 'wx', 0o600);
    try {
      fchmodSync(file, 0o600);
      writeSync(file, bytes);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    try {
      linkSync(draft, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      unlinkSync(draft);
    }
    syncFolder(path);
  } catch (error) {
    throw new HostError('state_unusable', `${path} cannot be made`, {
      cause: error,
      hint: 'check that the state directory is yours and writable',
    });
  }
  const kept = readPrivate(path, bytes.length);
  if (kept === undefined) throw lost(path);
  return kept;
}

function syncFolder(path: string): void {
  const folder = openSync(join(path, '..'), constants.O_RDONLY);
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
