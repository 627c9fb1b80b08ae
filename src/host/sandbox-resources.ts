import { PrestartedSandboxes } from '../run/prestarted-sandboxes.js';
import type { SupervisionPolicy } from '../run/upstream/supervision-policy.js';
import { packageOfKey } from '../run/worker/worker-plan.js';
import { WorkerPool } from '../run/worker/worker-pool.js';
import { noSandbox } from '../sandbox/no-sandbox.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { LivingProcess } from './operator/kill-switch.js';
import { PackageFolders } from './sandboxing/package-folders.js';
import type { ComparedUpstream } from './upstream/compared-upstream.js';
import { UpstreamConnections } from './upstream/upstream-connections.js';

/** A sandbox, with the folders, processes and connections that belong to it. */
export interface SandboxResources {
  readonly sandbox: Sandbox;
  readonly folders: PackageFolders;
  /** Null if no processes are started ahead. */
  readonly warm: PrestartedSandboxes | null;
  readonly pool: WorkerPool;
  readonly connections: UpstreamConnections<ComparedUpstream>;
}

export interface SandboxResourceOptions {
  readonly state: string;
  readonly sandbox: Sandbox;
  /** Whether processes are started ahead of the next call. */
  readonly warm: boolean;
  readonly supervision: Partial<SupervisionPolicy> | undefined;
}

/**
 * The resources of sessions with the sandbox, and of sessions without it. The two never share a process: a session
 * with the sandbox must not get a process that runs without.
 */
export class SandboxResourceSets {
  readonly #options: SandboxResourceOptions;
  readonly #byUnsafe = new Map<boolean, SandboxResources>();

  constructor(options: SandboxResourceOptions) {
    this.#options = options;
  }

  /** `unsafe`: for sessions in which the operator turned the sandbox off. */
  get(unsafe: boolean): SandboxResources {
    const known = this.#byUnsafe.get(unsafe);
    if (known !== undefined) return known;
    const { state, warm, supervision } = this.#options;
    const sandbox = unsafe ? noSandbox({ pidFolder: state }) : this.#options.sandbox;
    const created = {
      sandbox,
      folders: new PackageFolders(state, sandbox.user),
      warm: warm ? new PrestartedSandboxes() : null,
      pool: new WorkerPool(sandbox),
      connections: new UpstreamConnections<ComparedUpstream>(supervision),
    };
    this.#byUnsafe.set(unsafe, created);
    return created;
  }

  /** Ends all matching processes now. */
  kill(matches: (owner: LivingProcess) => boolean): void {
    for (const { warm, pool, connections } of this.#byUnsafe.values()) {
      // Processes started ahead have no owner yet, so all of them end; the next call starts its own.
      warm?.clear();
      pool.end(({ key, owner: { principal }, purposes: tools }) =>
        matches({ package: packageOfKey(key), principal, tools, startedHere: true }),
      );
      connections.kill(matches);
    }
  }

  /** Ends the processes of an owner, who will make no more calls. */
  async endOwned(ownerId: string): Promise<void> {
    for (const { warm, pool, connections } of this.#byUnsafe.values()) {
      warm?.end(ownerId);
      pool.end(({ owner }) => owner.id === ownerId);
      await connections.end(({ owner }) => owner.id === ownerId, 'its client has disconnected');
    }
  }

  /** Ends the processes of a package that was narrowed; those of running calls end after them. */
  retirePackage(packageId: string): void {
    for (const { warm, connections } of this.#byUnsafe.values()) {
      // The key of pooled processes contains their profile, so a call never gets one with another.
      warm?.clear();
      connections.retire((it) => it.package === packageId);
    }
  }

  /** Ends the connections to the programs of a package; the next use connects again. */
  async endUpstreams(packageId: string, reason: string): Promise<void> {
    for (const { connections } of this.#byUnsafe.values())
      await connections.end((it) => it.package === packageId, reason);
  }

  /** Ends idle processes that know too little of what is protected; busy ones end after their call. */
  endOutdated(): void {
    for (const { pool, connections } of this.#byUnsafe.values()) {
      pool.endRetired();
      connections.retire((it) => it.guard?.isOutdated() === true);
    }
  }

  counts(): { readonly pooled: number; readonly prestarted: number } {
    const all = [...this.#byUnsafe.values()];
    return {
      pooled: all.reduce((sum, it) => sum + it.pool.state.processes, 0),
      prestarted: all.reduce((sum, it) => sum + (it.warm?.size ?? 0), 0),
    };
  }

  async close(): Promise<void> {
    for (const { warm, pool, connections } of this.#byUnsafe.values()) {
      warm?.close();
      await Promise.all([pool.close(), connections.close()]);
    }
  }
}
