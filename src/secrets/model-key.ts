import { isSameOrSubdomain } from '../model/host-name.js';
import type { Vault } from './vault.js';

/** Where the vault has the key of the model that reads texts before they are published. */
export const modelKeyEntry = { package: '@model', slot: 'MODEL_API_KEY' } as const;

/** The key for a host; undefined if none is stored, or if it is meant for other hosts. */
export async function readModelKey(vault: Pick<Vault, 'value'>, host: string): Promise<string | undefined> {
  const stored = await vault.value(modelKeyEntry.package, modelKeyEntry.slot);
  if (stored === undefined) return undefined;
  const { audience } = stored;
  const isFor = audience.kind !== 'hosts' || audience.hosts.some((it) => isSameOrSubdomain(it, host));
  return isFor ? stored.value : undefined;
}
