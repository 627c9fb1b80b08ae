import type { Readable } from 'node:stream';

/** A connection that carries lines: a socket, or the standard streams of a process. */
export interface LineConnection {
  readonly input: Readable;
  /** Writes a line that ends with a newline. False: the other side reads too slowly. */
  write(line: string): boolean;
  /** Calls `resume` when the other side has read everything. */
  onDrain(resume: () => void): void;
  close(): void;
}
