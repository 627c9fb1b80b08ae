import type { Readable } from 'node:stream';

export interface LineSplitHandlers {
  /** Current maximum length of a line in bytes. */
  limit(): number;
  line(text: string, bytes: number): void;
  /** Called for the bytes of a line that is too long. `head`: its beginning, in the first call for a line; later null. */
  skipped(bytes: number, head: string | null): void;
  /** A line that is not UTF-8. */
  invalidUtf8(bytes: number): void;
}

const headBytes = 200;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Splits a stream into lines. A line that is too long is skipped without keeping it in memory. */
export function splitLines(stream: Readable, handlers: LineSplitHandlers): void {
  let pieces: Buffer[] = [];
  let size = 0;
  let skipping = false;
  const add = (piece: Buffer) => {
    if (piece.length === 0) return;
    if (skipping) {
      handlers.skipped(piece.length, null);
      return;
    }
    pieces.push(piece);
    size += piece.length;
    if (size <= handlers.limit()) return;
    const all = joined(pieces);
    skipping = true;
    handlers.skipped(size, all.toString('latin1', 0, headBytes));
    pieces = [];
  };
  const finish = () => {
    if (!skipping && size > 0) complete(joined(pieces), handlers);
    pieces = [];
    size = 0;
    skipping = false;
  };
  stream.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, from)) {
      add(chunk.subarray(from, at));
      finish();
      from = at + 1;
    }
    add(chunk.subarray(from));
  });
}

function complete(bytes: Buffer, handlers: LineSplitHandlers): void {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    handlers.invalidUtf8(bytes.length);
    return;
  }
  if (text.trim() !== '') handlers.line(text, bytes.length);
}

function joined(pieces: readonly Buffer[]): Buffer {
  return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
}
