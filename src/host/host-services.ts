import { hash, randomBytes } from 'node:crypto';
import { isAbsolute, resolve } from 'node:path';
import { environmentStore } from '../environment/store.js';
import type { ParseOptions } from '../model/format.js';
import { HostError } from '../model/host-error.js';
import type { Package } from '../model/package.js';
import { guardedClient } from '../net/client.js';
import { openEgress } from '../net/egress.js';
import { type Grant, type Grants, joined, parseGrants } from '../policy/grant.js';
import { ProcessPool } from '../run/pool.js';
import { WarmSandboxes } from '../run/warm.js';
import { ownerOf } from '../run/worker/plan.js';
import type { WorkerProcess } from '../run/worker/process.js';
import { findNode, findPython } from '../sandbox/interpreter.js';
import { runProgram } from '../sandbox/program.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { unconfined } from '../sandbox/unconfined.js';
import { TokenBroker } from '../secrets/broker.js';
import { systemKeychain } from '../secrets/keychain.js';
import { openVault, type Vault } from '../secrets/vault.js';
import { AgreementRows, LinkRows } from '../store/agreements.js';
import { Announcements } from '../store/announcements.js';
import type { AuditLog } from '../store/audit.js';
import type { Database } from '../store/database.js';
import { ParseCacheRows } from '../store/parse-cache.js';
import { SecretRows } from '../store/secrets.js';
import { SwitchedOff } from '../store/switches.js';
import { TokenRows } from '../store/tokens.js';
import { AnnouncementBook } from './announcement-book.js';
import { Copying } from './copying.js';
import { Engines } from './engines.js';
import { homeFolders } from './homes.js';
import type { ProcessCounts, SessionOptions, SessionPolicy } from './host.js';
import type { KillSwitch } from './kill-switch.js';
import { KnownTokens } from './known-tokens.js';
import type { HostOptions } from './options.js';
import { PackageFolders } from './package-folders.js';
import { ParseCache } from './parse-cache.js';
import { assertPolicy, policyDigest } from './policy.js';
import { queueOf } from './queue.js';
import { Reloads } from './reload.js';
import type { RunningCalls } from './running.js';
import type { FindInterpreter } from './runtimes.js';
import { Scanner } from './scanner.js';
import { SessionCatalog } from './session.js';
import type { SessionServices } from './session-services.js';
import { askOver } from './sign-in.js';
import type { Stage } from './stage.js';
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
  /** A key that the host keeps for itself under that name. */
  readonly keyOf: (name: string) => Promise<Uint8Array>;
  /** Told of a definition that is no longer the one that was agreed to. */
  readonly outdated: (digest: string) => Promise<void>;
  readonly options: HostOptions;
}

export type OpenOptions = SessionOptions & { readonly root: string; readonly principal: string };

/** Everything that packages are judged and run with, shared by all sessions of a host. */
export interface HostServices {
  readonly vault: Vault;
  readonly switches: SwitchedOff;
  readonly tokens: KnownTokens;
  /** Lists of tools may be others now. */
  changed(): void;
  onChange(listener: () => void): () => void;
  processes(): ProcessCounts;
  open(wanted: OpenOptions, parse: ParseOptions): Promise<OpenedSession>;
  close(): Promise<void>;
}

/** `leave`: nobody needs it any more. */
export interface OpenedSession {
  readonly catalog: SessionCatalog;
  readonly leave: () => void;
}

interface Equipped {
  readonly sandbox: Sandbox;
  readonly places: PackageFolders;
  readonly warm: WarmSandboxes | null;
  readonly pool: ProcessPool<WorkerProcess>;
  readonly remotes: UpstreamConnections;
}

/** Processes at once; each takes a dozen descriptors and some memory, and the others wait their turn. */
const maxProcesses = 32;
/** Extensions and servers that come up at the same time. */
const maxStarts = 8;

export function createHostServices(given: HostServicesOptions): HostServices {
  const { state, database, audit, stage, kills, running, sandbox: confining, now, options } = given;
  const keychain =
    options.keychain === undefined ? systemKeychain(process.platform, runProgram) : options.keychain;
  const { passphrase } = options;
  const vault = openVault({ state, rows: new SecretRows(database), now, passphrase, keychain });
  const scanner = new Scanner(vault);
  const switches = new SwitchedOff(database, now);
  const agreements = {
    links: new LinkRows(database, now),
    agreements: new AgreementRows(database, now),
    audit,
    inTurn: queueOf(1),
    outdated: given.outdated,
    keepsFor: async ({ id, slots, permissions }: Package) =>
      (permissions.stateDirectory && machineFor(false).places.hasData(id)) ||
      (slots.length > 0 && (await vault.list()).some((it) => it.package === id)),
  };
  const understandings = new ParseCache(
    options.build === undefined ? null : new ParseCacheRows(database, options.build, now),
    options.onBug ?? (() => {}),
  );
  const client = options.client ?? guardedClient();
  const broker = new TokenBroker(askOver(client), now);
  const inTurn = queueOf(maxProcesses);
  const homes = homeFolders();
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of listeners) listener();
  };
  const reloads =
    options.watch === true
      ? new Reloads({
          changed,
          onReload: options.onReload ?? (() => {}),
          onBug: options.onBug ?? (() => {}),
        })
      : null;
  const copying = new Copying();
  const remote = {
    book: new AnnouncementBook(new Announcements(database, now), audit, queueOf(1), changed),
    connect: {
      nexo: async () => (await import('../run/nexo/connect.js')).connectNexo,
      mcp: async () => (await import('../run/mcp/connect.js')).connectMcp,
    },
    inTurn: queueOf(maxStarts),
    onLog: options.onLog ?? null,
  };
  // Each has processes of its own: one that was started unconfined never serves somebody who did not ask for that.
  const machines = new Map<boolean, Equipped>();
  const machineFor = (unsafe: boolean) => {
    const known = machines.get(unsafe);
    if (known !== undefined) return known;
    const sandbox = unsafe ? unconfined({ ledger: state }) : confining;
    const made = {
      sandbox,
      places: new PackageFolders(state, sandbox.user),
      warm: options.warm === false ? null : new WarmSandboxes(),
      pool: new ProcessPool<WorkerProcess>(),
      remotes: new UpstreamConnections(options.supervision),
    };
    machines.set(unsafe, made);
    return made;
  };

  kills.attach((matches) => {
    for (const { warm, pool, remotes } of machines.values()) {
      // Those that wait were started ahead and are nobody's yet: the next call starts its own.
      warm?.drop();
      pool.end((key, tools) => matches({ ...ownerOf(key), tools, ours: true }));
      remotes.kill(matches);
    }
  }, changed);

  const engines = new Engines(state, () => randomBytes(6).toString('hex'));
  const machineryFor = (policy: SessionPolicy): SessionServices => {
    const { sandbox, places, warm, pool, remotes } = machineFor(policy.unsafeNoSandbox === true);
    const containers = engines.of(policy.containers);
    return {
      sandbox,
      places,
      performer: {
        machine: { sandbox, newSocket: () => stage.newSocket(sandbox.user), containers },
        client,
        warm,
        pool,
        inTurn,
      },
      stage,
      understandings,
      vault,
      scanner,
      broker,
      switches,
      kills,
      running,
      agreements,
      environments: environmentStore({
        folder: places.environments(),
        sandbox,
        indexes: policy.indexes ?? {},
        openEgress,
        newName: () => randomBytes(6).toString('hex'),
        newSocket: () => stage.newSocket(sandbox.user),
      }),
      remote: { ...remote, remotes },
      containers,
      find: interpreters(sandbox, homes[0] ?? '/'),
      credentialKey: () => given.keyOf('credentials'),
      own: [state, stage.root, places.base],
      homes,
      changed,
      schemas: () => import('../schema/validator.js'),
    };
  };

  return {
    vault,
    switches,
    tokens: new KnownTokens(new TokenRows(database, now), now, (token) => hash('sha256', token)),
    changed,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    processes() {
      const made = [...machines.values()];
      const sum = (count: (it: Equipped) => number) => made.reduce((all, it) => all + count(it), 0);
      return {
        call: inTurn.running,
        kept: sum((it) => it.pool.state.processes),
        warm: sum((it) => it.warm?.size ?? 0),
      };
    },
    async open(wanted, parse) {
      const policy = wanted.policy ?? {};
      assertPolicy(policy);
      const { directories, root, principal, environment = {} } = wanted;
      const grants = absoluteGrants(parseGrants(wanted.allow ?? []), root);
      for (const name of everything(grants).environment) {
        if (!Object.hasOwn(environment, name))
          throw new HostError('usage', `env:${name} was granted, and that variable was not passed`);
      }
      if (policy.unsafeNoSandbox === true)
        await audit.append({ kind: 'operator', body: { act: 'unconfined session', by: principal } });
      const setup = {
        principal,
        directories,
        named: wanted.looking === true ? [] : (wanted.named ?? directories),
        root,
        grants,
        allow: [...(wanted.allow ?? [])].sort(),
        environment,
        policy,
        policyDigest: policyDigest(policy),
        parse: parseFor(policy, parse),
      };
      const catalog = await SessionCatalog.open(setup, machineryFor(policy));
      if (reloads === null) return { catalog, leave: () => {} };
      await copying.begin(catalog);
      const paths = directories.map((it) => resolve(root, it));
      return { catalog, leave: reloads.follow(catalog, paths, policy.ignore ?? []) };
    },
    async close() {
      await reloads?.close();
      await copying.close();
      await understandings.close();
      for (const { warm, pool, remotes } of machines.values()) {
        warm?.close();
        await Promise.all([pool.close(), remotes.close()]);
      }
      await engines.close();
    },
  };
}

function parseFor(policy: SessionPolicy, usual: ParseOptions): ParseOptions {
  return {
    agentVersion: policy.agentVersion ?? usual.agentVersion,
    reservedIds: [...usual.reservedIds, ...(policy.reservedIds ?? [])],
  };
}

function interpreters(sandbox: Sandbox, home: string): FindInterpreter {
  const node = { path: process.execPath, version: process.versions.node };
  return ({ language, version }) =>
    language === 'python' ? findPython(version, sandbox.user, home) : findNode(version, sandbox.user, node);
}

/** Paths of grants lead from the workspace. */
function absoluteGrants({ shared, own }: Grants, root: string): Grants {
  const absolute = (path: string) => (isAbsolute(path) ? path : resolve(root, path));
  const settled = (it: Grant) => ({ ...it, read: it.read.map(absolute), write: it.write.map(absolute) });
  return { shared: settled(shared), own: new Map([...own].map(([id, it]) => [id, settled(it)])) };
}

function everything({ shared, own }: Grants): Grant {
  return [...own.values()].reduce(joined, shared);
}
