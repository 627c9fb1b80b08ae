import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { HostError } from '../../model/host-error.js';
import type { Json } from '../../model/json.js';
import { Refusal } from './refusal.js';

/** Whether a request brings a body at all. */
export function hasBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

/** The text of a JSON body; anything else, and anything too large, is refused before it is read. */
export async function readText(request: IncomingMessage, maxBytes: number): Promise<string> {
  if (!isJson(request.headers['content-type'] ?? ''))
    throw new Refusal(415, 'usage', 'the body must be application/json in UTF-8');
  if (request.headers['content-encoding'] !== undefined)
    throw new Refusal(415, 'usage', 'the body must not be compressed');
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const bytes = await readBytes(request, maxBytes);
  if (!isUtf8(bytes)) throw new Refusal(400, 'usage', 'the body is not UTF-8');
  const text = bytes.toString('utf8');
  // Decoders leave out the mark that some programs begin a text with.
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

function isJson(header: string): boolean {
  if (header === 'application/json') return true;
  const [type = '', ...parameters] = header.toLowerCase().split(';');
  const charset = parameters.map((it) => it.trim()).find((it) => it.startsWith('charset='));
  return type.trim() === 'application/json' && /^(?:charset="?utf-?8"?)?$/.test(charset ?? '');
}

/** With events rather than an iterator, which costs more than all the rest of a small request. */
function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = () => {
      request.off('data', take);
      request.off('end', ended);
      request.off('error', left);
      request.off('close', left);
    };
    const take = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= maxBytes) return;
      stop();
      // The connection lives on to carry the refusal; what still comes is thrown away by whoever sends it.
      request.pause();
      reject(tooLarge(maxBytes));
    };
    const ended = () => {
      stop();
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    };
    const left = (cause?: unknown) => {
      stop();
      reject(new HostError('canceled', 'the visitor left before the whole request had come', { cause }));
    };
    if (request.destroyed) return left();
    request.on('data', take);
    request.once('end', ended);
    request.once('error', left);
    request.once('close', left);
  });
}

export async function readJson(request: IncomingMessage, maxBytes: number): Promise<Json> {
  const text = await readText(request, maxBytes);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Refusal(400, 'usage', 'the body is not JSON', { cause: error });
  }
}

function tooLarge(maxBytes: number): Refusal {
  return new Refusal(413, 'usage', `the body is larger than ${maxBytes} bytes`);
}

const maxDrainedBytes = 32 * 1024 * 1024;

/**
 * Takes what is still on its way after a refusal and throws it away: a connection that is closed over unread bytes may
 * lose the answer. Whoever sends on and on is cut off.
 */
export function drain(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxDrainedBytes) request.socket.destroy();
  });
  request.on('error', () => {});
  request.resume();
}
