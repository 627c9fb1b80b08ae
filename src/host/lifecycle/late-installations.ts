import type { Installations } from './installations.js';

/** The operations, loaded when the first one is used: few sessions install anything. */
export function lateInstallations(load: () => Promise<Installations>): Installations {
  return {
    plan: async (request) => (await load()).plan(request),
    draftServer: async (request) => (await load()).draftServer(request),
    tryServer: async (request) => (await load()).tryServer(request),
    checkValue: async (request) => (await load()).checkValue(request),
    install: async (request) => (await load()).install(request),
    planRestore: async (request) => (await load()).planRestore(request),
    restore: async (request) => (await load()).restore(request),
    why: async (packageId) => (await load()).why(packageId),
    list: async () => (await load()).list(),
    history: async (packageId) => (await load()).history(packageId),
    verify: async (packageId, options) => (await load()).verify(packageId, options),
    rollback: async (request) => (await load()).rollback(request),
    remove: async (request) => (await load()).remove(request),
    revoke: async (request) => (await load()).revoke(request),
    outdated: async (options) => (await load()).outdated(options),
    collectGarbage: async (by) => (await load()).collectGarbage(by),
  };
}
