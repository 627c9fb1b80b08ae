import type { RegistrySetting } from '../../model/registry-setting.js';
import type { RegistryServices } from '../../registry/client/configured-registries.js';
import type { RegistryReader } from '../../sources/source.js';
import type { ReviewServices } from './publication-review.js';
import type { Registries } from './registries.js';

/** The configured registries, loaded when the first one is asked. Undefined: none is configured. */
export function lateRegistries(
  settings: readonly RegistrySetting[],
  services: RegistryServices,
  onRead: (expired: readonly string[]) => Promise<void>,
): RegistryReader | undefined {
  if (settings.length === 0) return undefined;
  return {
    async find(source, signal) {
      const { registryReader } = await import('./registry-releases.js');
      let expired: readonly string[] = [];
      try {
        const found = await registryReader(settings, services).find(source, signal);
        expired = found.notes.filter((it) => it.code === 'expired').map((it) => it.text);
        return found;
      } finally {
        // A release that is refused is exactly what others must learn about.
        await onRead(expired);
      }
    },
  };
}

/** What the operator does with the configured registries, loaded at the first use. */
export function lateRegistryOperations(
  settings: readonly RegistrySetting[],
  services: RegistryServices,
  review: ReviewServices,
): Registries {
  const reading = async () => (await import('./session-registries.js')).registryReading(settings, services);
  const reviewing = async () => (await import('./publication-review.js')).reviewOperations(settings, review);
  return {
    list: async (options) => (await reading()).list(options),
    search: async (request) => (await reading()).search(request),
    info: async (request) => (await reading()).info(request),
    reviews: async (options) => (await reviewing()).reviews(options),
    decideReview: async (request) => (await reviewing()).decideReview(request),
  };
}
