import type { CancelSignal } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import type { MountGuard } from '../../run/mount-guard.js';
import {
  type OwnedProcess,
  type ProcessOwner,
  ProcessShares,
  processToEvict,
} from '../../run/process-owner.js';
import { SupervisedUpstream } from '../../run/upstream/supervised-upstream.js';
import { externalSupervision, type SupervisionPolicy } from '../../run/upstream/supervision-policy.js';
import type { Upstream } from '../../run/upstream/upstream.js';
import type { LivingProcess } from '../operator/kill-switch.js';
import { createQueue } from '../queue.js';

/** An upstream for one owner, and how to connect to it. */
export interface UpstreamTarget<U extends Upstream = Upstream> {
  /** Differs if the code, the owner, the sandbox profile or a value differs. */
  readonly key: string;
  readonly owner: ProcessOwner;
  readonly package: string;
  readonly digest: string;
  readonly program: string;
  /** True if the host starts the program. One that runs elsewhere can come back at any time. */
  readonly startedHere: boolean;
  /** Follows its process, if it runs here and sees the workspace. */
  readonly guard?: MountGuard | undefined;
  readonly open: (signal: CancelSignal) => Promise<U>;
  /** Removes secrets from what a program writes when it ends. */
  readonly redact: (text: string) => string;
}

export interface UpstreamState {
  readonly program: string;
  readonly state: SupervisedUpstream['state'];
  readonly reason: string;
  /** How often it exited unexpectedly since it last ran stably. */
  readonly exits: number;
}

interface Entry<U extends Upstream> extends OwnedProcess {
  readonly target: UpstreamTarget<U>;
  /** Tools that were called in it so far. */
  readonly tools: Set<string>;
  readonly supervised: SupervisedUpstream<U>;
}

/** Upstreams at the same time. Above this, an idle one is ended. */
const maxUpstreams = 128;
/** Upstreams of one principal at the same time, so that others always get some. */
const maxOfPrincipal = 112;
/** Restarts at the same time. Low, so that restarts do not slow down running calls. */
const maxRestarts = 2;
/** How long an idle program is kept once another version of its package is in use. */
const outdatedIdleMs = 20_000;

/** The upstreams of a host. Sessions of the same owner share them; different owners never do. */
export class UpstreamConnections<U extends Upstream = Upstream> {
  readonly #entries = new Map<string, Entry<U>>();
  /** Upstreams that get no new work and have not ended yet. */
  readonly #ending = new Set<Entry<U>>();
  readonly #limits: Partial<SupervisionPolicy>;
  readonly #restarts = createQueue(maxRestarts);
  #closed = false;

  constructor(limits: Partial<SupervisionPolicy> = {}) {
    this.#limits = limits;
  }

  /** Runs `work` with the upstream, which is started if necessary. `tool`: the tool that `work` calls, if any. */
  async use<T>(target: UpstreamTarget<U>, work: (upstream: U) => Promise<T>, tool?: string): Promise<T> {
    if (this.#closed) throw new HostError('canceled', 'the host is closing');
    const { supervised, tools } = this.#entryFor(target);
    if (tool !== undefined) tools.add(tool);
    return await supervised.use(work);
  }

  /** Whether its program runs, so that using it starts nothing. */
  isRunning({ key }: UpstreamTarget<U>): boolean {
    return this.#entries.get(key)?.supervised.state === 'running';
  }

  /** Keeps the upstream running while it is idle. Returns a function that ends this. */
  keep(target: UpstreamTarget<U>): () => void {
    return this.#entryFor(target).supervised.keep();
  }

  /** The states of a package's upstreams for one owner. */
  states(digest: string, { id }: ProcessOwner): readonly UpstreamState[] {
    return [...this.#entries.values()]
      .filter((it) => it.target.digest === digest && it.owner.id === id)
      .map(({ target, supervised }) => ({
        program: target.program,
        state: supervised.state,
        reason: supervised.reason,
        exits: supervised.exits,
      }));
  }

  get count(): number {
    return [...this.#entries.values()].filter((it) => it.supervised.state !== 'stopped').length;
  }

  /** Ends all matching upstreams now. The next use starts a new one. */
  async end(matches: (target: UpstreamTarget<U>) => boolean, reason: string): Promise<void> {
    const removed = this.#remove((it) => matches(it.target));
    await Promise.all(removed.map((it) => it.supervised.close(reason)));
  }

  /** Gives matching upstreams no new work; they end when their running calls are done. */
  retire(matches: (target: UpstreamTarget<U>) => boolean): void {
    for (const { supervised } of this.#remove((it) => matches(it.target))) supervised.retire();
  }

  /** Kills all matching upstreams, also those that are already ending. */
  kill(matches: (owner: LivingProcess) => boolean): void {
    const isMatch = ({ target, owner: { principal }, tools }: Entry<U>) =>
      matches({ ...target, principal, tools });
    this.#remove(isMatch);
    for (const it of this.#ending) if (isMatch(it)) it.supervised.kill();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.end(() => true, 'the host is closing');
  }

  #remove(matches: (entry: Entry<U>) => boolean): Entry<U>[] {
    const removed = [...this.#entries.values()].filter(matches);
    for (const entry of removed) {
      this.#entries.delete(entry.target.key);
      this.#ending.add(entry);
      void entry.supervised.gone.then(() => this.#ending.delete(entry));
    }
    return removed;
  }

  #entryFor(target: UpstreamTarget<U>): Entry<U> {
    const known = this.#entries.get(target.key);
    if (known !== undefined) return known;
    this.#makeRoom(target.owner);
    const name = `${target.package} (${target.program})`;
    const limits = target.startedHere ? this.#limits : { ...this.#limits, ...externalSupervision };
    const supervised = new SupervisedUpstream(name, target.open, limits, target.redact, this.#restarts);
    const entry: Entry<U> = { target, owner: target.owner, tools: new Set(), supervised };
    this.#outdateOthers(target);
    this.#entries.set(target.key, entry);
    return entry;
  }

  /** Other versions of a package are probably not needed any more, so they are kept only shortly. */
  #outdateOthers({ owner, package: id, program, digest }: UpstreamTarget<U>): void {
    for (const { target, supervised } of this.#entries.values()) {
      const same = target.owner.id === owner.id && target.package === id && target.program === program;
      if (same && target.digest !== digest) supervised.shortenIdleTime(outdatedIdleMs);
    }
  }

  /** Removes an idle upstream, see `processToEvict`. Stopped ones first: they cost only their history of failures. */
  #makeRoom(owner: ProcessOwner): void {
    const all = [...this.#entries.values()];
    const isOverShare = new ProcessShares(all).ofPrincipal(owner) >= maxOfPrincipal;
    if (all.length < maxUpstreams && !isOverShare) return;
    const idle = all.filter((it) => !it.supervised.busy);
    const candidates = isOverShare ? idle.filter((it) => it.owner.principal === owner.principal) : idle;
    const compareAge = (a: Entry<U>, b: Entry<U>) => a.supervised.usedAt - b.supervised.usedAt;
    const evicted =
      candidates.filter((it) => it.supervised.state === 'stopped').sort(compareAge)[0] ??
      processToEvict(owner, all, candidates, compareAge) ??
      // Better than an error: another client of the same principal starts its program again when it needs it.
      candidates.filter((it) => it.owner.principal === owner.principal).sort(compareAge)[0];
    if (evicted === undefined)
      throw new HostError('upstream_failed', 'too many connections to programs are in use', {
        hint: `call again later; a host has at most ${maxUpstreams}, of which one principal has at most ${maxOfPrincipal}`,
      });
    this.#remove((it) => it === evicted);
    void evicted.supervised.close('other programs need its connection');
  }
}
