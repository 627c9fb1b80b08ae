import { builtInFormats } from '../formats/built-in-formats.js';
import type { FormatDescriptor } from '../formats/format-descriptor.js';
import { HostError } from '../model/host-error.js';
import type { LockedSource, Source } from '../model/source.js';
import { readArchive } from './archive/archive.js';
import { withFileReader } from './archive/byte-reader.js';
import type { StoredTree } from './content-store.js';
import { convertTree } from './convert.js';
import type { FetchedSource, FetchOptions } from './fetched-source.js';
import { fetchGit, resolveGitSource } from './git.js';
import { fetchHttps } from './https.js';
import { readFolder, readLocalArchive, readSingleFile } from './local.js';
import { fetchNpm, lockNpm } from './npm.js';
import { fetchOci, resolveOciSource } from './oci.js';
import { fetchPypi, lockPypi } from './pypi.js';
import { fetchRegistry, lockRegistry } from './registry.js';
import type { AcquiredSource, AcquireOptions } from './source.js';
import { storageFailure } from './storage-failure.js';
import { isNamedTag } from './versions/npm-range.js';

/** Resolves, downloads, verifies and unpacks a source into the content store. A locked source must match exactly. */
export async function acquireSource(
  source: Source | LockedSource,
  options: AcquireOptions,
): Promise<AcquiredSource> {
  const { store } = options.services;
  return withFetched(source, options, async (fetched) => {
    stopIfCanceled(options);
    const tree = await storeTree(fetched, options);
    const converted = await convertTree(tree, source, { store, signal: options.signal });
    return {
      locked: fetched.locked,
      tree: converted.tree.digest,
      folder: converted.tree.folder,
      bytes: converted.tree.bytes,
      notes: [...fetched.notes, ...converted.notes],
      ...(fetched.isTag === true ? { isTag: true } : {}),
    };
  });
}

/** What the source means now, and whether the text names a tag, which should not move. */
export async function resolveTagged(
  source: Source,
  options: AcquireOptions,
): Promise<{ readonly locked: LockedSource; readonly isTag: boolean }> {
  if (source.kind === 'git') return resolveGitSource(source, options);
  const locked = await resolveSource(source, options);
  const isTag =
    source.kind === 'oci'
      ? !source.reference.startsWith('sha256:')
      : source.kind === 'npm' && isNamedTag(source.range);
  return { locked, isTag };
}

/** What the source means now. It is downloaded only if nobody else knows its hash; nothing is stored. */
export async function resolveSource(source: Source, options: AcquireOptions): Promise<LockedSource> {
  if (source.kind === 'git') return (await resolveGitSource(source, options)).locked;
  if (source.kind === 'oci') return resolveOciSource(source, options);
  if (source.kind === 'registry') return lockRegistry(source, options);
  const known =
    source.kind === 'npm'
      ? await lockNpm(source, options)
      : source.kind === 'pypi'
        ? await lockPypi(source, options)
        : undefined;
  if (known !== undefined) return known;
  return withFetched(source, options, async ({ locked }) => locked);
}

/** Fetches a source. What was downloaded is removed after `work`. */
async function withFetched<T>(
  source: Source | LockedSource,
  options: AcquireOptions,
  work: (fetched: FetchedSource) => Promise<T>,
): Promise<T> {
  stopIfCanceled(options);
  let folder = '';
  let close = async (): Promise<void> => {};
  try {
    if (isHere(source)) return await work(await readSource(source));
    ({ folder, close } = await options.services.store.openStaging());
    return await work(await downloadSource(source, { ...options, folder }));
  } catch (error) {
    if (options.signal.aborted && !(error instanceof HostError)) throw canceled(error);
    throw storageFailure(error, folder);
  } finally {
    await close();
  }
}

type HereSource = Extract<Source | LockedSource, { kind: 'folder' | 'file' | 'archive' | 'server' }>;

/** Whether nothing must be downloaded. */
function isHere(source: Source | LockedSource): source is HereSource {
  const { kind } = source;
  return kind === 'folder' || kind === 'file' || kind === 'archive' || kind === 'server';
}

async function readSource(source: HereSource): Promise<FetchedSource> {
  switch (source.kind) {
    case 'folder':
      return readFolder(source);
    case 'file':
      return readSingleFile(source);
    case 'archive':
      return readLocalArchive(source);
    case 'server': {
      const formats: readonly FormatDescriptor[] = builtInFormats;
      const path = formats.find((it) => it.serverManifest !== undefined)?.serverManifest?.fileName;
      if (path === undefined) throw new Error('no format describes plain servers');
      const file = { path, executable: false, bytes: Buffer.from(source.manifest) };
      return { locked: source, content: { kind: 'files', files: [file] }, notes: [] };
    }
  }
}

async function downloadSource(
  source: Exclude<Source | LockedSource, HereSource>,
  options: FetchOptions,
): Promise<FetchedSource> {
  switch (source.kind) {
    case 'https':
      return fetchHttps(source, options);
    case 'git':
      return fetchGit(source, options);
    case 'npm':
      return fetchNpm(source, options);
    case 'pypi':
      return fetchPypi(source, options);
    case 'oci':
      return fetchOci(source, options);
    case 'registry':
      return fetchRegistry(source, options);
  }
}

async function storeTree({ content }: FetchedSource, options: AcquireOptions): Promise<StoredTree> {
  const { services, signal, onProgress } = options;
  if (content.kind === 'files') {
    onProgress?.({ step: 'store', detail: 'files' });
    return services.store.add(content.files, { signal });
  }
  onProgress?.({ step: 'unpack', detail: 'archive' });
  const { withoutTopFolder } = content;
  return withFileReader(content.path, (reader) =>
    services.store.add(readArchive(reader), { signal, withoutTopFolder }),
  );
}

function stopIfCanceled({ signal }: AcquireOptions): void {
  if (signal.aborted) throw canceled();
}

function canceled(cause?: unknown): HostError {
  return new HostError('canceled', 'acquiring the package was canceled', { cause });
}
