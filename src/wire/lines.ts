import type { Readable } from 'node:stream';

/** The reader stops at a longer line. */
export const maxLineBytes = 16 * 1024 * 1024;

export interface LineHandlers {
  line(text: string): void;
  /** The stream ended, failed, or sent a line that is too long. Called once. */
  end(reason: 'closed' | 'too-long' | Error): void;
}

/** Splits a byte stream into lines. A line is decoded when it is complete. */
export function readLines(stream: Readable, handlers: LineHandlers): void {
  let pieces: Buffer[] = [];
  let size = 0;
  let over = false;
  const end = (reason: 'closed' | 'too-long' | Error) => {
    if (over) return;
    over = true;
    handlers.end(reason);
  };
  stream.on('data', (chunk: Buffer) => {
    let from = 0;
    while (!over) {
      const at = chunk.indexOf(0x0a, from);
      if (at === -1) break;
      if (size + at - from > maxLineBytes) return end('too-long');
      pieces.push(chunk.subarray(from, at));
      const text = (pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)).toString('utf8');
      pieces = [];
      size = 0;
      from = at + 1;
      if (text.trim() !== '') handlers.line(text);
    }
    if (over || from >= chunk.length) return;
    const rest = chunk.subarray(from);
    size += rest.length;
    if (size > maxLineBytes) end('too-long');
    else pieces.push(rest);
  });
  stream.once('end', () => end('closed'));
  stream.once('close', () => end('closed'));
  stream.once('error', end);
  // `readFirstLine` leaves the stream paused.
  stream.resume();
}

/** Reads the first line and leaves the rest in the stream. */
export function readFirstLine(stream: Readable, limit: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let buffered: Buffer = Buffer.alloc(0);
    const stop = () => {
      stream.off('data', take);
      stream.off('end', ended);
      stream.off('error', failed);
    };
    const take = (chunk: Buffer) => {
      buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]);
      const at = buffered.indexOf(0x0a);
      if (at === -1 && buffered.length <= limit) return;
      stream.pause();
      stop();
      if (at === -1 || at > limit) return reject(new Error('the first line is too long'));
      const rest = buffered.subarray(at + 1);
      if (rest.length > 0) stream.unshift(rest);
      resolve(buffered.subarray(0, at).toString('utf8'));
    };
    const ended = () => {
      stop();
      reject(new Error('the stream ended before its first line'));
    };
    const failed = (error: Error) => {
      stop();
      reject(error);
    };
    stream.on('data', take);
    stream.once('end', ended);
    stream.once('error', failed);
  });
}
