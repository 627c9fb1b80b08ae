import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { HostError } from '../../model/host-error.js';
import type { NetworkHost } from '../../model/permissions.js';
import { parseDestination } from '../../net/destination.js';
import type { HttpClient, HttpStream } from '../../net/http-client.js';
import { damagedMetadata } from '../metadata/signed-file.js';
import { assertRegistryPath } from './registry-path.js';
import type { RegistryTransport } from './registry-transport.js';

export interface HttpTransportOptions {
  /** With the folder of the registry, such as `https://packages.example/registry/`. */
  readonly url: string;
  readonly http: HttpClient;
  /** Hosts on loopback or private addresses that the operator granted. The operator named the registry's own host. */
  readonly granted: readonly NetworkHost[];
  readonly denied?: readonly NetworkHost[] | undefined;
  readonly ca?: string | undefined;
  /** Sent to this registry only; undefined: reading is open. */
  readonly token?: string | undefined;
  readonly signal: AbortSignal;
  readonly times?: TransportTimes | undefined;
}

/** In milliseconds. A server that sends little and slowly is stopped by the total, one that stops by the idle time. */
export interface TransportTimes {
  readonly idleMs: number;
  /** For a file of metadata. */
  readonly fileMs: number;
  /** For a bundle. */
  readonly bundleMs: number;
}

const defaultTimes: TransportTimes = { idleMs: 30_000, fileMs: 60_000, bundleMs: 15 * 60_000 };

/** A registry on a web server. Redirects are not followed: another server could answer instead. */
export function httpTransport(options: HttpTransportOptions): RegistryTransport {
  const base = options.url.endsWith('/') ? options.url : `${options.url}/`;
  const { host, port } = parseDestination(base);
  const { signal, http, granted, denied, ca, token } = options;
  const times = options.times ?? defaultTimes;

  const request = async (path: string, wallMs: number): Promise<HttpStream | undefined> => {
    assertRegistryPath(path);
    const opened = http.open({
      method: 'GET',
      url: `${base}${path}`,
      headers: {
        accept: '*/*',
        'user-agent': 'toolwharf',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      reach: {
        hosts: [{ host, port }],
        granted,
        ...(denied === undefined ? {} : { denied }),
        ...(ca === undefined ? {} : { certificates: ca }),
      },
      // The body has its own limits; this one is for the headers.
      limits: { wallMs: wallMs + times.idleMs, bodyBytes: Number.MAX_SAFE_INTEGER },
      credential: true,
      signal,
    });
    const stream = await opened.catch((error) => {
      throw withNextStep(error, host);
    });
    if (stream.status === 200) return stream;
    stream.body.destroy();
    if (stream.status === 404 || stream.status === 410) return undefined;
    throw statusError(stream.status, host, path, token !== undefined);
  };

  return {
    place: host,
    async read(path, maxBytes) {
      const stream = await request(path, times.fileMs);
      if (stream === undefined) return undefined;
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of chunksOf(stream, { ...times, host, signal, totalMs: times.fileMs })) {
        bytes += chunk.length;
        if (bytes > maxBytes) {
          stream.body.destroy();
          throw damagedMetadata(path, `it is larger than ${maxBytes.toLocaleString('en')} bytes`);
        }
        chunks.push(chunk);
      }
      return Buffer.concat(chunks);
    },
    async fetch(path, expected, target) {
      const stream = await request(path, times.bundleMs);
      if (stream === undefined) throw damagedMetadata(path, 'it is missing');
      const hash = createHash('sha256');
      let bytes = 0;
      const file = await open(target, 'wx', 0o600);
      try {
        for await (const chunk of chunksOf(stream, { ...times, host, signal, totalMs: times.bundleMs })) {
          bytes += chunk.length;
          if (bytes > expected.length) {
            stream.body.destroy();
            throw damagedMetadata(path, `it has more than ${expected.length.toLocaleString('en')} bytes`);
          }
          hash.update(chunk);
          await file.write(chunk);
        }
      } finally {
        await file.close();
      }
      if (bytes !== expected.length)
        throw damagedMetadata(path, `it has ${bytes} bytes instead of ${expected.length}`);
      const found = hash.digest('hex');
      if (found !== expected.sha256)
        throw damagedMetadata(path, `its hash is ${found} instead of ${expected.sha256}`);
    },
  };
}

interface ChunkOptions {
  readonly host: string;
  readonly idleMs: number;
  readonly totalMs: number;
  readonly signal: AbortSignal;
}

async function* chunksOf({ body }: HttpStream, options: ChunkOptions): AsyncGenerator<Buffer> {
  const { host, idleMs, totalMs, signal } = options;
  const tooSlow = `${host} did not send the file within ${totalMs / 1000} s`;
  let late: string | undefined;
  const stop = (why: string) => () => {
    late = why;
    body.destroy(new Error('late'));
  };
  const idle = setTimeout(stop(`${host} sent nothing for ${idleMs / 1000} s`), idleMs);
  const total = setTimeout(stop(tooSlow), totalMs);
  const cancel = () => body.destroy(new Error('canceled'));
  signal.addEventListener('abort', cancel, { once: true });
  try {
    for await (const chunk of body) {
      idle.refresh();
      yield chunk as Buffer;
    }
  } catch (error) {
    if (error instanceof HostError) throw error;
    if (signal.aborted)
      throw new HostError('canceled', 'reading the registry was canceled', { cause: error });
    if (late !== undefined) throw new HostError('timeout', late, { cause: error, hint: 'try again later' });
    throw new HostError('network_failed', `the connection to ${host} broke`, {
      cause: error,
      hint: 'try again',
    });
  } finally {
    clearTimeout(idle);
    clearTimeout(total);
    signal.removeEventListener('abort', cancel);
    body.destroy();
  }
}

/** A server that does not answer has no advice of its own. */
function withNextStep(error: unknown, host: string): unknown {
  if (!(error instanceof HostError) || error.code !== 'network_failed' || error.hint !== undefined)
    return error;
  return new HostError(error.code, error.message, {
    cause: error,
    hint: `is the registry running? check the address of ${host}, or use a copy in a folder: path instead of url`,
  });
}

function statusError(status: number, host: string, path: string, hasToken: boolean): HostError {
  if (status === 401 || status === 403)
    return new HostError(
      'auth_required',
      `${host} does not allow access to its registry (status ${status})`,
      {
        hint: hasToken
          ? 'the token may be wrong or withdrawn'
          : 'write token_file = "FILE" for it in your configuration; its operator creates tokens',
      },
    );
  return new HostError('network_failed', `${host} answered with status ${status} for ${path}`, {
    hint: 'try again later',
  });
}
