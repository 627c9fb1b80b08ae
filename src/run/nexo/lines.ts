import type { Readable } from 'node:stream';

export interface LineTaker {
  /** Bytes that a line may have now. */
  limit(): number;
  line(text: string, bytes: number): void;
  /** Bytes of a line that is too long and passed over. `head`: how it began, told once a line. */
  skipped(bytes: number, head: string | null): void;
  /** A line that is not UTF-8. */
  illegible(bytes: number): void;
}

const headBytes = 200;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Splits what a program writes at newlines. A line that is too long costs no memory and is not the end of the stream. */
export function takeLines(stream: Readable, taker: LineTaker): void {
  let pieces: Buffer[] = [];
  let size = 0;
  let skipping = false;
  const add = (piece: Buffer) => {
    if (piece.length === 0) return;
    if (skipping) {
      taker.skipped(piece.length, null);
      return;
    }
    pieces.push(piece);
    size += piece.length;
    if (size <= taker.limit()) return;
    const all = joined(pieces);
    skipping = true;
    taker.skipped(size, all.toString('latin1', 0, headBytes));
    pieces = [];
  };
  const finish = () => {
    if (!skipping && size > 0) complete(joined(pieces), taker);
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

function complete(bytes: Buffer, taker: LineTaker): void {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    taker.illegible(bytes.length);
    return;
  }
  if (text.trim() !== '') taker.line(text, bytes.length);
}

function joined(pieces: readonly Buffer[]): Buffer {
  return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
}
