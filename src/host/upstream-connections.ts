import { HostError } from '../model/host-error.js';
import type { Signal } from '../model/signal.js';
import { patientSupervision, Supervised, type Supervision } from '../run/upstream/supervised.js';
import type { Upstream } from '../run/upstream/upstream.js';
import type { KeptProcess } from './kill-switch.js';
import { queueOf } from './queue.js';

/** One program for one caller, and how it is brought up. */
export interface UpstreamTarget {
  /** The same code, caller, confinement and values, or another key. */
  readonly key: string;
  readonly principal: string;
  readonly package: string;
  readonly digest: string;
  readonly program: string;
  /** It is started here; one that runs elsewhere may come back whenever somebody starts it there. */
  readonly ours: boolean;
  readonly open: (signal: Signal) => Promise<Upstream>;
  /** What a program says of its end, without secrets. */
  readonly words: (text: string) => string;
}

export interface UpstreamState {
  readonly program: string;
  readonly state: Supervised['state'];
  readonly reason: string;
  /** How often it ended by itself since it was last steady. */
  readonly ends: number;
}

interface Entry {
  readonly place: UpstreamTarget;
  /** Tools that were ever called in it. */
  readonly tools: Set<string>;
  readonly supervised: Supervised;
}

/** Programs at once; whoever was idle longest makes room. */
const maxRemotes = 128;
/** Programs that are started again at once, after they ended; whoever is up already has the rest of the machine. */
const maxRestarts = 2;
/** How long a program is kept without work once another version of it is in use. */
const outdatedIdleMs = 20_000;

/** Extensions and servers that are up, or were; shared by the sessions of a host, never by callers. */
export class UpstreamConnections {
  readonly #entries = new Map<string, Entry>();
  /** Those that nobody gets any more and that are not gone yet. */
  readonly #leaving = new Set<Entry>();
  readonly #limits: Partial<Supervision>;
  readonly #restarts = queueOf(maxRestarts);
  #closed = false;

  constructor(limits: Partial<Supervision> = {}) {
    this.#limits = limits;
  }

  /** Lends a program to `work`, started first where it is not up. `tool`: the one that is called, where one is. */
  async use<T>(place: UpstreamTarget, work: (remote: Upstream) => Promise<T>, tool?: string): Promise<T> {
    if (this.#closed) throw new HostError('canceled', 'the host is being closed');
    const { supervised, tools } = this.#entryFor(place);
    if (tool !== undefined) tools.add(tool);
    return supervised.use(work);
  }

  /** How the programs of a package are doing for one caller. */
  states(digest: string, principal: string): readonly UpstreamState[] {
    return [...this.#entries.values()]
      .filter((it) => it.place.digest === digest && it.place.principal === principal)
      .map(({ place, supervised }) => ({
        program: place.program,
        state: supervised.state,
        reason: supervised.reason,
        ends: supervised.ends,
      }));
  }

  get count(): number {
    const up = [...this.#entries.values()].filter((it) => it.supervised.state !== 'stopped');
    return up.length;
  }

  /** Ends the programs of packages that match, at once and for good; whoever needs one gets a new one. */
  async end(matches: (place: UpstreamTarget) => boolean, reason: string): Promise<void> {
    const gone = this.#takeOut((it) => matches(it.place));
    await Promise.all(gone.map((it) => it.supervised.close(reason)));
  }

  /** No new call comes to them; they end when those under way are done. */
  retire(matches: (place: UpstreamTarget) => boolean): void {
    for (const { supervised } of this.#takeOut((it) => matches(it.place))) supervised.retire();
  }

  /** Ends them without a word of warning, those too that were given time to finish. */
  kill(matches: (owner: KeptProcess) => boolean): void {
    const isMeant = ({ place, tools }: Entry) => matches({ ...place, tools });
    this.#takeOut(isMeant);
    for (const it of this.#leaving) if (isMeant(it)) it.supervised.kill();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.end(() => true, 'the host is being closed');
  }

  #takeOut(matches: (entry: Entry) => boolean): Entry[] {
    const gone = [...this.#entries.values()].filter(matches);
    for (const entry of gone) {
      this.#entries.delete(entry.place.key);
      this.#leaving.add(entry);
      void entry.supervised.gone.then(() => this.#leaving.delete(entry));
    }
    return gone;
  }

  #entryFor(place: UpstreamTarget): Entry {
    const known = this.#entries.get(place.key);
    if (known !== undefined) return known;
    this.#makeRoom();
    const name = `${place.package} (${place.program})`;
    const limits = place.ours ? this.#limits : { ...this.#limits, ...patientSupervision };
    const supervised = new Supervised(name, place.open, limits, place.words, this.#restarts);
    const entry: Entry = { place, tools: new Set(), supervised };
    this.#outdateOthers(place);
    this.#entries.set(place.key, entry);
    return entry;
  }

  /** Programs of other versions of a package are needed no more, or by somebody who will use them soon. */
  #outdateOthers({ principal, package: id, program, digest }: UpstreamTarget): void {
    for (const { place, supervised } of this.#entries.values()) {
      const same = place.principal === principal && place.package === id && place.program === program;
      if (same && place.digest !== digest) supervised.outdated(outdatedIdleMs);
    }
  }

  /** What is stopped costs nothing but its memory of failures, and goes first. */
  #makeRoom(): void {
    if (this.#entries.size < maxRemotes) return;
    const idle = [...this.#entries.values()]
      .filter((it) => !it.supervised.busy)
      .sort((a, b) => rank(a) - rank(b) || a.supervised.usedAt - b.supervised.usedAt);
    const [first] = idle;
    if (first === undefined)
      throw new HostError('upstream_failed', `${maxRemotes} programs are in use already`, {
        hint: 'call again later',
      });
    this.#takeOut((it) => it === first);
    void first.supervised.close('others need its place');
  }
}

function rank({ supervised }: Entry): number {
  return supervised.state === 'stopped' ? 0 : 1;
}
