// What `registry:NAME` means: a release of a configured registry, with everything that speaks against it.
import { HostError } from '../../model/host-error.js';
import type { RegistrySetting } from '../../model/registry-setting.js';
import type { RegistrySource } from '../../model/source.js';
import { type RegistryServices, withRegistries } from '../../registry/client/configured-registries.js';
import type { FoundRelease } from '../../registry/client/registry-client.js';
import type { FoundPackage } from '../../registry/client/registry-set.js';
import { chooseRelease } from '../../registry/client/release-choice.js';
import type { LockedRegistry, RegistryReader, RegistryRelease, SourceNote } from '../../sources/source.js';

export function registryReader(
  settings: readonly RegistrySetting[],
  services: RegistryServices,
): RegistryReader {
  return {
    find: (source, signal) =>
      withRegistries(settings, services, signal, async (set) => {
        const found = await set.find(source.name);
        const release = chosen(found, source);
        return {
          version: release.release.version,
          sha256: release.release.bundle.sha256,
          notes: notesOf(found, release),
          // The release was verified; only its archive is still to be read, and that has the hash above.
          fetch: (target) =>
            withRegistries(settings, services, signal, async (again) => {
              const same = await again.find(source.name);
              await same.client.fetch(same.state, release.release, target);
            }),
        } satisfies RegistryRelease;
      }),
  };
}

function chosen(found: FoundPackage, source: RegistrySource | LockedRegistry): FoundRelease {
  const { name, client, releases } = found;
  const isLocked = 'version' in source;
  const choice = chooseRelease(releases, isLocked ? source.version : source.range);
  if (choice.kind === 'found') return choice.found;
  if (choice.kind === 'none')
    throw new HostError(
      isLocked ? 'integrity' : 'not_found',
      isLocked
        ? `the registry ${client.name} no longer has the version that the lock names: ${name.text} ${source.version}`
        : `the registry ${client.name} has no version of ${name.text} that matches ${source.range}`,
      { hint: `it has ${choice.versions.slice(0, 5).join(', ')}` },
    );
  const { release, quarantined } = choice.found;
  const what = `${name.text} ${release.version}`;
  if (quarantined !== undefined)
    throw new HostError('denied', `the registry ${client.name} warns about ${what}: ${quarantined.reason}`, {
      hint: 'do not use this version; choose another one',
    });
  if (isLocked) return choice.found;
  throw new HostError('not_found', `${what} was withdrawn by its publisher: ${release.yanked ?? ''}`, {
    hint: 'choose another version',
  });
}

function notesOf({ state, name }: FoundPackage, { release }: FoundRelease): SourceNote[] {
  const notes: SourceNote[] = state.expired.map((text) => ({
    code: 'expired',
    text: `the registry ${state.registry} is an old copy: ${text}`,
  }));
  if (release.yanked !== undefined)
    notes.push({
      code: 'yanked',
      text: `the publisher withdrew ${name.text} ${release.version}: ${release.yanked}`,
    });
  return notes;
}
