import { readFile, stat } from 'node:fs/promises';
import { damagedMetadata } from '../metadata/signed-file.js';
import type { RegistryTransport } from './registry-transport.js';

/** A registry as it will be once new files are published. */
export function overlayTransport(
  files: ReadonlyMap<string, Uint8Array | { readonly copyOf: string }>,
  below: RegistryTransport,
): RegistryTransport {
  return {
    place: below.place,
    async read(path, maxBytes) {
      const file = files.get(path);
      if (file === undefined) return below.read(path, maxBytes);
      const size = file instanceof Uint8Array ? file.length : (await stat(file.copyOf)).size;
      if (size > maxBytes)
        throw damagedMetadata(path, `it is larger than ${maxBytes.toLocaleString('en')} bytes`);
      return file instanceof Uint8Array ? Buffer.from(file) : readFile(file.copyOf);
    },
    fetch: (path, expected, target) => below.fetch(path, expected, target),
  };
}
