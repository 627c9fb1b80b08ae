import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { HostError } from '../model/host-error.js';
import { isObject, type Json } from '../model/json.js';
import type { LockedSource, OciSource } from '../model/source.js';
import { readArchiveFolder } from './archive/archive.js';
import { withFileReader } from './archive/byte-reader.js';
import { downloadFile } from './download.js';
import type { FetchedSource, FetchOptions } from './fetched-source.js';
import { assertHash } from './hash-check.js';
import { type OciDocument, type OciRegistry, openOciRegistry } from './oci-registry.js';
import type { AcquireOptions, SourceNote } from './source.js';
import type { TreeFile } from './tree-file.js';

type LockedOci = Extract<LockedSource, { kind: 'oci' }>;

/** The folder of an image that contains the package. The rest of the image is its programs. */
const packageFolder = 'toolwharf';
const maxLayers = 128;
const digestPattern = /^sha256:[a-f0-9]{64}$/;

/** The digest of a tag. */
export async function resolveOciSource(source: OciSource, options: AcquireOptions): Promise<LockedOci> {
  options.onProgress?.({ step: 'resolve', detail: source.image });
  const { digest } = await openOciRegistry(source, options).manifest(source.reference);
  return { ...source, digest };
}

/** Reads the folder `/toolwharf` of an image. Nothing of the image is run. */
export async function fetchOci(
  source: OciSource | LockedOci,
  options: FetchOptions,
): Promise<FetchedSource<LockedOci>> {
  options.onProgress?.({ step: 'resolve', detail: source.image });
  const registry = openOciRegistry(source, options);
  const now = await registry.manifest(source.reference).catch((error: unknown) => {
    // The tag may be gone, but the digest of a lock can still be read.
    if ('digest' in source && error instanceof HostError && error.code === 'not_found') return undefined;
    throw error;
  });
  const digest = 'digest' in source ? source.digest : (now?.digest as string);
  const document = now?.digest === digest ? now : await lockedManifest(source, digest, now, registry);
  const notes: SourceNote[] =
    now === undefined || now.digest === digest
      ? []
      : [
          {
            code: 'moved',
            text: `the tag ${source.reference} of ${source.image} was moved: the lock has ${digest}, now it is ${now.digest}`,
          },
        ];
  const { kind, image, reference } = source;
  return {
    locked: { kind, image, reference, digest },
    content: { kind: 'files', files: await packageFiles(source, document, registry, options) },
    notes,
    isTag: !digestPattern.test(reference),
  };
}

/** The image of a lock, whose tag means another one now or is gone. */
async function lockedManifest(
  { image, reference }: OciSource,
  digest: string,
  now: OciDocument | undefined,
  registry: OciRegistry,
): Promise<OciDocument> {
  try {
    return await registry.manifest(digest);
  } catch (error) {
    if (!(error instanceof HostError) || error.code !== 'not_found') throw error;
    const found = now === undefined ? 'the tag is gone too' : `${reference} is ${now.digest} now`;
    throw new HostError(
      'integrity',
      `the registry no longer has the image that the lock names: expected ${image}@${digest}; ${found}`,
      { cause: error, hint: 'ask the author why it was removed' },
    );
  }
}

async function packageFiles(
  source: OciSource,
  document: OciDocument,
  registry: OciRegistry,
  options: FetchOptions,
): Promise<readonly TreeFile[]> {
  const layers = await layersOf(document, registry);
  const files = new Map<string, TreeFile>();
  for (const [index, digest] of layers.entries()) {
    const path = join(options.folder, `layer-${index}`);
    const layer = await downloadFile(registry.blob(digest), path, options);
    assertHash(`a layer of oci:${source.image}`, digest, `sha256:${layer.sha256}`);
    await withFileReader(path, async (reader) => {
      for await (const it of readArchiveFolder(reader, packageFolder)) applyFile(files, it);
    });
    await rm(path);
  }
  if (files.size > 0) return [...files.values()];
  throw new HostError('invalid_archive', `oci:${source.image} has no folder /${packageFolder}`, {
    hint: `an image is a package if it has a manifest in /${packageFolder}; as the program of another package, name it there`,
  });
}

/** A later layer replaces files of earlier ones, or removes them with a file whose name begins with ".wh.". */
function applyFile(files: Map<string, TreeFile>, file: TreeFile): void {
  const [, folder = '', removed] = /^(.*\/)?\.wh\.([^/]+)$/.exec(file.path) ?? [];
  if (removed === undefined) {
    files.set(file.path, file);
    return;
  }
  const gone = removed === '.wh..opq' || removed === '.opq' ? folder : `${folder}${removed}`;
  for (const path of [...files.keys()])
    if (path === gone || path.startsWith(gone.endsWith('/') || gone === '' ? gone : `${gone}/`))
      files.delete(path);
}

/** The layers of the image for Linux on this processor. */
async function layersOf(document: OciDocument, registry: OciRegistry): Promise<readonly string[]> {
  const list = document.value.manifests;
  const chosen = Array.isArray(list) ? await registry.manifest(platformDigest(list)) : document;
  const layers = Array.isArray(chosen.value.layers) ? chosen.value.layers : [];
  const digests = layers.map((it) => (isObject(it) ? it.digest : undefined));
  const valid = digests.filter((it): it is string => typeof it === 'string' && digestPattern.test(it));
  if (valid.length > 0 && valid.length === layers.length && valid.length <= maxLayers) return valid;
  throw new HostError('invalid_archive', 'the manifest of the image lists no layers that can be read');
}

function platformDigest(manifests: readonly Json[]): string {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const platformOf = (it: Json) => (isObject(it) && isObject(it.platform) ? it.platform : {});
  const found = manifests.find(
    (it) => platformOf(it).os === 'linux' && platformOf(it).architecture === architecture,
  );
  const digest = isObject(found) ? found.digest : undefined;
  if (typeof digest === 'string' && digestPattern.test(digest)) return digest;
  throw new HostError('not_supported', `the image has no variant for Linux on ${architecture}`);
}
