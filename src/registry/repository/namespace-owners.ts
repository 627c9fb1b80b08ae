import type { RegistryView } from '../client/registry-view.js';
import { registryKeyText } from '../metadata/registry-key.js';

/** Who may publish in a namespace. */
export interface NamespaceOwners {
  readonly namespace: string;
  readonly keys: readonly string[];
  /** How many of the keys must sign. */
  readonly threshold: number;
  readonly releases: number;
  /** ISO 8601, UTC. Null: nothing was published. */
  readonly expires: string | null;
}

/** By name; all, or the one with this name. */
export async function namespaceOwners(
  view: RegistryView,
  only: string | undefined,
): Promise<readonly NamespaceOwners[]> {
  const names: string[] = [];
  for (const { name } of view.targets.document.delegations) {
    const bin = name.startsWith('bin-') ? (await view.delegated(name))?.document : undefined;
    names.push(...(bin?.delegations ?? []).map((it) => it.paths[0]?.split('/')[1] ?? ''));
  }
  const owners: NamespaceOwners[] = [];
  for (const it of names.filter((name) => only === undefined || name === only).sort()) {
    const found = await view.namespace(it);
    if (found === undefined) continue;
    const { delegation, delegator, releases, file } = found;
    owners.push({
      namespace: it,
      keys: delegation.keyids.flatMap((id) => {
        const key = delegator.keys[id];
        return key === undefined ? [] : [registryKeyText(key)];
      }),
      threshold: delegation.threshold,
      releases: releases.length,
      expires: file?.document.expires ?? null,
    });
  }
  return owners;
}
