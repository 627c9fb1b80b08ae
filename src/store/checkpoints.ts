import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { flushFolder } from '../files/atomic-file.js';
import { createPrivateFile, readPrivateFile } from '../files/private-file.js';
import { HostError } from '../model/host-error.js';
import { checkpointDigest, noCheckpoint, parseCheckpoint, signCheckpoint } from './checkpoint.js';

/** Paths of the checkpoints and their key. Default: in the state directory. */
export interface CheckpointPaths {
  readonly folder: string;
  readonly key: string;
}

const fileName = 'audit.checkpoints';
const publicName = 'audit.public.pem';
const maxLineBytes = 1024;
/** A key in PEM format, perhaps with comments. */
const keySizes = { min: 1, max: 64 * 1024 };

export function checkpointPaths(
  state: string,
  { checkpoints, key }: { readonly checkpoints?: string | undefined; readonly key?: string | undefined } = {},
): CheckpointPaths {
  return { folder: checkpoints ?? join(state, 'checkpoints'), key: key ?? join(state, 'audit.key') };
}

export interface LastCheckpoint {
  readonly n: number;
  readonly seq: number;
  readonly hash: string;
  readonly digest: string;
}

/** Appends checkpoints, one line each. A checkpoint is on disk before anything refers to it. */
export class Checkpoints {
  readonly #key: KeyObject;
  readonly #file: FileHandle;
  readonly #now: () => number;
  #last: LastCheckpoint | undefined;

  private constructor(key: KeyObject, file: FileHandle, now: () => number, last: LastCheckpoint | undefined) {
    this.#key = key;
    this.#file = file;
    this.#now = now;
    this.#last = last;
  }

  static async open(paths: CheckpointPaths, now: () => number): Promise<Checkpoints> {
    const path = join(paths.folder, fileName);
    try {
      mkdirSync(paths.folder, { recursive: true, mode: 0o700 });
      const last = readLastCheckpoint(path);
      const key = keyFor(paths, last !== undefined);
      const file = await open(path, 'a', 0o600);
      // A new file: make its directory entry durable.
      if (last === undefined) flushFolder(paths.folder);
      return new Checkpoints(key, file, now, last);
    } catch (error) {
      if (error instanceof HostError) throw error;
      throw new HostError('state_unusable', `the audit log checkpoints in ${paths.folder} cannot be used`, {
        cause: error,
        hint: 'check that you own the folder and can write to it, or set audit.checkpoints in the configuration',
      });
    }
  }

  get last(): LastCheckpoint | undefined {
    return this.#last;
  }

  /** Writes a checkpoint for an entry. Calls must not overlap. */
  async write(seq: number, hash: string): Promise<LastCheckpoint> {
    const before = this.#last?.digest ?? noCheckpoint;
    const n = (this.#last?.n ?? 0) + 1;
    const line = signCheckpoint({ n, seq, hash, at: new Date(this.#now()).toISOString(), before }, this.#key);
    const { size } = await this.#file.stat();
    try {
      await this.#file.write(`${line}\n`);
      await this.#file.datasync();
    } catch (error) {
      // Remove a partly written line.
      await this.#file.truncate(size).catch(() => {});
      throw new HostError('state_unusable', 'a checkpoint of the audit log could not be written', {
        cause: error,
      });
    }
    this.#last = { n, seq, hash, digest: checkpointDigest(line) };
    return this.#last;
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** The signing key. A new key is created only if there are no checkpoints yet. The public key is stored with them. */
function keyFor(paths: CheckpointPaths, signed: boolean): KeyObject {
  const pem = readPrivateFile(paths.key, keySizes);
  if (pem !== undefined) return createPrivateKey(pem);
  if (signed) {
    throw new HostError(
      'state_unusable',
      `${paths.key}, the key that signed the checkpoints in ${paths.folder}, is missing`,
      {
        hint: `restore it; or start a new audit log: move ${paths.folder} and the database to another folder`,
      },
    );
  }
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  mkdirSync(dirname(paths.key), { recursive: true, mode: 0o700 });
  if (!createPrivateFile(paths.key, privateKey.export({ type: 'pkcs8', format: 'pem' })))
    throw new HostError('state_unusable', `another process created ${paths.key} at the same time`, {
      hint: 'start again; each host needs a key of its own',
    });
  const publicPem = publicKey.export({ type: 'spki', format: 'pem' }) as string;
  writeFileSync(join(paths.folder, publicName), publicPem, { mode: 0o644 });
  return privateKey;
}

/** Reads the last checkpoint. Removes an incomplete line left by a crash; nothing refers to it yet. */
function readLastCheckpoint(path: string): LastCheckpoint | undefined {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return undefined;
  const file = openSync(path, 'r+');
  try {
    const start = Math.max(0, fstatSync(file).size - 2 * maxLineBytes);
    const bytes = Buffer.alloc(size - start);
    readSync(file, bytes, 0, bytes.length, start);
    const end = bytes.lastIndexOf(0x0a);
    if (end + 1 < bytes.length) ftruncateSync(file, start + end + 1);
    const line = bytes.subarray(bytes.lastIndexOf(0x0a, end - 1) + 1, Math.max(0, end)).toString('utf8');
    if (end === -1) return undefined;
    const found = parseCheckpoint(line);
    if (found === undefined)
      throw new HostError('integrity', `the last checkpoint in ${path} was changed`, {
        hint: 'check the whole audit log: toolwharf audit verify',
      });
    return { n: found.n, seq: found.seq, hash: found.hash, digest: checkpointDigest(line) };
  } finally {
    closeSync(file);
  }
}

/** The lines of the checkpoint file, up to its size at the start. An incomplete last line is included. */
export async function* readCheckpoints(paths: CheckpointPaths): AsyncGenerator<string> {
  const path = join(paths.folder, fileName);
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return;
  const input = createReadStream(path, { start: 0, end: size - 1, encoding: 'utf8' });
  let rest = '';
  for await (const chunk of input) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() as string;
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** The public key of the checkpoints: from the signing key if it is readable, else the file stored with them. */
export function readOwnPublicKey(paths: CheckpointPaths): KeyObject | undefined {
  for (const path of [paths.key, join(paths.folder, publicName)]) {
    try {
      return createPublicKey(readFileSync(path, 'utf8'));
    } catch {
      // Try the next file.
    }
  }
  return undefined;
}

/** Reads a public key from a file that the user named. */
export function readTrustedPublicKey(path: string): KeyObject {
  try {
    return createPublicKey(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new HostError('usage', `${path} is not a public key`, {
      cause: error,
      hint: `use a copy of ${publicName} from the checkpoint folder`,
    });
  }
}
