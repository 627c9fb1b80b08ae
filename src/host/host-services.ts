import { hash, randomBytes } from 'node:crypto';
import { isAbsolute, resolve } from 'node:path';
import { environmentStore } from '../environment/environment-store.js';
import type { ParseOptions } from '../model/format.js';
import { HostError } from '../model/host-error.js';
import type { Package } from '../model/package.js';
import { openEgress } from '../net/egress.js';
import { guardedClient } from '../net/http-client.js';
import { type Grant, type Grants, mergeGrants, parseGrants } from '../policy/grant.js';
import { PrestartedSandboxes } from '../run/prestarted-sandboxes.js';
import { ProcessPool } from '../run/process-pool.js';
import { ownerOf } from '../run/worker/worker-plan.js';
import type { WorkerProcess } from '../run/worker/worker-process.js';
import { findNode, findPython } from '../sandbox/interpreter.js';
import { noSandbox } from '../sandbox/no-sandbox.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { runSystemProgram } from '../sandbox/system-program.js';
import { systemKeychain } from '../secrets/keychain.js';
import { TokenBroker } from '../secrets/token-broker.js';
import { openVault, type Vault } from '../secrets/vault.js';
import { AgreementRows, LinkRows } from '../store/agreements.js';
import { AnnouncementRows } from '../store/announcements.js';
import type { AuditLog } from '../store/audit-log.js';
import type { Database } from '../store/database.js';
import { DisabledPackages } from '../store/disabled-packages.js';
import { ParseCacheRows } from '../store/parse-cache.js';
import { SecretRows } from '../store/secrets.js';
import { TokenRows } from '../store/tokens.js';
import { AnnouncementRegistry } from './announcement-registry.js';
import { BackgroundStaging } from './background-staging.js';
import { ContainerEngines } from './container-engines.js';
import { homeFolders } from './home-folders.js';
import type { ProcessCounts, SessionOptions, SessionPolicy } from './host.js';
import type { KillSwitch } from './kill-switch.js';
import type { HostOptions } from './options.js';
import { PackageFolders } from './package-folders.js';
import { ParseCache } from './parse-cache.js';
import { assertPolicy, policyDigest } from './policy-check.js';
import type { FindInterpreter } from './program-needs.js';
import { createQueue } from './queue.js';
import { Reloads } from './reload.js';
import type { RunningCalls } from './running.js';
import { SecretScanner } from './secret-scanner.js';
import { SessionCatalog } from './session-catalog.js';
import type { SessionServices } from './session-services.js';
import { brokerRequester } from './sign-in.js';
import type { Stage } from './stage.js';
import { TokenCache } from './token-cache.js';
import { UpstreamConnections } from './upstream-connections.js';

export interface HostServicesOptions {
  readonly state: string;
  readonly database: Database;
  readonly audit: AuditLog;
  readonly stage: Stage;
  readonly kills: KillSwitch;
  readonly running: RunningCalls;
  readonly sandbox: Sandbox;
  readonly now: () => number;
  /** The host's own key of that name. */
  readonly keyOf: (name: string) => Promise<Uint8Array>;
  /** Called when a definition no longer matches its agreement. */
  readonly onOutdated: (digest: string) => Promise<void>;
  readonly options: HostOptions;
}

export type OpenSessionOptions = SessionOptions & { readonly root: string; readonly principal: string };

/** What all sessions of a host share to check and run packages. */
export interface HostServices {
  readonly vault: Vault;
  readonly switches: DisabledPackages;
  readonly tokens: TokenCache;
  /** Tells all listeners that the lists of tools, prompts or resources may have changed. */
  notifyChanged(): void;
  onChange(listener: () => void): () => void;
  processes(): ProcessCounts;
  openSession(session: OpenSessionOptions, parse: ParseOptions): Promise<OpenedSession>;
  close(): Promise<void>;
}

export interface OpenedSession {
  readonly catalog: SessionCatalog;
  /** Stops watching the session's folders. */
  readonly release: () => void;
}

/** A sandbox, with the folders, processes and connections that belong to it. */
interface SandboxResources {
  readonly sandbox: Sandbox;
  readonly folders: PackageFolders;
  /** Null if no processes are started ahead. */
  readonly warm: PrestartedSandboxes | null;
  readonly pool: ProcessPool<WorkerProcess>;
  readonly connections: UpstreamConnections;
}

/** Processes that run at the same time; more wait. Each takes about a dozen file descriptors. */
const maxProcesses = 32;
/** Upstreams that start at the same time. */
const maxStarts = 8;

export function createHostServices(hostOptions: HostServicesOptions): HostServices {
  const { state, database, audit, stage, kills, running, sandbox: systemSandbox, now, options } = hostOptions;
  const keychain =
    options.keychain === undefined ? systemKeychain(process.platform, runSystemProgram) : options.keychain;
  const { passphrase } = options;
  const vault = openVault({ state, rows: new SecretRows(database), now, passphrase, keychain });
  const scanner = new SecretScanner(vault);
  const switches = new DisabledPackages(database, now);
  const agreements = {
    links: new LinkRows(database, now),
    agreements: new AgreementRows(database, now),
    audit,
    queue: createQueue(1),
    onOutdated: hostOptions.onOutdated,
    hasStoredData: async ({ id, slots, permissions }: Package) =>
      (permissions.stateDirectory && resourcesFor(false).folders.hasData(id)) ||
      (slots.length > 0 && (await vault.list()).some((it) => it.package === id)),
  };
  const parseCache = new ParseCache(
    options.build === undefined ? null : new ParseCacheRows(database, options.build, now),
    options.onBug ?? (() => {}),
  );
  const client = options.client ?? guardedClient();
  const broker = new TokenBroker(brokerRequester(client), now);
  const processQueue = createQueue(maxProcesses);
  const homes = homeFolders();
  const listeners = new Set<() => void>();
  const notifyChanged = () => {
    for (const listener of listeners) listener();
  };
  const reloads =
    options.watch === true
      ? new Reloads({
          onChanged: notifyChanged,
          onReload: options.onReload ?? (() => {}),
          onBug: options.onBug ?? (() => {}),
        })
      : null;
  const backgroundStaging = new BackgroundStaging();
  const upstreams = {
    announcements: new AnnouncementRegistry(
      new AnnouncementRows(database, now),
      audit,
      createQueue(1),
      notifyChanged,
    ),
    connect: {
      nexo: async () => (await import('../run/nexo/connect.js')).connectNexo,
      mcp: async () => (await import('../run/mcp/connect.js')).connectMcp,
    },
    startQueue: createQueue(maxStarts),
    onLog: options.onLog ?? null,
  };
  // By `unsafeNoSandbox`. The two never share a process: a session with the sandbox must not get one without.
  const resources = new Map<boolean, SandboxResources>();
  const resourcesFor = (unsafe: boolean) => {
    const known = resources.get(unsafe);
    if (known !== undefined) return known;
    const sandbox = unsafe ? noSandbox({ pidFolder: state }) : systemSandbox;
    const created = {
      sandbox,
      folders: new PackageFolders(state, sandbox.user),
      warm: options.warm === false ? null : new PrestartedSandboxes(),
      pool: new ProcessPool<WorkerProcess>(),
      connections: new UpstreamConnections(options.supervision),
    };
    resources.set(unsafe, created);
    return created;
  };

  kills.attach((matches) => {
    for (const { warm, pool, connections } of resources.values()) {
      // Processes started ahead have no owner yet, so all of them end; the next call starts its own.
      warm?.clear();
      pool.end((key, tools) => matches({ ...ownerOf(key), tools, startedHere: true }));
      connections.kill(matches);
    }
  }, notifyChanged);

  const engines = new ContainerEngines(state, () => randomBytes(6).toString('hex'));
  const sessionServicesFor = (policy: SessionPolicy): SessionServices => {
    const { sandbox, folders, warm, pool, connections } = resourcesFor(policy.unsafeNoSandbox === true);
    const containers = engines.get(policy.containers);
    return {
      sandbox,
      folders,
      performer: {
        processServices: { sandbox, newSocket: () => stage.newSocket(sandbox.user), containers },
        client,
        warm,
        pool,
        processQueue,
      },
      stage,
      parseCache,
      vault,
      scanner,
      broker,
      switches,
      kills,
      running,
      agreements,
      environments: environmentStore({
        folder: folders.environmentsFolder(),
        sandbox,
        sources: policy.indexes ?? {},
        openEgress,
        newName: () => randomBytes(6).toString('hex'),
        newSocket: () => stage.newSocket(sandbox.user),
      }),
      upstreams: { ...upstreams, connections },
      containers,
      findInterpreter: interpreterFinder(sandbox, homes[0] ?? '/'),
      credentialKey: () => hostOptions.keyOf('credentials'),
      hostFolders: [state, stage.root, folders.base],
      homeFolders: homes,
      notifyChanged,
      schemas: () => import('../schema/validator.js'),
    };
  };

  return {
    vault,
    switches,
    tokens: new TokenCache(new TokenRows(database, now), now, (token) => hash('sha256', token)),
    notifyChanged,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    processes() {
      const sum = (count: (it: SandboxResources) => number) =>
        [...resources.values()].reduce((total, it) => total + count(it), 0);
      return {
        call: processQueue.running,
        pooled: sum((it) => it.pool.state.processes),
        prestarted: sum((it) => it.warm?.size ?? 0),
      };
    },
    async openSession(session, parse) {
      const policy = session.policy ?? {};
      assertPolicy(policy);
      const { directories, root, principal, environment = {} } = session;
      const grants = absoluteGrants(parseGrants(session.allow ?? []), root);
      for (const name of allGrants(grants).environment) {
        if (!Object.hasOwn(environment, name))
          throw new HostError('usage', `env:${name} is granted, but the variable ${name} was not passed`);
      }
      if (policy.unsafeNoSandbox === true)
        await audit.append({
          kind: 'operator',
          body: { operation: 'session without sandbox', by: principal },
        });
      const setup = {
        principal,
        directories,
        acceptNewIn: session.inspectOnly === true ? [] : (session.acceptNewIn ?? directories),
        root,
        grants,
        allow: [...(session.allow ?? [])].sort(),
        environment,
        policy,
        policyDigest: policyDigest(policy),
        parse: parseOptionsFor(policy, parse),
      };
      const catalog = await SessionCatalog.open(setup, sessionServicesFor(policy));
      if (reloads === null) return { catalog, release: () => {} };
      await backgroundStaging.start(catalog);
      const paths = directories.map((it) => resolve(root, it));
      return { catalog, release: reloads.watch(catalog, paths, policy.ignore ?? []) };
    },
    async close() {
      await reloads?.close();
      await backgroundStaging.close();
      await parseCache.close();
      for (const { warm, pool, connections } of resources.values()) {
        warm?.close();
        await Promise.all([pool.close(), connections.close()]);
      }
      await engines.close();
    },
  };
}

function parseOptionsFor(policy: SessionPolicy, defaults: ParseOptions): ParseOptions {
  return {
    agentVersion: policy.agentVersion ?? defaults.agentVersion,
    reservedIds: [...defaults.reservedIds, ...(policy.reservedIds ?? [])],
  };
}

function interpreterFinder(sandbox: Sandbox, home: string): FindInterpreter {
  const node = { path: process.execPath, version: process.versions.node };
  return ({ language, version }) =>
    language === 'python' ? findPython(version, sandbox.user, home) : findNode(version, sandbox.user, node);
}

/** Relative paths in grants start at the workspace. */
function absoluteGrants({ shared, own }: Grants, root: string): Grants {
  const absolute = (path: string) => (isAbsolute(path) ? path : resolve(root, path));
  const resolved = (it: Grant) => ({ ...it, read: it.read.map(absolute), write: it.write.map(absolute) });
  return { shared: resolved(shared), own: new Map([...own].map(([id, it]) => [id, resolved(it)])) };
}

function allGrants({ shared, own }: Grants): Grant {
  return [...own.values()].reduce(mergeGrants, shared);
}
