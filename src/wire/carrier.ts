import type { Readable } from 'node:stream';

/** A two-way line connection: a socket, or the standard streams of a process. */
export interface Carrier {
  readonly input: Readable;
  /** Takes whole lines, newline included. */
  write(line: string): void;
  close(): void;
}
