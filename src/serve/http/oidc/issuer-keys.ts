import type { createLocalJWKSet, JSONWebKeySet } from 'jose';
import { HostError } from '../../../model/host-error.js';

type FindKey = ReturnType<typeof createLocalJWKSet>;

/** The keys of one moment. The number changes when other keys are published. */
export interface KeySet {
  readonly find: FindKey;
  readonly generation: number;
}

export interface IssuerKeysOptions {
  readonly issuer: string;
  readonly fetch: () => Promise<JSONWebKeySet>;
  readonly find: (keys: JSONWebKeySet) => FindKey;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Told when keys could not be renewed; the known ones are used on. */
  readonly onTrouble: (error: unknown) => void;
  readonly times?: Partial<KeyTimes>;
}

export interface KeyTimes {
  /** How long keys are used without asking. */
  readonly freshMs: number;
  /** How long they are used when nobody answers. */
  readonly staleMs: number;
  /** The least time between two tries, whatever tokens ask for. */
  readonly againMs: number;
}

const usual: KeyTimes = { freshMs: 5 * 60_000, staleMs: 60 * 60_000, againMs: 30_000 };

/**
 * The keys of an issuer as we know them. They are renewed in the background, and at once when a token names a key that
 * is not among them; strangers can make tokens, so that happens twice a minute at most.
 */
export class IssuerKeys {
  readonly #options: IssuerKeysOptions;
  readonly #times: KeyTimes;
  #known: (KeySet & { readonly text: string; readonly at: number }) | undefined;
  #trying: Promise<void> | undefined;
  #triedAt = Number.NEGATIVE_INFINITY;

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
    this.#times = { ...usual, ...options.times };
  }

  /** The first time; without keys nobody could be let in, so there is nothing to start for. */
  async start(): Promise<void> {
    await this.#fetch();
  }

  async current(): Promise<KeySet> {
    const age = this.#age();
    if (age > this.#times.freshMs) {
      const trying = this.#again();
      if (age > this.#times.staleMs) await trying;
    }
    if (this.#known === undefined || this.#age() > this.#times.staleMs)
      throw new HostError(
        'host_unreachable',
        `the keys of ${this.#options.issuer} are too old, and it does not answer`,
        { hint: 'try again in a minute; tokens of "toolwharf token create" are not affected' },
      );
    return this.#known;
  }

  /** For a token that the known keys do not fit. */
  async renewed(): Promise<KeySet> {
    await this.#again();
    return this.current();
  }

  #age(): number {
    return this.#options.now() - (this.#known?.at ?? Number.NEGATIVE_INFINITY);
  }

  /** One try at a time, and not too often; whoever comes meanwhile waits for the same one. */
  #again(): Promise<void> {
    if (this.#trying !== undefined) return this.#trying;
    if (this.#options.now() - this.#triedAt < this.#times.againMs) return Promise.resolve();
    this.#trying = this.#fetch()
      .catch(this.#options.onTrouble)
      .finally(() => {
        this.#trying = undefined;
      });
    return this.#trying;
  }

  async #fetch(): Promise<void> {
    const at = this.#options.now();
    this.#triedAt = at;
    const keys = await this.#options.fetch();
    const text = JSON.stringify(keys);
    const same = this.#known !== undefined && this.#known.text === text;
    const find = same && this.#known !== undefined ? this.#known.find : this.#options.find(keys);
    const generation = (this.#known?.generation ?? 0) + (same ? 0 : 1);
    this.#known = { find, generation, text, at };
  }
}
