import type { createLocalJWKSet, JSONWebKeySet } from 'jose';
import { HostError } from '../../../model/host-error.js';

type FindKey = ReturnType<typeof createLocalJWKSet>;

/** A snapshot of the issuer's keys. `generation` changes when the issuer publishes other keys. */
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
  /** Called when a refresh fails. The old keys stay in use. */
  readonly onRefreshError: (error: unknown) => void;
  readonly times?: Partial<KeyTimes>;
}

export interface KeyTimes {
  /** Age up to which keys are used without a refresh. */
  readonly freshMs: number;
  /** Age up to which keys are used while the issuer does not answer. */
  readonly staleMs: number;
  /** Minimum time between two refresh attempts. */
  readonly retryMs: number;
}

const defaultTimes: KeyTimes = { freshMs: 5 * 60_000, staleMs: 60 * 60_000, retryMs: 30_000 };

/**
 * The cached keys of an issuer. They are refreshed in the background, and immediately when a token names an unknown key.
 * Anyone can send such a token, so an immediate refresh happens at most once per `retryMs`.
 */
export class IssuerKeys {
  readonly #options: IssuerKeysOptions;
  readonly #times: KeyTimes;
  #known: (KeySet & { readonly text: string; readonly at: number }) | undefined;
  #refreshing: Promise<void> | undefined;
  #attemptedAt = Number.NEGATIVE_INFINITY;

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
    this.#times = { ...defaultTimes, ...options.times };
  }

  /** First fetch. It must succeed: without keys no token can be checked. */
  async start(): Promise<void> {
    await this.#fetch();
  }

  async current(): Promise<KeySet> {
    const age = this.#age();
    if (age > this.#times.freshMs) {
      const refresh = this.#refresh();
      if (age > this.#times.staleMs) await refresh;
    }
    if (this.#known === undefined || this.#age() > this.#times.staleMs)
      throw new HostError(
        'host_unreachable',
        `the keys of ${this.#options.issuer} are too old, and the issuer does not answer`,
        { hint: 'try again in a minute; tokens from "toolwharf token create" still work' },
      );
    return this.#known;
  }

  /** For a token that no cached key matches. */
  async refreshed(): Promise<KeySet> {
    await this.#refresh();
    return this.current();
  }

  #age(): number {
    return this.#options.now() - (this.#known?.at ?? Number.NEGATIVE_INFINITY);
  }

  /** One attempt at a time, rate-limited. Concurrent callers wait for the same attempt. */
  #refresh(): Promise<void> {
    if (this.#refreshing !== undefined) return this.#refreshing;
    if (this.#options.now() - this.#attemptedAt < this.#times.retryMs) return Promise.resolve();
    this.#refreshing = this.#fetch()
      .catch(this.#options.onRefreshError)
      .finally(() => {
        this.#refreshing = undefined;
      });
    return this.#refreshing;
  }

  async #fetch(): Promise<void> {
    const at = this.#options.now();
    this.#attemptedAt = at;
    const keys = await this.#options.fetch();
    const text = JSON.stringify(keys);
    const same = this.#known !== undefined && this.#known.text === text;
    const find = same && this.#known !== undefined ? this.#known.find : this.#options.find(keys);
    const generation = (this.#known?.generation ?? 0) + (same ? 0 : 1);
    this.#known = { find, generation, text, at };
  }
}
