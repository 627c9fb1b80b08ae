// One search over all configured registries.
import { type FoundSummary, searchPackages, updateSearchIndex } from './package-search.js';
import type { RegistryClient } from './registry-client.js';
import type { RegistrySet } from './registry-set.js';

export interface RegistryQuestion {
  readonly words: string;
  readonly limit: number;
}

export interface FoundInRegistries {
  /** The registries that were asked. */
  readonly registries: readonly string[];
  readonly packages: readonly FoundSummary[];
  /** Files that were used although they have expired. */
  readonly expired: readonly string[];
}

/** Finds only packages that `registry:NAME` can mean: those of another registry's namespaces are left out. */
export async function searchRegistries(
  set: RegistrySet,
  { words, limit }: RegistryQuestion,
): Promise<FoundInRegistries> {
  const found: FoundSummary[] = [];
  const expired: string[] = [];
  const owners = new Map<string, RegistryClient | undefined>();
  for (const client of set.clients) {
    const state = await set.state(client);
    await updateSearchIndex(client, state);
    for (const it of searchPackages(client.store, words, limit)) {
      const namespace = it.name.replace(/\/.*/s, '');
      if (!owners.has(namespace)) owners.set(namespace, await set.owner(namespace));
      if (owners.get(namespace) === client) found.push({ ...it, registry: client.name });
    }
    expired.push(...state.expired.map((text) => `${client.name}: ${text}`));
  }
  // Scores of different registries are comparable only roughly; a tie keeps the order of the registries.
  const packages = found.sort((a, b) => b.score - a.score).slice(0, limit);
  return { registries: set.clients.map((it) => it.name), packages, expired };
}
