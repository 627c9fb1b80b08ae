import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { HostError } from '../../model/host-error.js';
import type { Json } from '../../model/json.js';
import {
  excessText,
  type JsonExcess,
  JsonExcessError,
  JsonMeter,
  parseBounded,
  requestLimits,
} from '../../model/json-bounds.js';
import { inexactHint, inexactNumber, inexactText } from '../../model/json-number.js';
import type { ByteShare, ByteShortage } from '../../wire/byte-budget.js';
import type { Turns } from '../../wire/turns.js';
import { HttpError } from './http-error.js';

/** What reading a body may use. */
export interface BodyRoom {
  readonly maxBytes: number;
  /** The bytes that the body occupies, until the request has ended. */
  readonly share: ByteShare;
  /** Large bodies are parsed one at a time. */
  readonly turns: Turns;
}

/** In bytes. A smaller body is parsed at once, within a few milliseconds. */
const smallBody = 64 * 1024;

/** Whether the request has a body. */
export function hasBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

/**
 * Reads the text of a JSON body. Other content types and bodies over a limit of size are rejected before they are read,
 * and a body with too many levels or values as soon as it exceeds them. The caller must parse it before it waits for
 * anything else, because it is its turn.
 */
export async function readBodyText(request: IncomingMessage, room: BodyRoom): Promise<string> {
  const { maxBytes } = room;
  if (!isJson(request.headers['content-type'] ?? ''))
    throw new HttpError(415, 'usage', 'the body must be application/json in UTF-8');
  if (request.headers['content-encoding'] !== undefined)
    throw new HttpError(415, 'usage', 'the body must not be compressed');
  const declared = Number(request.headers['content-length']) || 0;
  if (declared > maxBytes) throw tooLarge(maxBytes);
  // Reserved at once: if many bodies shared the rest of a budget, none of them would get all its bytes.
  const shortage = room.share.take(declared);
  if (shortage !== undefined) throw busy(shortage);
  const bytes = await readBytes(request, declared, room);
  if (bytes.length > smallBody) await room.turns.next();
  if (!isUtf8(bytes)) throw new HttpError(400, 'usage', 'the body is not UTF-8');
  const text = bytes.toString('utf8');
  // Some programs start a text with a byte order mark. It is not part of the JSON.
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

function isJson(header: string): boolean {
  if (header === 'application/json') return true;
  const [type = '', ...parameters] = header.toLowerCase().split(';');
  const charset = parameters.map((it) => it.trim()).find((it) => it.startsWith('charset='));
  return type.trim() === 'application/json' && /^(?:charset="?utf-?8"?)?$/.test(charset ?? '');
}

/** Uses events, not an async iterator: an iterator costs more than the rest of a small request. */
function readBytes(
  request: IncomingMessage,
  declared: number,
  { maxBytes, share }: BodyRoom,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const meter = new JsonMeter(requestLimits);
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = () => {
      request.off('data', onData);
      request.off('end', onEnd);
      request.off('error', onClose);
      request.off('close', onClose);
    };
    const problemOf = (chunk: Buffer): HttpError | undefined => {
      if (size > maxBytes) return tooLarge(maxBytes);
      // A body without a declared size is counted as it arrives.
      const shortage = size > declared ? share.take(chunk.length) : undefined;
      if (shortage !== undefined) return busy(shortage);
      // A body that arrives at once is measured when it is parsed.
      const excess = size === declared && chunks.length === 0 ? undefined : meter.add(chunk);
      return excess === undefined ? undefined : tooComplex(excess);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      const problem = problemOf(chunk);
      if (problem === undefined) {
        chunks.push(chunk);
        return;
      }
      stop();
      // The connection stays open to send the error; `drainRequest` discards the remaining bytes.
      request.pause();
      reject(problem);
    };
    const onEnd = () => {
      stop();
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    };
    const onClose = (cause?: unknown) => {
      stop();
      reject(new HostError('canceled', 'the client disconnected before the request was complete', { cause }));
    };
    if (request.destroyed) return onClose();
    request.on('data', onData);
    request.once('end', onEnd);
    request.once('error', onClose);
    request.once('close', onClose);
  });
}

export async function readBodyJson(request: IncomingMessage, room: BodyRoom): Promise<Json> {
  const text = await readBodyText(request, room);
  let value: Json;
  try {
    value = parseBounded(text, requestLimits);
  } catch (error) {
    if (error instanceof JsonExcessError) throw tooComplex(error.excess);
    throw new HttpError(400, 'usage', 'the body is not JSON', { cause: error });
  }
  const inexact = inexactNumber(text);
  if (inexact !== undefined)
    throw new HttpError(400, 'invalid_input', `the body ${inexactText(inexact)}`, { hint: inexactHint });
  return value;
}

function tooComplex(excess: JsonExcess): HttpError {
  return new HttpError(400, 'usage', `the body ${excessText(excess)}`);
}

function busy(shortage: ByteShortage): HttpError {
  const headers = { 'retry-after': '1' };
  if (shortage === 'owner')
    return new HttpError(
      429,
      'rate_limited',
      'the requests of this token that are in progress are too large together',
      {
        hint: 'wait until some of them have ended',
        headers,
      },
    );
  return new HttpError(503, 'rate_limited', 'the requests that are in progress are too large together', {
    hint: 'try again later',
    headers,
  });
}

function tooLarge(maxBytes: number): HttpError {
  return new HttpError(413, 'usage', `the body is larger than ${maxBytes} bytes`);
}

const maxDrainedBytes = 32 * 1024 * 1024;

/**
 * Reads and discards the rest of a rejected request. If the connection were closed with unread bytes, the client might
 * not receive the answer. A client that keeps sending is disconnected.
 */
export function drainRequest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxDrainedBytes) request.socket.destroy();
  });
  request.on('error', () => {});
  request.resume();
}
