// Archives that publishers sent and that are not published yet. Each is stored under its hash, streamed to the disk, and
// kept for a while.
import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { HostError } from '../../model/host-error.js';

export interface UploadLimits {
  /** Of one archive. */
  readonly bytes: number;
  /** Of all archives that wait. */
  readonly totalBytes: number;
  /** Of all archives of one sender that wait, so that one cannot keep out the others. */
  readonly senderBytes: number;
  /** How long an archive waits. */
  readonly keepMs: number;
}

export const defaultUploadLimits: UploadLimits = {
  bytes: 64 * 1024 * 1024,
  totalBytes: 4 * 1024 * 1024 * 1024,
  senderBytes: 512 * 1024 * 1024,
  keepMs: 60 * 60 * 1000,
};

const hash = /^[0-9a-f]{64}$/;
const draftPrefix = 'draft-';

/** What a sender says about an archive before it comes. */
export interface AnnouncedUpload {
  readonly sha256: string;
  readonly length: number;
  /** Who sends it, such as the id of a token. */
  readonly sender: string;
}

export class UploadFolder {
  readonly #folder: string;
  readonly #limits: UploadLimits;
  readonly #now: () => number;
  /** Bytes that uploads in progress announced, by sender. */
  readonly #announced = new Map<string, number>();
  /** Who sent an archive, by its hash. Those from before this process count only together. */
  readonly #senders = new Map<string, string>();

  constructor(folder: string, limits: UploadLimits, now: () => number) {
    this.#folder = join(folder, 'uploads');
    this.#limits = limits;
    this.#now = now;
  }

  /** Undefined: nobody sent it, or it waited for too long. */
  async find(sha256: string): Promise<string | undefined> {
    if (!hash.test(sha256)) return undefined;
    const path = join(this.#folder, sha256);
    const stats = await stat(path).catch(() => undefined);
    if (stats === undefined || this.#now() - stats.mtimeMs > this.#limits.keepMs) return undefined;
    return path;
  }

  /** Throws unless the stream has exactly this hash and length. Nothing is left of one that has not. */
  async receive({ sha256, length, sender }: AnnouncedUpload, body: AsyncIterable<Uint8Array>): Promise<void> {
    const { bytes: limit } = this.#limits;
    if (!hash.test(sha256)) throw new HostError('usage', 'the hash of an archive has 64 hexadecimal digits');
    if (!Number.isSafeInteger(length) || length < 1 || length > limit)
      throw new HostError(
        'output_too_large',
        `an archive may have up to ${limit.toLocaleString('en')} bytes`,
        {
          hint: 'publish only what the package needs',
        },
      );
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    this.#announce(sender, length);
    const draft = join(this.#folder, `${draftPrefix}${randomBytes(8).toString('hex')}`);
    try {
      await this.#assertRoom(sender, length);
      const digest = createHash('sha256');
      let received = 0;
      const counted = new Transform({
        transform(chunk: Uint8Array, _encoding, done) {
          received += chunk.length;
          digest.update(chunk);
          if (received > length) done(new HostError('usage', 'the archive is longer than announced'));
          else done(null, chunk);
        },
      });
      await pipeline(body, counted, createWriteStream(draft, { flags: 'wx', mode: 0o600 })).catch(broken);
      const found = digest.digest('hex');
      if (received !== length || found !== sha256)
        throw new HostError(
          'integrity',
          `the archive is not what was announced: expected ${sha256}, received ${found}`,
        );
      const path = join(this.#folder, sha256);
      await link(draft, path).catch(async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
        const time = new Date(this.#now());
        await utimes(path, time, time);
      });
      this.#senders.set(sha256, sender);
    } finally {
      this.#announce(sender, -length);
      await rm(draft, { force: true });
    }
  }

  async remove(sha256: string): Promise<void> {
    if (!hash.test(sha256)) return;
    await rm(join(this.#folder, sha256), { force: true });
    this.#senders.delete(sha256);
  }

  /** Removes what waited for too long. */
  async sweep(): Promise<void> {
    for (const { name, path, mtimeMs } of await this.#files()) {
      if (this.#now() - mtimeMs <= this.#limits.keepMs) continue;
      await rm(path, { force: true });
      this.#senders.delete(name);
    }
  }

  #announce(sender: string, bytes: number): void {
    const now = (this.#announced.get(sender) ?? 0) + bytes;
    if (now === 0) this.#announced.delete(sender);
    else this.#announced.set(sender, now);
  }

  async #assertRoom(sender: string, length: number): Promise<void> {
    const { totalBytes, senderBytes } = this.#limits;
    const waiting = (await this.#files()).filter((it) => !it.name.startsWith(draftPrefix));
    const own = waiting.filter((it) => this.#senders.get(it.name) === sender);
    const announced = [...this.#announced.values()].reduce((all, it) => all + it, 0);
    const isOwn = sizeOf(own) + (this.#announced.get(sender) ?? 0) > senderBytes;
    if (!isOwn && sizeOf(waiting) + announced <= totalBytes) return;
    throw new HostError(
      'rate_limited',
      `${length.toLocaleString('en')} bytes do not fit: too many archives ${isOwn ? 'of this sender ' : ''}wait`,
      { hint: 'publish those that were sent before, or try again in an hour' },
    );
  }

  async #files(): Promise<{ name: string; path: string; size: number; mtimeMs: number }[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const found = await Promise.all(
      names.map(async (name) => {
        const path = join(this.#folder, name);
        const stats = await stat(path).catch(() => undefined);
        return stats === undefined ? [] : [{ name, path, size: stats.size, mtimeMs: stats.mtimeMs }];
      }),
    );
    return found.flat();
  }
}

function sizeOf(files: readonly { readonly size: number }[]): number {
  return files.reduce((all, it) => all + it.size, 0);
}

/** A sender that goes away, or is too slow: this server did nothing wrong. */
function broken(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ECONNRESET' && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  throw new HostError('network_failed', 'the connection broke in the middle of the archive', {
    cause: error,
    hint: 'send it again',
  });
}
