import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { HostError } from '../../model/host-error.js';
import type { Json } from '../../model/json.js';
import { HttpError } from './http-error.js';

/** Whether the request has a body. */
export function hasBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

/** Reads the text of a JSON body. Other content types and bodies over the limit are rejected before they are read. */
export async function readBodyText(request: IncomingMessage, maxBytes: number): Promise<string> {
  if (!isJson(request.headers['content-type'] ?? ''))
    throw new HttpError(415, 'usage', 'the body must be application/json in UTF-8');
  if (request.headers['content-encoding'] !== undefined)
    throw new HttpError(415, 'usage', 'the body must not be compressed');
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const bytes = await readBytes(request, maxBytes);
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
function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = () => {
      request.off('data', onData);
      request.off('end', onEnd);
      request.off('error', onClose);
      request.off('close', onClose);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= maxBytes) return;
      stop();
      // The connection stays open to send the error; `drainRequest` discards the remaining bytes.
      request.pause();
      reject(tooLarge(maxBytes));
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

export async function readBodyJson(request: IncomingMessage, maxBytes: number): Promise<Json> {
  const text = await readBodyText(request, maxBytes);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new HttpError(400, 'usage', 'the body is not JSON', { cause: error });
  }
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
