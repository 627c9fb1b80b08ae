import { isSameOrSubdomain } from '../model/host-name.js';
import type { Vault } from './vault.js';

/** Owner of the tokens that registries are read with, one for each name in the configuration. */
export const registryTokenOwner = '@registry';

/** The token for a registry at a host; undefined if none is stored, or if it is meant for other hosts. */
export async function readRegistryToken(
  vault: Pick<Vault, 'value'>,
  registry: string,
  host: string,
): Promise<string | undefined> {
  const stored = await vault.value(registryTokenOwner, registry);
  if (stored === undefined) return undefined;
  const { audience } = stored;
  const isFor = audience.kind === 'hosts' && audience.hosts.some((it) => isSameOrSubdomain(it, host));
  return isFor ? stored.value : undefined;
}
