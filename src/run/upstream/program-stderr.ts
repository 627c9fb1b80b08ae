import type { Readable } from 'node:stream';
import { readLines } from '../../wire/lines.js';
import type { RateLimitedLog } from './rate-limited-log.js';
import { limitReadRate } from './read-rate.js';

const keptBytes = 16 * 1024;
const maxLineBytes = 16 * 1024;

/** The standard error of a program: its lines are logged, and its end is kept for messages. A flood is read slowly. */
export class ProgramStderr {
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(stream: Readable, log: RateLimitedLog) {
    limitReadRate(stream);
    stream.on('data', (chunk: Buffer) => this.#keep(chunk));
    readLines(stream, {
      limit: () => maxLineBytes,
      line: (text) => log.write(text),
      skipped: (_bytes, head) => {
        if (head !== null) log.write(`${head}…`);
      },
      invalidUtf8: () => log.write('(a line that is not UTF-8)'),
    });
    stream.on('error', () => {});
  }

  /** What it wrote last. */
  get tail(): string {
    return Buffer.concat(this.#chunks).subarray(-keptBytes).toString('utf8');
  }

  /** Joins chunks only now and then: they may be small. */
  #keep(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < 16 * keptBytes) return;
    const kept = Buffer.from(Buffer.concat(this.#chunks).subarray(-keptBytes));
    this.#chunks = [kept];
    this.#bytes = kept.length;
  }
}
