import type { Readable } from 'node:stream';

/** A two-way line connection: a socket, or the standard streams of a process. */
export interface Carrier {
  readonly input: Readable;
  /** Takes whole lines, newline included. False: the other side reads too slowly. */
  write(line: string): boolean;
  /** Called each time the other side has caught up. */
  onDrain(resume: () => void): void;
  close(): void;
}
