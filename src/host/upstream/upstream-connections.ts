import type { CancelSignal } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import {
  externalSupervision,
  SupervisedUpstream,
  type SupervisionPolicy,
} from '../../run/upstream/supervised-upstream.js';
import type { Upstream } from '../../run/upstream/upstream.js';
import type { LivingProcess } from '../operator/kill-switch.js';
import { createQueue } from '../queue.js';

/** An upstream for one caller, and how to connect to it. */
export interface UpstreamTarget {
  /** Differs if the code, the caller, the sandbox profile or a value differs. */
  readonly key: string;
  readonly principal: string;
  readonly package: string;
  readonly digest: string;
  readonly program: string;
  /** True if the host starts the program. One that runs elsewhere can come back at any time. */
  readonly startedHere: boolean;
  readonly open: (signal: CancelSignal) => Promise<Upstream>;
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

interface Entry {
  readonly target: UpstreamTarget;
  /** Tools that were called in it so far. */
  readonly tools: Set<string>;
  readonly supervised: SupervisedUpstream;
}

/** Upstreams at the same time. Above this, the one that was idle longest is ended. */
const maxUpstreams = 128;
/** Restarts at the same time. Low, so that restarts do not slow down running calls. */
const maxRestarts = 2;
/** How long an idle program is kept once another version of its package is in use. */
const outdatedIdleMs = 20_000;

/** The upstreams of a host. Sessions of the same caller share them; different callers never do. */
export class UpstreamConnections {
  readonly #entries = new Map<string, Entry>();
  /** Upstreams that get no new work and have not ended yet. */
  readonly #ending = new Set<Entry>();
  readonly #limits: Partial<SupervisionPolicy>;
  readonly #restarts = createQueue(maxRestarts);
  #closed = false;

  constructor(limits: Partial<SupervisionPolicy> = {}) {
    this.#limits = limits;
  }

  /** Runs `work` with the upstream, which is started if necessary. `tool`: the tool that `work` calls, if any. */
  async use<T>(target: UpstreamTarget, work: (upstream: Upstream) => Promise<T>, tool?: string): Promise<T> {
    if (this.#closed) throw new HostError('canceled', 'the host is closing');
    const { supervised, tools } = this.#entryFor(target);
    if (tool !== undefined) tools.add(tool);
    return supervised.use(work);
  }

  /** The states of a package's upstreams for one caller. */
  states(digest: string, principal: string): readonly UpstreamState[] {
    return [...this.#entries.values()]
      .filter((it) => it.target.digest === digest && it.target.principal === principal)
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
  async end(matches: (target: UpstreamTarget) => boolean, reason: string): Promise<void> {
    const removed = this.#remove((it) => matches(it.target));
    await Promise.all(removed.map((it) => it.supervised.close(reason)));
  }

  /** Gives matching upstreams no new work; they end when their running calls are done. */
  retire(matches: (target: UpstreamTarget) => boolean): void {
    for (const { supervised } of this.#remove((it) => matches(it.target))) supervised.retire();
  }

  /** Kills all matching upstreams, also those that are already ending. */
  kill(matches: (owner: LivingProcess) => boolean): void {
    const isMatch = ({ target, tools }: Entry) => matches({ ...target, tools });
    this.#remove(isMatch);
    for (const it of this.#ending) if (isMatch(it)) it.supervised.kill();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.end(() => true, 'the host is closing');
  }

  #remove(matches: (entry: Entry) => boolean): Entry[] {
    const removed = [...this.#entries.values()].filter(matches);
    for (const entry of removed) {
      this.#entries.delete(entry.target.key);
      this.#ending.add(entry);
      void entry.supervised.gone.then(() => this.#ending.delete(entry));
    }
    return removed;
  }

  #entryFor(target: UpstreamTarget): Entry {
    const known = this.#entries.get(target.key);
    if (known !== undefined) return known;
    this.#makeRoom();
    const name = `${target.package} (${target.program})`;
    const limits = target.startedHere ? this.#limits : { ...this.#limits, ...externalSupervision };
    const supervised = new SupervisedUpstream(name, target.open, limits, target.redact, this.#restarts);
    const entry: Entry = { target, tools: new Set(), supervised };
    this.#outdateOthers(target);
    this.#entries.set(target.key, entry);
    return entry;
  }

  /** Other versions of a package are probably not needed any more, so they are kept only shortly. */
  #outdateOthers({ principal, package: id, program, digest }: UpstreamTarget): void {
    for (const { target, supervised } of this.#entries.values()) {
      const same = target.principal === principal && target.package === id && target.program === program;
      if (same && target.digest !== digest) supervised.shortenIdleTime(outdatedIdleMs);
    }
  }

  /** Removes an idle upstream, stopped ones first: they cost nothing but their history of failures. */
  #makeRoom(): void {
    if (this.#entries.size < maxUpstreams) return;
    const idle = [...this.#entries.values()]
      .filter((it) => !it.supervised.busy)
      .sort((a, b) => rank(a) - rank(b) || a.supervised.usedAt - b.supervised.usedAt);
    const [first] = idle;
    if (first === undefined)
      throw new HostError('upstream_failed', `all ${maxUpstreams} connections to programs are in use`, {
        hint: 'call again later',
      });
    this.#remove((it) => it === first);
    void first.supervised.close('other programs need its connection');
  }
}

function rank({ supervised }: Entry): number {
  return supervised.state === 'stopped' ? 0 : 1;
}
