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
import { HostError } from '../model/host-error.js';
import { digestOfLine, noCheckpoint, readCheckpoint, signedLine } from './checkpoint.js';
import { makePrivateText, readPrivateText, syncFolder } from './private-file.js';

/** Where checkpoints and their key are; both in the state directory unless somebody put them elsewhere. */
export interface CheckpointPlaces {
  readonly folder: string;
  readonly key: string;
}

const fileName = 'audit.checkpoints';
const publicName = 'audit.public.pem';
const longestLine = 1024;

export function checkpointPlaces(
  state: string,
  { checkpoints, key }: { readonly checkpoints?: string | undefined; readonly key?: string | undefined } = {},
): CheckpointPlaces {
  return { folder: checkpoints ?? join(state, 'checkpoints'), key: key ?? join(state, 'audit.key') };
}

export interface LastCheckpoint {
  readonly n: number;
  readonly seq: number;
  readonly hash: string;
  readonly digest: string;
}

/** Writes checkpoints: one line each, appended, on the disk before anybody is told. */
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

  static async open(places: CheckpointPlaces, now: () => number): Promise<Checkpoints> {
    const path = join(places.folder, fileName);
    try {
      mkdirSync(places.folder, { recursive: true, mode: 0o700 });
      const last = mendedEnd(path);
      const key = keyFor(places, last !== undefined);
      const file = await open(path, 'a', 0o600);
      // Whoever signed the last one saw to it that the file stays.
      if (last === undefined) syncFolder(places.folder);
      return new Checkpoints(key, file, now, last);
    } catch (error) {
      if (error instanceof HostError) throw error;
      throw new HostError(
        'state_unusable',
        `the checkpoints of the record in ${places.folder} cannot be used`,
        {
          cause: error,
          hint: 'check that the folder is yours and writable, or set audit.checkpoints in the configuration',
        },
      );
    }
  }

  get last(): LastCheckpoint | undefined {
    return this.#last;
  }

  /** One at a time. */
  async seal(seq: number, hash: string): Promise<LastCheckpoint> {
    const before = this.#last?.digest ?? noCheckpoint;
    const n = (this.#last?.n ?? 0) + 1;
    const line = signedLine({ n, seq, hash, at: new Date(this.#now()).toISOString(), before }, this.#key);
    const { size } = await this.#file.stat();
    try {
      await this.#file.write(`${line}\n`);
      await this.#file.datasync();
    } catch (error) {
      // Half a line would be followed by the next one.
      await this.#file.truncate(size).catch(() => {});
      throw new HostError('state_unusable', 'a checkpoint of the record could not be written', {
        cause: error,
      });
    }
    this.#last = { n, seq, hash, digest: digestOfLine(line) };
    return this.#last;
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** The key that signs; a new one only while nothing was signed. Its public half lies beside the checkpoints. */
function keyFor(places: CheckpointPlaces, signed: boolean): KeyObject {
  const text = readPrivateText(places.key);
  if (text !== undefined) return createPrivateKey(text);
  if (signed) {
    throw new HostError(
      'state_unusable',
      `${places.key} is gone, which signed the checkpoints in ${places.folder}`,
      {
        hint: `put it back; or keep the record for later, and move ${places.folder} and the database away`,
      },
    );
  }
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  mkdirSync(dirname(places.key), { recursive: true, mode: 0o700 });
  makePrivateText(places.key, privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
  const shown = publicKey.export({ type: 'spki', format: 'pem' }) as string;
  writeFileSync(join(places.folder, publicName), shown, { mode: 0o644 });
  return privateKey;
}

/** The last checkpoint. Half a line that a crash left was never told to anybody and goes. */
function mendedEnd(path: string): LastCheckpoint | undefined {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return undefined;
  const file = openSync(path, 'r+');
  try {
    const start = Math.max(0, fstatSync(file).size - 2 * longestLine);
    const bytes = Buffer.alloc(size - start);
    readSync(file, bytes, 0, bytes.length, start);
    const end = bytes.lastIndexOf(0x0a);
    if (end + 1 < bytes.length) ftruncateSync(file, start + end + 1);
    const line = bytes.subarray(bytes.lastIndexOf(0x0a, end - 1) + 1, Math.max(0, end)).toString('utf8');
    if (end === -1) return undefined;
    const found = readCheckpoint(line);
    if (found === undefined)
      throw new HostError('integrity', `the last checkpoint in ${path} was changed`, {
        hint: 'see what else does not fit: toolwharf audit verify',
      });
    return { n: found.n, seq: found.seq, hash: found.hash, digest: digestOfLine(line) };
  } finally {
    closeSync(file);
  }
}

/** The checkpoints as they are written, up to where the file ended when it was opened. Half a line counts as one. */
export async function* checkpointLines(places: CheckpointPlaces): AsyncGenerator<string> {
  const path = join(places.folder, fileName);
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return;
  const input = createReadStream(path, { start: 0, end: size - 1, encoding: 'utf8' });
  let held = '';
  for await (const chunk of input) {
    const lines = (held + chunk).split('\n');
    held = lines.pop() as string;
    yield* lines;
  }
  if (held !== '') yield held;
}

/** What checkpoints are checked with: the key itself where it is at hand, else the half that lies beside them. */
export function publicKeyOf(places: CheckpointPlaces): KeyObject | undefined {
  for (const path of [places.key, join(places.folder, publicName)]) {
    try {
      return createPublicKey(readFileSync(path, 'utf8'));
    } catch {
      // The next one may do.
    }
  }
  return undefined;
}

/** A public key from a file that somebody named. */
export function trustedKey(path: string): KeyObject {
  try {
    return createPublicKey(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new HostError('usage', `${path} is not a public key`, {
      cause: error,
      hint: `name a copy of ${publicName}, which lies beside the checkpoints`,
    });
  }
}
