import { join } from 'node:path';
import { HostError } from '../model/host-error.js';
import type { RegistrySource } from '../model/source.js';
import type { FetchedSource, FetchOptions } from './fetched-source.js';
import { assertHash } from './hash-check.js';
import type { AcquireOptions, LockedRegistry, RegistryRelease } from './source.js';

export async function lockRegistry(
  source: RegistrySource | LockedRegistry,
  options: AcquireOptions,
): Promise<LockedRegistry> {
  const { version, sha256 } = await find(source, options);
  const { name, range } = source;
  return { kind: 'registry', name, range, version, sha256 };
}

export async function fetchRegistry(
  source: RegistrySource | LockedRegistry,
  options: FetchOptions,
): Promise<FetchedSource<LockedRegistry>> {
  const found = await find(source, options);
  const { name, range } = source;
  const path = join(options.folder, 'release.tgz');
  options.onProgress?.({ step: 'download', detail: `${name} ${found.version}` });
  await found.fetch(path);
  return {
    locked: { kind: 'registry', name, range, version: found.version, sha256: found.sha256 },
    // A registry has the files as they were published.
    content: { kind: 'archive', path, withoutTopFolder: false },
    notes: found.notes,
  };
}

async function find(
  source: RegistrySource | LockedRegistry,
  options: AcquireOptions,
): Promise<RegistryRelease> {
  const { registries } = options.services;
  if (registries === undefined)
    throw new HostError(
      'not_found',
      `no registry is configured, so registry:${source.name} cannot be found`,
      {
        hint: 'add one to your config.toml: [registries.NAME] with url or path, and root',
      },
    );
  options.onProgress?.({ step: 'resolve', detail: source.name });
  const found = await registries.find(source, options.signal);
  if ('sha256' in source)
    assertHash(`registry:${source.name}@${source.version}`, source.sha256, found.sha256);
  return found;
}
