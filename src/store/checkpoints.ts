import type { KeyObject } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
} from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { flushFolder } from '../files/atomic-file.js';
import { HostError } from '../model/host-error.js';
import { parseCheckpoint, type SignedCheckpoint, signCheckpoint } from './checkpoint.js';
import { openCheckpointKey, storePublicKey } from './checkpoint-key.js';

/** Paths of the checkpoints and their key. Default: in the state directory. */
export interface CheckpointPaths {
  readonly folder: string;
  readonly key: string;
}

const fileName = 'audit.checkpoints';
const maxNoteBytes = 1024;

export function checkpointPaths(
  state: string,
  { checkpoints, key }: { readonly checkpoints?: string | undefined; readonly key?: string | undefined } = {},
): CheckpointPaths {
  return { folder: checkpoints ?? join(state, 'checkpoints'), key: key ?? join(state, 'audit.key') };
}

/** What others do when something happens to the checkpoints. */
export interface CheckpointListener {
  /** The checkpoint is on disk. */
  written(checkpoint: SignedCheckpoint): void;
  /** The file was removed, replaced or cut since the last write. A new one is begun. The sentence says what happened. */
  lost(problem: string): void;
}

/** Appends checkpoints to a file, with an empty line after each. A checkpoint is on disk before anything refers to it. */
export class Checkpoints {
  readonly #paths: CheckpointPaths;
  readonly #key: KeyObject;
  #file: FileHandle;
  /** Size of the file as this host left it. */
  #bytes: number;
  #last: SignedCheckpoint | undefined;
  listener: CheckpointListener | undefined;

  private constructor(
    paths: CheckpointPaths,
    key: KeyObject,
    file: { handle: FileHandle; bytes: number },
    last: SignedCheckpoint | undefined,
  ) {
    this.#paths = paths;
    this.#key = key;
    this.#file = file.handle;
    this.#bytes = file.bytes;
    this.#last = last;
  }

  /** `mustHaveKey`: the log has checkpoints already, so a missing key is an error. */
  static async open(paths: CheckpointPaths, mustHaveKey = false): Promise<Checkpoints> {
    try {
      mkdirSync(paths.folder, { recursive: true, mode: 0o700 });
      const last = readLastCheckpoint(join(paths.folder, fileName));
      const key = openCheckpointKey(paths, mustHaveKey || last !== undefined);
      return new Checkpoints(paths, key, await openFile(paths), last);
    } catch (error) {
      if (error instanceof HostError) throw error;
      throw unusable(paths, error);
    }
  }

  get last(): SignedCheckpoint | undefined {
    return this.#last;
  }

  get key(): KeyObject {
    return this.#key;
  }

  /** Writes a checkpoint. Calls must not overlap. */
  async write(checkpoint: Omit<SignedCheckpoint, 'note' | 'digest'>): Promise<SignedCheckpoint> {
    const signed = signCheckpoint(checkpoint, this.#key);
    await this.#reopenIfLost();
    const record = Buffer.from(`${signed.note}\n`);
    try {
      await this.#file.write(record);
      await this.#file.datasync();
    } catch (error) {
      // Remove a partly written note.
      await this.#file.truncate(this.#bytes).catch(() => {});
      throw new HostError('state_unusable', 'a checkpoint of the audit log could not be written', {
        cause: error,
      });
    }
    this.#bytes += record.length;
    this.#last = signed;
    this.listener?.written(signed);
    return signed;
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /** Writing to a file that was removed would succeed, and nobody would ever see it. */
  async #reopenIfLost(): Promise<void> {
    const path = join(this.#paths.folder, fileName);
    const own = await this.#file.stat();
    const found = await stat(path).catch(() => undefined);
    if (found?.ino === own.ino && found.dev === own.dev && found.size === this.#bytes) return;
    const problem =
      found === undefined
        ? `${path} was removed while the host was running`
        : `${path} was changed by another program while the host was running`;
    try {
      mkdirSync(this.#paths.folder, { recursive: true, mode: 0o700 });
      storePublicKey(this.#paths, this.#key);
      const { handle, bytes } = await openFile(this.#paths);
      await this.#file.close();
      this.#file = handle;
      this.#bytes = bytes;
    } catch (error) {
      throw unusable(this.#paths, error);
    }
    this.listener?.lost(problem);
  }
}

async function openFile(paths: CheckpointPaths): Promise<{ handle: FileHandle; bytes: number }> {
  const handle = await open(join(paths.folder, fileName), 'a', 0o600);
  const { size } = await handle.stat();
  // A new file: make its directory entry durable.
  if (size === 0) flushFolder(paths.folder);
  return { handle, bytes: size };
}

function unusable({ folder }: CheckpointPaths, cause: unknown): HostError {
  return new HostError('state_unusable', `the audit log checkpoints in ${folder} cannot be used`, {
    cause,
    hint: 'check that you own the folder and can write to it, or set audit.checkpoints in the configuration',
  });
}

/** Reads the last checkpoint. Removes an incomplete note left by a crash; nothing refers to it yet. */
function readLastCheckpoint(path: string): SignedCheckpoint | undefined {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return undefined;
  const file = openSync(path, 'r+');
  try {
    const start = Math.max(0, fstatSync(file).size - 4 * maxNoteBytes);
    const bytes = Buffer.alloc(size - start);
    readSync(file, bytes, 0, bytes.length, start);
    // One character per byte, so that positions are the same.
    const text = bytes.toString('latin1');
    const end = endOfLastNote(text);
    if (end < bytes.length) ftruncateSync(file, start + end);
    if (end === 0) return undefined;
    const before = endOfLastNote(text.slice(0, end - 1));
    const found = parseCheckpoint(bytes.subarray(before, end - 1).toString('utf8'));
    if (found === undefined)
      throw new HostError('integrity', `the last checkpoint in ${path} was changed`, {
        hint: 'check the whole audit log: toolwharf audit verify',
      });
    return found;
  } finally {
    closeSync(file);
  }
}

/** Position after the last note that is complete: signature lines and an empty line. 0 if there is none. */
function endOfLastNote(text: string): number {
  for (let at = text.lastIndexOf('\n\n'); at > 0; at = text.lastIndexOf('\n\n', at - 1)) {
    const line = text.lastIndexOf('\n', at - 1) + 1;
    if (text.startsWith('\u00e2\u0080\u0094 ', line)) return at + 2;
  }
  return 0;
}

/** The notes of the checkpoint file, up to its size at the start. An incomplete last note is included. */
export async function* readCheckpoints(paths: CheckpointPaths): AsyncGenerator<string> {
  const path = join(paths.folder, fileName);
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return;
  const input = createReadStream(path, { start: 0, end: size - 1, encoding: 'utf8' });
  let rest = '';
  let note = '';
  let isSigned = false;
  for await (const chunk of input) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() as string;
    for (const line of lines) {
      if (line === '' && isSigned) {
        yield note;
        note = '';
      } else note += `${line}\n`;
      isSigned = line.startsWith('\u2014 ') && note !== '';
    }
  }
  if (note + rest !== '') yield note + rest;
}
