import type { Readable } from 'node:stream';
import { type JsonExcess, type JsonLimits, JsonMeter } from '../model/json-bounds.js';

/** The limit of a line, where the reader sets none. */
export const maxLineBytes = 16 * 1024 * 1024;

export interface LineHandlers {
  line(text: string, bytes: number): void;
  /** Current maximum length of a line in bytes. */
  limit?(): number;
  /**
   * Called for the bytes of a line that is too long, which is not kept in memory. `head`: its beginning, in the first call
   * for a line; later null. Without this handler, reading ends at such a line.
   */
  skipped?(bytes: number, head: string | null): void;
  /**
   * Lines are JSON within these limits. A line that arrives in several pieces is measured while it arrives; one that
   * arrives at once is not, because its reader measures it before parsing.
   */
  readonly json?: JsonLimits;
  /** A line exceeds the limits of JSON. Its bytes so far are dropped, and the rest is skipped. */
  rejected?(excess: JsonExcess, bytes: number, head: string): void;
  /** A line that is not UTF-8. Without this handler, invalid bytes become replacement characters. */
  invalidUtf8?(bytes: number): void;
  /** The stream ended, failed, or sent a line that is too long. Called once. */
  end?(reason: 'closed' | 'too-long' | Error): void;
}

const headBytes = 200;
const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** Splits a byte stream into lines. A line is decoded when it is complete; empty lines and an incomplete last one are ignored. */
export function readLines(stream: Readable, handlers: LineHandlers): void {
  let pieces: Buffer[] = [];
  let size = 0;
  let meter: JsonMeter | undefined;
  let isSkipping = false;
  let isOver = false;
  const end = (reason: 'closed' | 'too-long' | Error) => {
    if (isOver) return;
    isOver = true;
    pieces = [];
    meter = undefined;
    handlers.end?.(reason);
  };
  const skip = (report: (head: string) => void) => {
    isSkipping = true;
    report(joined(pieces).toString('latin1', 0, headBytes));
    pieces = [];
  };
  const add = (piece: Buffer, isLast: boolean) => {
    size += piece.length;
    const isTooLong = size > (handlers.limit?.() ?? maxLineBytes);
    if (isTooLong && handlers.skipped === undefined) return end('too-long');
    if (isSkipping) {
      handlers.skipped?.(piece.length, null);
      return;
    }
    pieces.push(piece);
    if (isTooLong) return skip((head) => handlers.skipped?.(size, head));
    if (handlers.json === undefined || (isLast && meter === undefined)) return;
    meter ??= new JsonMeter(handlers.json);
    const excess = meter.add(piece);
    if (excess !== undefined) skip((head) => handlers.rejected?.(excess, size, head));
  };
  stream.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(0x0a); at !== -1 && !isOver; at = chunk.indexOf(0x0a, from)) {
      if (at > from) add(chunk.subarray(from, at), true);
      from = at + 1;
      if (!isSkipping && size > 0 && !isOver) complete(joined(pieces), handlers);
      pieces = [];
      size = 0;
      meter = undefined;
      isSkipping = false;
    }
    if (!isOver && from < chunk.length) add(chunk.subarray(from), false);
  });
  stream.once('end', () => end('closed'));
  stream.once('close', () => end('closed'));
  stream.once('error', end);
  // `readFirstLine` leaves the stream paused.
  stream.resume();
}

function complete(bytes: Buffer, handlers: LineHandlers): void {
  const text = handlers.invalidUtf8 === undefined ? bytes.toString('utf8') : decodedStrictly(bytes);
  if (text === undefined) handlers.invalidUtf8?.(bytes.length);
  else if (text.trim() !== '') handlers.line(text, bytes.length);
}

function decodedStrictly(bytes: Buffer): string | undefined {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return undefined;
  }
}

function joined(pieces: readonly Buffer[]): Buffer {
  return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
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
