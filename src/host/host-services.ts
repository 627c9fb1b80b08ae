import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { sha256 } from '../files/sha256.js';
import { builtInFormats } from '../formats/built-in-formats.js';
import type { HostError } from '../model/host-error.js';
import type { Package } from '../model/package.js';
import { guardedClient } from '../net/http-client.js';
import type { PythonCache } from '../sandbox/interpreter.js';
import { runSystemProgram } from '../sandbox/system-program.js';
import { systemKeychain } from '../secrets/keychain.js';
import { TokenBroker } from '../secrets/token-broker.js';
import { openVault, type Vault } from '../secrets/vault.js';
import { contentStore } from '../sources/content-store.js';
import { AgreementRows, LinkRows } from '../store/agreements.js';
import { BrokenWhenNamed } from '../store/broken-when-named.js';
import { DisabledPackages } from '../store/disabled-packages.js';
import { InstallationRows } from '../store/installations.js';
import { ParseCacheRows } from '../store/parse-cache.js';
import { ReleaseWarningRows } from '../store/release-warnings.js';
import { RevokedPackages } from '../store/revoked-packages.js';
import { SecretRows } from '../store/secrets.js';
import { TokenRows } from '../store/tokens.js';
import { agreedSettings } from './call/agreed-settings.js';
import { SecretScanner } from './call/secret-scanner.js';
import { BackgroundStaging } from './catalog/background-staging.js';
import { lookingServices } from './catalog/looking-services.js';
import { SessionCatalog } from './catalog/session-catalog.js';
import type { SessionServices } from './catalog/session-services.js';
import type { RunningHostServices } from './doctor/running-host.js';
import type { FirstAcceptance, ProcessCounts } from './host.js';
import { environmentsOpener } from './host-environments.js';
import { createHostLifecycle, type HostLifecycle } from './host-lifecycle.js';
import type { HostServicesOptions } from './host-services-options.js';
import { OpenClients } from './open-clients.js';
import type { RestoreInto } from './operator/quarantine.js';
import type { KnownTools } from './operator/set-check.js';
import { TokenCache } from './operator/token-cache.js';
import { acceptedPackages } from './packages/accepted-packages.js';
import type { Agreements } from './packages/agreements.js';
import { InstallationIndex } from './packages/installation-index.js';
import { warningsOfInstalled } from './packages/installed-warnings.js';
import { ParseCache } from './packages/parse-cache.js';
import { ReleaseWatch } from './packages/release-watch.js';
import { Reloads } from './packages/reload.js';
import { StartTrials } from './packages/start-trials.js';
import { createQueue } from './queue.js';
import { SandboxResourceSets } from './sandbox-resources.js';
import { ContainerEngines } from './sandboxing/container-engines.js';
import { FileWatch } from './sandboxing/file-watch.js';
import { homeFolders } from './sandboxing/home-folders.js';
import { interpreterFinder } from './sandboxing/interpreter-finder.js';
import { brokerRequester } from './sandboxing/sign-in.js';
import { storedData } from './sandboxing/stored-data.js';
import { WorkspaceGuard } from './sandboxing/workspace-guard.js';
import type { SessionSetup } from './session-setup.js';
import { acceptedTools } from './upstream/accepted-tools.js';
import { createUpstreamServices } from './upstream/create-upstream-services.js';
import type { HostSignIns } from './upstream/host-sign-ins.js';

/** What all sessions of a host share to check and run packages. */
export interface HostServices {
  readonly vault: Vault;
  readonly switches: DisabledPackages;
  readonly tokens: TokenCache;
  /** `keychain`: of the operating system; null: none. */
  readonly forHealth: Pick<RunningHostServices, 'keychain' | 'releaseWarnings'>;
  /** Tells all listeners that the lists of tools, prompts or resources may have changed. */
  notifyChanged(): void;
  onChange(listener: () => void): () => void;
  /** Puts a file back that was moved aside. */
  readonly restoreInto: RestoreInto;
  processes(): ProcessCounts;
  /** As they were accepted. Null: all packages. */
  acceptedPackages(packageId: string | null): Promise<readonly Package[]>;
  readonly knownTools: KnownTools;
  openCatalog(setup: SessionSetup, accept: FirstAcceptance | null): Promise<OpenCatalog>;
  readonly lifecycle: HostLifecycle;
  /** Ends processes of a package whose sandbox profile has changed. */
  retirePackage(packageId: string): void;
  readonly signIns: HostSignIns;
  close(): Promise<void>;
}

export interface OpenCatalog {
  readonly catalog: SessionCatalog;
  /** Stops watching the session's folders. */
  readonly release: () => void;
}

/** Processes that run at the same time; more wait. Each takes about a dozen file descriptors. */
const maxProcesses = 32;

export function createHostServices(hostOptions: HostServicesOptions): HostServices {
  const { state, database, audit, stage, kills, running, now, options, quarantine, violations } = hostOptions;
  const { sandbox: systemSandbox, digests } = hostOptions;
  const { passphrase, onBug = () => {}, onReload = () => {}, development } = options;
  const { formats = builtInFormats } = options;

  const listeners = new Set<() => void>();
  const notifyChanged = () => {
    for (const listener of listeners) listener();
  };

  const keychain =
    options.keychain === undefined ? systemKeychain(process.platform, runSystemProgram) : options.keychain;
  const vault = openVault({ state, rows: new SecretRows(database), now, passphrase, keychain });
  const client = options.client ?? guardedClient();
  const agreementRows = new AgreementRows(database, now);
  const secrets = {
    vault,
    scanner: new SecretScanner(vault, agreedSettings(agreementRows)),
    broker: new TokenBroker(brokerRequester(client), now),
    credentialKey: () => hostOptions.keyOf('credentials'),
  };

  const resources = new SandboxResourceSets({
    ...{ state, sandbox: systemSandbox, supervision: options.supervision },
    warm: options.warm !== false,
  });
  kills.attach((matches) => resources.kill(matches), notifyChanged);
  const guard = new WorkspaceGuard({
    moveAside: (place) => quarantine.moveAside(place),
    reportStuck: (path, packages, reason) => quarantine.reportStuck(path, packages, reason),
    onBug,
    now,
    maxEntries: options.maxWorkspaceEntries,
  });
  guard.attach(() => resources.endOutdated());
  const fileWatch = new FileWatch({ since: (id) => hostOptions.watched.since(id), now: Date.now });
  const processQueue = createQueue(maxProcesses);
  const newName = () => randomBytes(6).toString('hex');
  const engines = new ContainerEngines(state, newName);
  const homes = homeFolders();
  const { checkpoints, key, anchorFolder } = options.audit ?? {};
  const hidden = development === undefined ? [] : [development.operatorState, ...development.hidden];
  const auditPaths = [checkpoints, key, anchorFolder].filter((it) => it !== undefined);

  const rows = new InstallationRows(database, now);
  const storeFolder = join(state, 'store');
  const store = contentStore({ folder: storeFolder, newName, hashes: digests.hashes });
  const revoked = new RevokedPackages(database, now);
  const installations = new InstallationIndex(rows, revoked, storeFolder, (digest) => store.path(digest));
  const startTrials = new StartTrials(rows, installations, now);
  const releaseWatch = new ReleaseWatch({
    ...{ state, audit, now, onBug, notifyChanged, index: installations },
    ...{ rows: new ReleaseWarningRows(database), invalidate: hostOptions.invalidate },
  });

  const parseCache = new ParseCache(
    options.build === undefined ? null : new ParseCacheRows(database, options.build, now),
    onBug,
  );
  const switches = new DisabledPackages(database, now);
  const links = new LinkRows(database, now);
  const broken = new BrokenWhenNamed(database, now);
  const agreements: Agreements = {
    ...{ links, broken, agreements: agreementRows, audit, queue: createQueue(1) },
    ...{ onOutdated: hostOptions.onOutdated, verify: hostOptions.operatorAuth.verify },
    ...storedData(vault, () => resources.get(false).folders),
    acceptsEdits: development !== undefined,
  };
  const reloads = options.watch === true ? new Reloads({ onChanged: notifyChanged, onReload, onBug }) : null;
  const backgroundStaging = new BackgroundStaging();

  const { signIns, ...upstreams } = createUpstreamServices({
    ...{ database, audit, now, vault, client, notifyChanged, newId: hostOptions.newId },
    ...{ invalidate: hostOptions.invalidate, onOutdatedTool: hostOptions.onOutdatedTool },
    ...{ acceptsChanges: development !== undefined, onLog: options.onLog ?? null },
    endConnections: (packageId, reason) => resources.endUpstreams(packageId, reason),
  });
  const pythons: PythonCache = new Map();

  const openEnvironments = environmentsOpener({ stage, development, newName });
  const sessionServices = (setup: SessionSetup): SessionServices => {
    const { policy, intent } = setup;
    const { sandbox, folders, warm, pool, connections } = resources.get(policy.unsafeNoSandbox === true);
    const containers = engines.get(policy.containers);
    const newSocket = () => stage.newSocket(sandbox.user);
    const services: SessionServices = {
      packages: {
        ...{ formats, parseCache, digests, installations, agreements, switches },
        findInterpreter: interpreterFinder(sandbox, homes[0] ?? '/', pythons),
      },
      sandboxing: {
        sandbox,
        containers,
        stage,
        folders,
        environments: openEnvironments(sandbox, folders, () => setup.policy),
        guard,
        fileWatch,
        agreements: agreementRows,
        links,
        broken,
        hostFolders: [state, stage.root, folders.base, ...auditPaths, ...hidden],
        homeFolders: homes,
      },
      secrets: setup.values === null ? secrets : { ...secrets, vault: setup.values },
      actions: { processServices: { sandbox, newSocket, containers }, client, warm, pool, processQueue },
      upstreams: { ...upstreams, connections },
      ...{ kills, startTrials, violations, releaseWatch, running, sets: hostOptions.sets, notifyChanged },
      schemas: () => import('../schema/validator.js'),
    };
    return intent === 'use' ? services : lookingServices(services);
  };

  const endUse = (packageId: string, reason: HostError) => {
    running.stop((it) => it.package === packageId, reason);
    resources.kill((it) => it.package === packageId);
  };
  const lifecycle = createHostLifecycle({
    ...{ state, database, rows, store, index: installations, vault, audit, kills, now, notifyChanged },
    ...{ agreements: agreementRows, formats, parseCache, newName, client },
    ...{ digests, operatorAuth: hostOptions.operatorAuth, newId: hostOptions.newId },
    signOut: (request) => signIns.forget(request),
    ...{
      invalidate: hostOptions.invalidate,
      home: homes[0] ?? '/',
      pythons,
      openEnvironments,
      engines,
      onBug,
    },
    onRegistryRead: (expired) => releaseWatch.registryRead(expired),
    ...{ violations, revoked, endUse, narrowings: hostOptions.narrowings },
    resourcesOf: (setup) => resources.get(setup?.policy.unsafeNoSandbox === true),
    newSocket: (sandbox) => stage.newSocket(sandbox.user),
  });

  startTrials.attach(lifecycle.goBack);
  violations.attach(lifecycle.revokeByPolicy, notifyChanged);
  const readers = { formats, parseCache, digests, installations };
  const accepted = (id: string | null) => acceptedPackages(id, agreementRows, readers, hostOptions.parse);
  const openClients = new OpenClients((ownerId) => void resources.endOwned(ownerId).catch(onBug));

  return {
    lifecycle,
    retirePackage: (packageId) => resources.retirePackage(packageId),
    signIns,
    vault,
    forHealth: { keychain, releaseWarnings: () => warningsOfInstalled(database) },
    switches,
    tokens: new TokenCache(new TokenRows(database, now), now, sha256),
    notifyChanged,
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    restoreInto: (file, work) => guard.restore(file, work),
    acceptedPackages: async (packageId) => (await accepted(packageId)).map((it) => it.package),
    knownTools: async (id) => acceptedTools(await accepted(id), upstreams.announcements),
    processes: () => ({ call: processQueue.running, ...resources.counts() }),
    async openCatalog(setup, accept) {
      const { client, owner, policy, directories, root, intent } = setup;
      const catalog = await SessionCatalog.open(setup, accept, sessionServices(setup));
      // A session that looks ends soon; a copy or a watched folder would only be left over.
      const follows = reloads !== null && intent !== 'look';
      if (follows) await backgroundStaging.start(catalog);
      // Nobody else can use the processes of a client that is gone.
      const leave = client === '' ? () => {} : openClients.enter(owner.id);
      if (!follows) return { catalog, release: leave };
      const paths = directories.map((it) => resolve(root, it));
      const unwatch = reloads.watch(catalog, paths, policy.ignore ?? []);
      return {
        catalog,
        release: () => {
          unwatch();
          leave();
        },
      };
    },
    async close() {
      await releaseWatch.close();
      await lifecycle.close();
      await reloads?.close();
      await backgroundStaging.close();
      await parseCache.close();
      await resources.close();
      await guard.close();
      await engines.close();
    },
  };
}
