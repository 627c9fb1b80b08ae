// One search over all configured registries.
import { type FoundSummary, searchPackages, updateSearchIndex } from './package-search.js';
import type { FoundRelease, RegistryClient } from './registry-client.js';
import type { RegistrySet } from './registry-set.js';

export interface RegistryQuestion {
  readonly words: string;
  readonly limit: number;
}

/** A package with what speaks against the version that it would be installed in. */
export interface FoundPackageSummary extends FoundSummary {
  /** Why its publisher withdrew all of its releases. */
  readonly yanked?: string;
  /** Why the registry warns about it. */
  readonly quarantined?: string;
}

export interface FoundInRegistries {
  /** The registries that were asked. */
  readonly registries: readonly string[];
  readonly packages: readonly FoundPackageSummary[];
  /** Files that were used although they have expired. */
  readonly expired: readonly string[];
}

/** Finds only packages that `registry:NAME` can mean: those of another registry's namespaces are left out. */
export async function searchRegistries(
  set: RegistrySet,
  { words, limit }: RegistryQuestion,
): Promise<FoundInRegistries> {
  const found: FoundPackageSummary[] = [];
  const expired: string[] = [];
  const owners = new Map<string, RegistryClient | undefined>();
  for (const client of set.clients) {
    const state = await set.state(client);
    await updateSearchIndex(client, state);
    for (const it of searchPackages(client.store, words, limit)) {
      const namespace = it.name.replace(/\/.*/s, '');
      if (!owners.has(namespace)) owners.set(namespace, await set.owner(namespace));
      if (owners.get(namespace) !== client) continue;
      const releases = (await client.namespace(state, namespace)) ?? [];
      const release = releases.find(
        ({ release: own }) => own.name.text === it.name && own.version === it.version,
      );
      // The index only finds packages. What is not also among the signed releases is left out.
      if (release !== undefined) found.push({ ...it, registry: client.name, ...marksOf(release) });
    }
    expired.push(...state.expired.map((text) => `${client.name}: ${text}`));
  }
  // Scores of different registries are comparable only roughly; a tie keeps the order of the registries.
  const packages = found.sort((a, b) => b.score - a.score).slice(0, limit);
  return { registries: set.clients.map((it) => it.name), packages, expired };
}

function marksOf({ release, quarantined }: FoundRelease) {
  return {
    ...(release.yanked === undefined ? {} : { yanked: release.yanked }),
    ...(quarantined === undefined ? {} : { quarantined: quarantined.reason }),
  };
}
