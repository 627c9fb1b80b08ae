import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { HostError } from '../model/host-error.js';
import type { Json } from '../model/json.js';
import { documentLimits, excessText, JsonExcessError, parseBounded } from '../model/json-bounds.js';
import { parseDestination } from '../net/destination.js';
import type { HttpStream } from '../net/http-client.js';
import type { AcquireOptions } from './source.js';

/** Archives are at most this large, packed. */
const maxArchiveBytes = 512 * 1024 * 1024;
const maxDocumentBytes = 64 * 1024 * 1024;
const defaultIdleMs = 30_000;
const defaultTotalMs = 15 * 60_000;
const progressBytes = 1024 * 1024;

/** A place of an index or server, with the headers that it needs. */
export interface Remote {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether the headers contain a password or token. */
  readonly credential?: boolean | undefined;
  /** The operator configured this host, so it may be anywhere. */
  readonly configured?: boolean | undefined;
}

export interface Downloaded {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** In base64, as npm writes it. */
  readonly sha512: string;
  readonly sha1: string;
}

/** Downloads a file. The caller compares its hash. Redirects to other hosts are followed if there is no credential. */
export async function downloadFile(
  remote: Remote,
  path: string,
  options: AcquireOptions,
): Promise<Downloaded> {
  const { host } = new URL(remote.url);
  const stream = await request(remote, {
    ...options,
    accept: '*/*',
    followsOtherHosts: remote.credential !== true,
  });
  const totalBytes = Number(stream.headers['content-length']);
  const total = Number.isSafeInteger(totalBytes) ? { totalBytes } : {};
  const hashes = { sha256: createHash('sha256'), sha512: createHash('sha512'), sha1: createHash('sha1') };
  const file = await open(path, 'wx', 0o600);
  let bytes = 0;
  let reported = 0;
  try {
    options.onProgress?.({ step: 'download', detail: host, bytes, ...total });
    for await (const chunk of chunksWithin(stream, host, options)) {
      bytes += chunk.length;
      if (bytes > maxArchiveBytes) throw tooLarge(host, maxArchiveBytes);
      for (const it of Object.values(hashes)) it.update(chunk);
      await file.write(chunk);
      if (bytes - reported < progressBytes) continue;
      reported = bytes;
      options.onProgress?.({ step: 'download', detail: host, bytes, ...total });
    }
    if (
      Number.isSafeInteger(totalBytes) &&
      stream.headers['content-encoding'] === undefined &&
      bytes !== totalBytes
    )
      throw new HostError('network_failed', `${host} sent ${bytes} of ${totalBytes} bytes`, {
        hint: 'try again',
      });
  } finally {
    await file.close();
  }
  options.onProgress?.({ step: 'download', detail: host, bytes, ...total });
  return {
    path,
    bytes,
    sha256: hashes.sha256.digest('hex'),
    sha512: hashes.sha512.digest('base64'),
    sha1: hashes.sha1.digest('hex'),
  };
}

export interface FetchedText {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
}

/** Fetches a document. Statuses in `statuses` are returned; others are errors. */
export async function fetchText(
  remote: Remote,
  accept: string,
  options: AcquireOptions & { readonly statuses?: readonly number[] },
): Promise<FetchedText> {
  const { host } = new URL(remote.url);
  const stream = await request(remote, { ...options, accept, followsOtherHosts: false });
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunksWithin(stream, host, options)) {
    bytes += chunk.length;
    if (bytes > maxDocumentBytes) throw tooLarge(host, maxDocumentBytes);
    chunks.push(chunk);
  }
  return {
    text: Buffer.concat(chunks).toString('utf8'),
    headers: stream.headers,
    status: stream.status,
  };
}

/** JSON of an index. Its packages can have thousands of versions, so there is room for many values. */
export function parseIndexJson(text: string, host: string): Json {
  try {
    return parseBounded(text, { ...documentLimits, bytes: maxDocumentBytes, values: 5_000_000 });
  } catch (error) {
    const why =
      error instanceof JsonExcessError
        ? `JSON that ${excessText(error.excess)}`
        : 'something that is not JSON';
    throw new HostError('network_failed', `${host} answered with ${why}`, {
      cause: error,
      hint: 'check the address of the index',
    });
  }
}

async function request(
  remote: Remote,
  options: AcquireOptions & {
    readonly accept: string;
    readonly followsOtherHosts: boolean;
    readonly statuses?: readonly number[];
  },
): Promise<HttpStream> {
  const { services, signal, accept, followsOtherHosts, statuses = [] } = options;
  const { host, port } = parseDestination(remote.url);
  const own = { host, port };
  const stream = await services.http.open({
    method: 'GET',
    url: remote.url,
    // Hashes are of the file, so the server must not compress it once more.
    headers: { accept, 'accept-encoding': 'identity', 'user-agent': 'toolwharf', ...remote.headers },
    reach: {
      hosts: [own],
      granted: remote.configured === true ? [...services.granted, own] : services.granted,
      denied: services.denied,
      ...(services.ca === undefined ? {} : { certificates: services.ca }),
    },
    limits: { wallMs: services.timeouts?.totalMs ?? defaultTotalMs, bodyBytes: maxArchiveBytes },
    credential: remote.credential === true,
    followsOtherHosts,
    signal,
  });
  if (stream.status === 200 || statuses.includes(stream.status)) return stream;
  stream.body.destroy();
  throw statusError(stream.status, remote.url);
}

/** The body in pieces. Stops a server that sends nothing for too long. */
async function* chunksWithin(
  { body }: HttpStream,
  host: string,
  { services, signal }: AcquireOptions,
): AsyncGenerator<Buffer> {
  const idleMs = services.timeouts?.idleMs ?? defaultIdleMs;
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    body.destroy(new Error('idle'));
  }, idleMs);
  try {
    for await (const chunk of body) {
      timer.refresh();
      yield chunk as Buffer;
    }
  } catch (error) {
    if (signal.aborted) throw new HostError('canceled', 'the download was canceled', { cause: error });
    if (late) throw new HostError('timeout', `${host} sent nothing for ${idleMs / 1000} s`, { cause: error });
    if (error instanceof HostError) throw error;
    throw new HostError('network_failed', `the connection to ${host} broke`, {
      cause: error,
      hint: 'try again',
    });
  } finally {
    clearTimeout(timer);
    body.destroy();
  }
}

function statusError(status: number, url: string): HostError {
  const { host, pathname } = new URL(url);
  const where = `${host}${pathname}`;
  if (status === 404 || status === 410)
    return new HostError('not_found', `${where} does not exist`, { hint: 'check the spelling' });
  if (status === 401 || status === 403)
    return new HostError(
      'network_failed',
      `${host} does not allow access to ${pathname} (status ${status})`,
      {
        hint: 'check that it is public',
      },
    );
  return new HostError('network_failed', `${host} answered with status ${status} for ${pathname}`, {
    hint: 'try again later',
  });
}

function tooLarge(host: string, limit: number): HostError {
  return new HostError(
    'output_too_large',
    `the download from ${host} is larger than ${limit.toLocaleString('en')} bytes`,
  );
}
