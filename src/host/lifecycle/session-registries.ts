// What the configured registries have, for the operator.
import { HostError } from '../../model/host-error.js';
import type { RegistrySetting } from '../../model/registry-setting.js';
import { toAbortSignal } from '../../net/abort-signal.js';
import { type RegistryServices, withRegistries } from '../../registry/client/configured-registries.js';
import { indexedSummary, searchPackages, updateSearchIndex } from '../../registry/client/package-search.js';
import type { FoundRelease, RegistryClient } from '../../registry/client/registry-client.js';
import type { RegistrySet } from '../../registry/client/registry-set.js';
import { newestFirst } from '../../registry/client/release-choice.js';
import { parsePackageName } from '../../registry/names/package-name.js';
import type {
  Registries,
  RegistryProblem,
  RegistryReading,
  RegistrySearchHit,
  RegistryStatus,
} from './registries.js';

const defaultLimit = 20;
/** A registry that does not answer must not keep a page waiting for longer. */
const timeoutMs = 60_000;

export function registryReading(
  settings: readonly RegistrySetting[],
  services: RegistryServices,
): Pick<Registries, 'list' | 'search' | 'info'> {
  const read = <T>(signal: RegistryReading['signal'], work: (set: RegistrySet) => Promise<T>) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const both = signal === undefined ? timeout : AbortSignal.any([timeout, toAbortSignal(signal)]);
    return withRegistries(settings, services, both, work);
  };
  return {
    list: ({ signal } = {}) =>
      read(signal, (set) =>
        Promise.all(
          set.clients.map((client) =>
            statusOf(
              set,
              client,
              settings.find((it) => it.name === client.name),
            ),
          ),
        ),
      ),
    search: ({ words, limit = defaultLimit, signal }) =>
      read(signal, async (set) => {
        const found = new Map<string, RegistrySearchHit>();
        const problems: RegistryProblem[] = [];
        for (const client of set.clients) {
          try {
            // A name means one registry: the first one, by priority, that may have its namespace.
            for (const hit of await hitsOf(set, client, words, limit))
              if (found.size < limit && !found.has(hit.name)) found.set(hit.name, hit);
          } catch (error) {
            problems.push({ registry: client.name, message: messageOf(error) });
          }
        }
        return { found: [...found.values()], problems };
      }),
    info: ({ name, signal }) =>
      read(signal, async (set) => {
        const { name: parsed, client, state, releases } = await set.find(name);
        await updateSearchIndex(client, state);
        const summary = indexedSummary(client.store, parsed.text);
        return {
          registry: client.name,
          name: parsed.text,
          summary: summary === undefined ? null : textsOf(summary),
          releases: releases
            .map((it) => ({
              version: it.release.version,
              bytes: it.release.bundle.length,
              sha256: it.release.bundle.sha256,
              ...marksOf(it),
              hasStatements: it.release.statements !== undefined,
            }))
            .sort((a, b) => newestFirst(a.version, b.version)),
          expired: state.expired,
        };
      }),
  };
}

async function statusOf(
  set: RegistrySet,
  client: RegistryClient,
  setting: RegistrySetting | undefined,
): Promise<RegistryStatus> {
  const { expired, problem } = await set.state(client).then(
    (it) => ({ expired: it.expired, problem: null }),
    (error: unknown) => ({ expired: [], problem: messageOf(error) }),
  );
  const { head, seenAt } = client.store;
  return {
    name: client.name,
    url: setting?.url ?? null,
    path: setting?.path ?? null,
    priority: setting?.priority ?? 0,
    namespaces: setting?.namespaces ?? [],
    head:
      head === undefined || seenAt === undefined
        ? null
        : { size: head.size, root: head.root.toString('hex'), seenAt },
    expired,
    problem,
  };
}

/** The index only finds packages. What is not also in the signed releases of its namespace is left out. */
async function hitsOf(
  set: RegistrySet,
  client: RegistryClient,
  words: string,
  limit: number,
): Promise<RegistrySearchHit[]> {
  const state = await set.state(client);
  await updateSearchIndex(client, state);
  const hits: RegistrySearchHit[] = [];
  const namespaces = new Map<string, readonly FoundRelease[]>();
  for (const summary of searchPackages(client.store, words, limit)) {
    const { namespace, text } = parsePackageName(summary.name);
    const releases = namespaces.get(namespace) ?? (await ownReleases(set, client, namespace));
    namespaces.set(namespace, releases);
    const found = releases.find(
      (it) => it.release.name.text === text && it.release.version === summary.version,
    );
    if (found === undefined) continue;
    hits.push({
      ...{ registry: client.name, name: text, version: summary.version },
      ...textsOf(summary),
      ...marksOf(found),
    });
  }
  return hits;
}

/** The releases of a namespace, if its names mean this registry; else none, because they cannot be installed from it. */
async function ownReleases(
  set: RegistrySet,
  client: RegistryClient,
  namespace: string,
): Promise<readonly FoundRelease[]> {
  for (const candidate of set.candidates(namespace)) {
    const found = await set.state(candidate).then(
      (state) => candidate.namespace(state, namespace),
      // Not passed over: its names could mean something else.
      () => [],
    );
    if (found !== undefined) return candidate === client ? found : [];
  }
  return [];
}

function textsOf({ title, description, format, tags, tools }: ReturnType<typeof searchPackages>[number]) {
  return { title, description, format, tags, tools };
}

function marksOf({ release, quarantined }: FoundRelease) {
  return { withdrawn: release.yanked ?? null, quarantined: quarantined?.reason ?? null };
}

function messageOf(error: unknown): string {
  if (error instanceof HostError) return error.message;
  throw error;
}
