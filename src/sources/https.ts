import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HostError } from '../model/host-error.js';
import type { HttpsSource } from '../model/source.js';
import { isArchive } from './archive/archive.js';
import { defaultArchiveLimits } from './archive/archive-limits.js';
import { withFileReader } from './archive/byte-reader.js';
import { EntryNames } from './archive/entry-names.js';
import { downloadFile } from './download.js';
import type { FetchedSource, FetchOptions } from './fetched-source.js';
import { assertHash } from './hash-check.js';

/** Downloads an archive, or a single file: a manifest, or the program that a manifest names. */
export async function fetchHttps(source: HttpsSource, options: FetchOptions): Promise<FetchedSource> {
  const path = join(options.folder, 'download');
  const { sha256, bytes } = await downloadFile({ url: source.url }, path, options);
  assertHash(source.url, source.sha256, sha256);
  const locked = { ...source, sha256 };
  if (await withFileReader(path, isArchive))
    return { locked, content: { kind: 'archive', path, withoutTopFolder: true }, notes: [] };
  if (bytes > defaultArchiveLimits.fileBytes)
    throw new HostError(
      'invalid_archive',
      `${source.url} is not a zip or tar archive, and too large for a single file of a package`,
    );
  // A page to sign in, for example.
  if (/\.(?:zip|mcpb|tgz|tar|tar\.gz)$/i.test(new URL(source.url).pathname))
    throw new HostError('invalid_archive', `${source.url} is not a zip or tar archive`, {
      hint: 'open the URL in a browser: it may lead to another page',
    });
  const name = new EntryNames(defaultArchiveLimits).addFile(nameIn(source.url));
  const file = { path: name, executable: false, bytes: await readFile(path) };
  return { locked, content: { kind: 'files', files: [file] }, notes: [] };
}

function nameIn(url: string): string {
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch (error) {
    throw new HostError('usage', `${url} does not end with the name of a file`, { cause: error });
  }
}
