const blockBytes = 512;

/** Reads a stream in the blocks of 512 bytes that a tar archive consists of. */
export class BlockReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer[] = [];
  #size = 0;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The next block. Undefined at the end; a partial block counts as the end. */
  async next(): Promise<Buffer | undefined> {
    return this.#bytes(blockBytes);
  }

  /** Content and its padding up to a whole block. Undefined if the stream ends before. */
  async take(size: number): Promise<Buffer | undefined> {
    return (await this.#bytes(padded(size)))?.subarray(0, size);
  }

  /** Goes past content without keeping it. */
  async skip(size: number, truncated: () => Error): Promise<void> {
    for (let left = padded(size); left > 0; left -= blockBytes)
      if ((await this.next()) === undefined) throw truncated();
  }

  async #bytes(count: number): Promise<Buffer | undefined> {
    while (this.#size < count) {
      const { value, done } = await this.#chunks.next();
      if (done === true) return undefined;
      this.#rest.push(value);
      this.#size += value.length;
    }
    const all = this.#rest.length === 1 ? (this.#rest[0] as Buffer) : Buffer.concat(this.#rest);
    this.#rest = [all.subarray(count)];
    this.#size -= count;
    return all.subarray(0, count);
  }
}

function padded(size: number): number {
  return Math.ceil(size / blockBytes) * blockBytes;
}
