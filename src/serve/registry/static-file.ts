// Files of a registry over HTTP: streamed, with validators and ranges, so that a broken download goes on where it stopped.
import type { FileHandle } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { openBelow } from '../../files/open-below.js';
import { HttpError } from '../http/http-error.js';
import { headersWith, isKnown } from './registry-reply.js';

/** Folders of a registry that everybody may read. Everything else in its folder stays here. */
const folders = ['metadata', 'targets', 'log', 'proofs'];
const segment = /^[A-Za-z0-9_][A-Za-z0-9._+-]*$/;

/** The path of a file inside of the registry; undefined: it can never be one. */
export function registryFilePath(urlPath: string): string | undefined {
  let path: string;
  try {
    path = decodeURIComponent(urlPath.slice(1));
  } catch {
    return undefined;
  }
  const segments = path.split('/');
  if (segments.length < 2 || !folders.includes(segments[0] ?? '')) return undefined;
  return segments.every((it) => segment.test(it) && !it.includes('..')) ? path : undefined;
}

/** Sends a file, or a part of it. Throws an `HttpError` if it is not there. */
export async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  {
    folder,
    path,
    isPrivate,
  }: { readonly folder: string; readonly path: string; readonly isPrivate: boolean },
): Promise<void> {
  const file = await openFile(folder, path);
  try {
    const stats = await file.stat({ bigint: true });
    if (!stats.isFile()) throw notFound();
    const size = Number(stats.size);
    const etag = `"${stats.size.toString(16)}-${stats.mtimeNs.toString(16)}"`;
    const headers = {
      'content-type': typeOf(path),
      etag,
      'accept-ranges': 'bytes',
      'last-modified': new Date(Number(stats.mtimeMs)).toUTCString(),
      'cache-control': cachingOf(path, isPrivate),
    };
    if (isKnown(request, etag)) {
      response.writeHead(304, headersWith(headers));
      response.end();
      return;
    }
    const range = rangeOf(request, size, etag);
    if (range === 'unsatisfiable') {
      response.writeHead(
        416,
        headersWith({ ...headers, 'content-range': `bytes */${size}`, 'content-length': 0 }),
      );
      response.end();
      return;
    }
    const { start, end } = range ?? { start: 0, end: size - 1 };
    response.writeHead(
      range === undefined ? 200 : 206,
      headersWith({
        ...headers,
        'content-length': end - start + 1,
        ...(range === undefined ? {} : { 'content-range': `bytes ${start}-${end}/${size}` }),
      }),
    );
    if (request.method === 'HEAD' || size === 0) {
      response.end();
      return;
    }
    await pipeline(file.createReadStream({ start, end, autoClose: false }), response);
  } finally {
    await file.close();
  }
}

async function openFile(folder: string, path: string): Promise<FileHandle> {
  try {
    return await openBelow(folder, path);
  } catch (error) {
    throw notFound(error);
  }
}

function notFound(cause?: unknown): HttpError {
  return new HttpError(404, 'not_found', 'this registry does not have this file', { cause });
}

/** One range. Anything else is answered with the whole file, as the standard allows. */
function rangeOf(
  { headers }: IncomingMessage,
  size: number,
  etag: string,
): { readonly start: number; readonly end: number } | 'unsatisfiable' | undefined {
  const condition = headers['if-range'];
  if (condition !== undefined && condition !== etag) return undefined;
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.range ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  // Not a range at all, which the standard says to ignore.
  if (first !== '' && last !== '' && Number(first) > Number(last)) return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(size - 1, Number(last));
  return start > end || start >= size ? 'unsatisfiable' : { start, end };
}

function cachingOf(path: string, isPrivate: boolean): string {
  const who = isPrivate ? 'private' : 'public';
  // Two files are replaced, and a proof may be. The content of every other one belongs to its name.
  const isReplaced =
    path === 'metadata/timestamp.json' || path === 'log/checkpoint' || path.startsWith('proofs/');
  return isReplaced ? `${who}, no-cache` : `${who}, max-age=31536000, immutable`;
}

function typeOf(path: string): string {
  if (path.endsWith('.json')) return 'application/json';
  if (path === 'log/checkpoint' || path.startsWith('proofs/')) return 'text/plain; charset=utf-8';
  return path.endsWith('.tgz') || path.endsWith('.gz') ? 'application/gzip' : 'application/octet-stream';
}
