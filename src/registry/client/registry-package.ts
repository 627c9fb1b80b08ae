// Everything that the configured registries say about one package.
import type { VerifiedVerdict } from '../contribute/statement/verdict-statement.js';
import type { FoundRelease } from './registry-client.js';
import type { RegistrySet } from './registry-set.js';
import { chooseRelease, newestFirst } from './release-choice.js';
import { releaseVerdict } from './release-verdict.js';

/** A package as `registry:NAME` means it. */
export interface RegistryPackageFacts {
  readonly name: string;
  readonly registry: string;
  /** Newest first. */
  readonly releases: readonly FoundRelease[];
  /** The release that a version or range means; undefined: none. */
  readonly chosen: FoundRelease | undefined;
  /** What the registry signed about the chosen release; undefined: nothing. */
  readonly verdict: VerifiedVerdict | undefined;
  /** Files that were used although they have expired. */
  readonly expired: readonly string[];
}

export async function registryPackageFacts(
  set: RegistrySet,
  { name: text, range }: { readonly name: string; readonly range: string },
): Promise<RegistryPackageFacts> {
  const { name, client, state, releases } = await set.find(text);
  const choice = chooseRelease(releases, range);
  const chosen = choice.kind === 'none' ? undefined : choice.found;
  const verdict = chosen === undefined ? undefined : await releaseVerdict(state, chosen.release);
  return {
    ...{ name: name.text, registry: client.name, chosen, verdict, expired: state.expired },
    releases: [...releases].sort((a, b) => newestFirst(a.release.version, b.release.version)),
  };
}
