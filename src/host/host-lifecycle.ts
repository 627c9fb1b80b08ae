import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EnvironmentStore } from '../environment/environment-store.js';
import type { FormatDescriptor } from '../formats/format-descriptor.js';
import { LoadOnce } from '../model/load-once.js';
import { openEgress } from '../net/egress.js';
import type { HttpClient } from '../net/http-client.js';
import { denialFor } from '../policy/denial.js';
import { grantFor } from '../policy/grant.js';
import type { PythonCache } from '../sandbox/interpreter.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { readRegistryToken } from '../secrets/registry-token.js';
import type { SourceServices } from '../sources/source.js';
import { ChangeJournal } from '../store/change-journal.js';
import type { Database } from '../store/database.js';
import { packageEntries } from '../store/package-entries.js';
import type { Installations } from './lifecycle/installations.js';
import { lateInstallations } from './lifecycle/late-installations.js';
import { lateRegistries, lateRegistryOperations } from './lifecycle/late-registries.js';
import type { LifecycleServices, LifecycleSession } from './lifecycle/lifecycle-services.js';
import type { Registries } from './lifecycle/registries.js';
import type { RevokeByPolicy } from './operator/violations.js';
import type { PackageDigests } from './packages/package-digest.js';
import type { ParseCache } from './packages/parse-cache.js';
import type { GoBack } from './packages/start-trials.js';
import { createQueue } from './queue.js';
import type { ContainerEngines } from './sandboxing/container-engines.js';
import type { PackageFolders } from './sandboxing/package-folders.js';
import type { SessionPolicy } from './session-policy.js';
import type { SessionSetup } from './session-setup.js';

/** Grants with this name are for the host itself, such as `toolwharf=net:127.0.0.1:8080`. */
const hostPackage = 'toolwharf';

interface SandboxAndFolders {
  readonly sandbox: Sandbox;
  readonly folders: PackageFolders;
}

export interface HostLifecycleOptions
  extends Omit<LifecycleServices, 'journal' | 'readers' | 'eraseData' | 'entriesOf' | 'queue'> {
  readonly state: string;
  readonly database: Database;
  readonly formats: readonly FormatDescriptor[];
  readonly parseCache: ParseCache;
  readonly digests: PackageDigests;
  readonly client: HttpClient;
  readonly engines: ContainerEngines;
  /** The home folder. */
  readonly home: string;
  readonly pythons: PythonCache;
  /** A short unique name. */
  readonly newName: () => string;
  readonly newSocket: (sandbox: Sandbox) => string;
  /** Undefined: for the host itself. */
  readonly resourcesOf: (setup: SessionSetup | undefined) => SandboxAndFolders;
  readonly openEnvironments: OpenEnvironments;
  readonly onBug: (error: unknown) => void;
  /** Something was asked of a registry, so its client may have stored more than before. `expired`: what was used although it had. */
  readonly onRegistryRead: (expired: readonly string[]) => Promise<void>;
}

/** Opens the installed language packages, with the indexes and certificates that are in force. */
export type OpenEnvironments = (
  sandbox: Sandbox,
  folders: PackageFolders,
  policy: () => SessionPolicy,
) => EnvironmentStore;

/** Connects the life cycle of installed packages to the host. It is loaded when it is first used. */
export interface HostLifecycle {
  of(setup: SessionSetup, open: LifecycleSession['open']): Installations;
  /** The registries that the operator configured for a session. */
  registriesOf(setup: SessionSetup): Registries;
  /** Removes what trial starts of a session fetched for servers that nobody installed. */
  endTrials(setup: SessionSetup): Promise<void>;
  /** Whether a package is installed, and not being revoked. */
  isServed(packageId: string): Promise<boolean>;
  /** Undoes changes that a killed host did not finish. */
  recover(): Promise<void>;
  readonly revokeByPolicy: RevokeByPolicy;
  /** Goes back from a generation that never started. */
  readonly goBack: GoBack;
  close(): Promise<void>;
}

export function createHostLifecycle(options: HostLifecycleOptions): HostLifecycle {
  const { state, database, now, store, index, client, engines, home, newName, newSocket, pythons } = options;
  const { formats, parseCache, digests, resourcesOf, openEnvironments } = options;
  const services: LifecycleServices = {
    ...options,
    journal: new ChangeJournal(database, now),
    readers: { formats, parseCache, digests, installations: index },
    entriesOf: (id, count) => packageEntries(database, id, count),
    eraseData: async (id) => resourcesOf(undefined).folders.eraseData(id),
    queue: createQueue(1),
  };
  const lifecycle = new LoadOnce(
    async () => new (await import('./lifecycle/lifecycle.js')).Lifecycle(services),
  );
  let isUsed = false;
  const opens = new WeakMap<object, LifecycleSession['open']>();
  /** What the host itself uses, without a session. */
  const own = () => {
    const { sandbox, folders } = resourcesOf(undefined);
    const environments = openEnvironments(sandbox, folders, () => ({}));
    return {
      ...services,
      buildFolder: folders.sourcesFolder(),
      environments,
      containers: engines.get(undefined),
      containersAt: (engine: string) => engines.get({ engine }),
    };
  };

  const tokenOf = (registry: string, host: string) => readRegistryToken(options.vault, registry, host);
  const networkOf = ({ policy, grants }: SessionSetup) => ({
    granted: grantFor(grants, hostPackage).network,
    denied: denialFor(policy.deny ?? [], hostPackage).network,
    ca: policy.caCertificates,
  });

  const sessionOf = (setup: SessionSetup, open: LifecycleSession['open']): LifecycleSession => {
    const { policy } = setup;
    const { sandbox, folders } = resourcesOf(setup);
    const indexes = policy.indexes ?? {};
    const network = networkOf(setup);
    const sources: SourceServices = {
      ...{ store, http: client, sandbox, openEgress, newName, indexes, home, pythons },
      ...network,
      registries: lateRegistries(
        policy.registries ?? [],
        { state, http: client, now, ...network, tokenOf },
        options.onRegistryRead,
      ),
      buildFolder: folders.sourcesFolder(),
      newSocket: () => newSocket(sandbox),
      node: { path: process.execPath, version: process.versions.node },
    };
    const environments = openEnvironments(sandbox, folders, () => setup.policy);
    return { setup, sources, environments, containers: engines.get(policy.containers), open };
  };

  return {
    of(setup, open) {
      opens.set(setup, open);
      return lateInstallations(async () => {
        isUsed = true;
        return (await lifecycle.get()).of(sessionOf(setup, open));
      });
    },
    registriesOf: (setup) =>
      lateRegistryOperations(
        setup.policy.registries ?? [],
        { state, http: client, now, ...networkOf(setup) },
        { audit: options.audit, operatorAuth: options.operatorAuth, now },
      ),
    async endTrials(setup) {
      if (isUsed) await (await lifecycle.get()).endTrials(setup);
    },
    async revokeByPolicy(id, reason, setup) {
      const open = opens.get(setup);
      if (open === undefined) return false;
      isUsed = true;
      return (await lifecycle.get()).revokeByPolicy(id, reason, sessionOf(setup as SessionSetup, open));
    },
    isServed: async (packageId) => (await options.rows.get(packageId))?.state === 'active',
    async recover() {
      const unfinished = await services.journal.list();
      const isUnused = !['store', 'sources'].some((it) => existsSync(join(state, it)));
      if (unfinished.length === 0 && isUnused) return;
      const { recoverChanges } = await import('./lifecycle/recovery.js');
      await recoverChanges(unfinished, own());
    },
    async goBack(failed) {
      const { goBackByItself } = await import('./lifecycle/automatic-rollback.js');
      const isBusy = services.queue.running > 0;
      const work = services.queue(() => goBackByItself(failed, own()));
      if (!isBusy) return work;
      // The call may belong to the change that runs, such as a smoke test, so it cannot wait for its end.
      work.catch(options.onBug);
      const text = `${failed.package} never started since its update; the host goes back as soon as the running change is done`;
      return { isDone: false, text };
    },
    async close() {
      if (isUsed) await (await lifecycle.get()).close();
    },
  };
}
