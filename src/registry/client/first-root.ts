import { sha256 } from '../../files/sha256.js';
import { HostError } from '../../model/host-error.js';
import { metadataLimits } from '../metadata/metadata-check.js';
import type { RegistryTransport } from '../transport/registry-transport.js';

/** The first root file of a registry, which must have this SHA-256. Undefined: a person compares it. */
export async function firstRoot(
  transport: RegistryTransport,
  fingerprint: string | undefined,
  hint = 'check the address of the registry',
): Promise<Buffer> {
  const bytes = await transport.read('metadata/1.root.json', metadataLimits.root);
  if (bytes === undefined)
    throw new HostError('not_found', `there is no registry at ${transport.place}`, { hint });
  const found = sha256(bytes);
  if (fingerprint === undefined || found === fingerprint) return bytes;
  throw new HostError(
    'integrity',
    `the root file at ${transport.place} is not the one that was expected: expected ${fingerprint}, found ${found}`,
    { hint: 'ask the operator of the registry for its fingerprint, not the server' },
  );
}
