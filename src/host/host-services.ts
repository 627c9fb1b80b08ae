import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { sha256 } from '../files/sha256.js';
import { builtInFormats } from '../formats/built-in-formats.js';
import type { ParseOptions } from '../model/format.js';
import type { Package } from '../model/package.js';
import { guardedClient } from '../net/http-client.js';
import type { PythonCache } from '../sandbox/interpreter.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { runSystemProgram } from '../sandbox/system-program.js';
import { systemKeychain } from '../secrets/keychain.js';
import { TokenBroker } from '../secrets/token-broker.js';
import { openVault, type Vault } from '../secrets/vault.js';
import { contentStore } from '../sources/content-store.js';
import { AgreementRows, LinkRows } from '../store/agreements.js';
import { AnnouncementRows } from '../store/announcements.js';
import type { AuditLog } from '../store/audit-log.js';
import { BrokenWhenNamed } from '../store/broken-when-named.js';
import type { Database } from '../store/database.js';
import { DisabledPackages } from '../store/disabled-packages.js';
import { FailedStartRows } from '../store/failed-starts.js';
import { InstallationRows } from '../store/installations.js';
import { ParseCacheRows } from '../store/parse-cache.js';
import { SecretRows } from '../store/secrets.js';
import { TokenRows } from '../store/tokens.js';
import { agreedSettings } from './call/agreed-settings.js';
import { SecretScanner } from './call/secret-scanner.js';
import { BackgroundStaging } from './catalog/background-staging.js';
import { lookingServices } from './catalog/looking-services.js';
import { SessionCatalog } from './catalog/session-catalog.js';
import type { SessionServices } from './catalog/session-services.js';
import type { FirstAcceptance, ProcessCounts } from './host.js';
import { environmentsOpener } from './host-environments.js';
import { createHostLifecycle, type HostLifecycle } from './host-lifecycle.js';
import { OpenClients } from './open-clients.js';
import type { Invalidate } from './operator/approval-operations.js';
import type { KillSwitch } from './operator/kill-switch.js';
import type { OperatorAuth } from './operator/operator-auth.js';
import type { Quarantine, RestoreInto } from './operator/quarantine.js';
import type { RunningCalls } from './operator/running-calls.js';
import { TokenCache } from './operator/token-cache.js';
import type { HostOptions } from './options.js';
import { acceptedPackages } from './packages/accepted-packages.js';
import type { Agreements } from './packages/agreements.js';
import { InstallationIndex } from './packages/installation-index.js';
import type { PackageDigests } from './packages/package-digest.js';
import { ParseCache } from './packages/parse-cache.js';
import { Reloads } from './packages/reload.js';
import type { Stage } from './packages/stage.js';
import { createQueue } from './queue.js';
import { SandboxResourceSets } from './sandbox-resources.js';
import { ContainerEngines } from './sandboxing/container-engines.js';
import { homeFolders } from './sandboxing/home-folders.js';
import { interpreterFinder } from './sandboxing/interpreter-finder.js';
import { brokerRequester } from './sandboxing/sign-in.js';
import { storedData } from './sandboxing/stored-data.js';
import { WorkspaceGuard } from './sandboxing/workspace-guard.js';
import type { SessionSetup } from './session-setup.js';
import { AnnouncementRegistry } from './upstream/announcement-registry.js';
import { FailedStarts } from './upstream/failed-starts.js';
import { ToolOffers } from './upstream/tool-offers.js';

export interface HostServicesOptions {
  readonly state: string;
  readonly database: Database;
  readonly audit: AuditLog;
  readonly stage: Stage;
  readonly digests: PackageDigests;
  readonly kills: KillSwitch;
  readonly quarantine: Quarantine;
  readonly running: RunningCalls;
  readonly sandbox: Sandbox;
  readonly now: () => number;
  readonly parse: ParseOptions;
  /** The host's own key of that name. */
  readonly keyOf: (name: string) => Promise<Uint8Array>;
  readonly operatorAuth: OperatorAuth;
  /** Called when a definition no longer matches its agreement. */
  readonly onOutdated: (digest: string) => Promise<void>;
  /** Called when a tool is no longer announced as it was accepted. */
  readonly onOutdatedTool: (definition: string) => Promise<void>;
  /** Voids held calls and standing rules. */
  readonly invalidate: Invalidate;
  readonly newId: (prefix: string) => string;
  readonly options: HostOptions;
}

/** What all sessions of a host share to check and run packages. */
export interface HostServices {
  readonly vault: Vault;
  readonly switches: DisabledPackages;
  readonly tokens: TokenCache;
  /** Tells all listeners that the lists of tools, prompts or resources may have changed. */
  notifyChanged(): void;
  onChange(listener: () => void): () => void;
  /** Puts a file back that was moved aside. */
  readonly restoreInto: RestoreInto;
  processes(): ProcessCounts;
  /** As they were accepted. Null: all packages. */
  acceptedPackages(packageId: string | null): Promise<readonly Package[]>;
  openCatalog(setup: SessionSetup, accept: FirstAcceptance | null): Promise<OpenCatalog>;
  readonly lifecycle: HostLifecycle;
  close(): Promise<void>;
}

export interface OpenCatalog {
  readonly catalog: SessionCatalog;
  /** Stops watching the session's folders. */
  readonly release: () => void;
}

/** Processes that run at the same time; more wait. Each takes about a dozen file descriptors. */
const maxProcesses = 32;
/** Upstreams that start at the same time. */
const maxStarts = 8;

export function createHostServices(hostOptions: HostServicesOptions): HostServices {
  const { state, database, audit, stage, kills, running, now, options, quarantine } = hostOptions;
  const { sandbox: systemSandbox } = hostOptions;
  const { passphrase, onBug = () => {}, onReload = () => {}, development } = options;

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
  const processQueue = createQueue(maxProcesses);
  const newName = () => randomBytes(6).toString('hex');
  const engines = new ContainerEngines(state, newName);
  const homes = homeFolders();
  const { checkpoints, key, anchorFolder } = options.audit ?? {};
  const hidden = development === undefined ? [] : [development.operatorState, ...development.hidden];
  const auditPaths = [checkpoints, key, anchorFolder].filter((it) => it !== undefined);

  const rows = new InstallationRows(database, now);
  const storeFolder = join(state, 'store');
  const store = contentStore({ folder: storeFolder, newName });
  const installations = new InstallationIndex(rows, storeFolder, (digest) => store.path(digest));

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

  const upstreams = {
    announcements: new AnnouncementRegistry(
      new AnnouncementRows(database, now),
      audit,
      createQueue(1),
      notifyChanged,
      development !== undefined,
    ),
    failedStarts: new FailedStarts(new FailedStartRows(database, now)),
    connect: {
      nexo: async () => (await import('../run/nexo/connect.js')).connectNexo,
      mcp: async () => (await import('../run/mcp/connect.js')).connectMcp,
    },
    offers: new ToolOffers(),
    startQueue: createQueue(maxStarts),
    onOutdatedTool: hostOptions.onOutdatedTool,
    now,
    onLog: options.onLog ?? null,
  };
  const pythons: PythonCache = new Map();

  const openEnvironments = environmentsOpener({ stage, development, newName });
  const sessionServices = (setup: SessionSetup): SessionServices => {
    const { policy, intent } = setup;
    const { sandbox, folders, warm, pool, connections } = resources.get(policy.unsafeNoSandbox === true);
    const containers = engines.get(policy.containers);
    const newSocket = () => stage.newSocket(sandbox.user);
    const services: SessionServices = {
      packages: {
        formats: options.formats ?? builtInFormats,
        parseCache,
        digests: hostOptions.digests,
        installations,
        agreements,
        switches,
        findInterpreter: interpreterFinder(sandbox, homes[0] ?? '/', pythons),
      },
      sandboxing: {
        sandbox,
        containers,
        stage,
        folders,
        environments: openEnvironments(sandbox, folders, () => setup.policy),
        guard,
        agreements: agreementRows,
        links,
        broken,
        hostFolders: [state, stage.root, folders.base, ...auditPaths, ...hidden],
        homeFolders: homes,
      },
      secrets,
      actions: { processServices: { sandbox, newSocket, containers }, client, warm, pool, processQueue },
      upstreams: { ...upstreams, connections },
      kills,
      running,
      schemas: () => import('../schema/validator.js'),
      notifyChanged,
    };
    return intent === 'use' ? services : lookingServices(services);
  };

  const lifecycle = createHostLifecycle({
    ...{ state, database, rows, store, index: installations, vault, audit, kills, now, notifyChanged },
    ...{ agreements: agreementRows, formats: options.formats ?? builtInFormats, parseCache, newName, client },
    ...{ digests: hostOptions.digests, operatorAuth: hostOptions.operatorAuth, newId: hostOptions.newId },
    ...{ invalidate: hostOptions.invalidate, home: homes[0] ?? '/', openEnvironments, engines },
    resourcesOf: (setup) => resources.get(setup?.policy.unsafeNoSandbox === true),
    newSocket: (sandbox) => stage.newSocket(sandbox.user),
  });

  const openClients = new OpenClients((ownerId) => void resources.endOwned(ownerId).catch(onBug));

  return {
    lifecycle,
    vault,
    switches,
    tokens: new TokenCache(new TokenRows(database, now), now, sha256),
    notifyChanged,
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    restoreInto: (file, work) => guard.restore(file, work),
    acceptedPackages: (packageId) => {
      const formats = options.formats ?? builtInFormats;
      const readers = { formats, parseCache, digests: hostOptions.digests, installations };
      return acceptedPackages(packageId, agreementRows, readers, hostOptions.parse);
    },
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
