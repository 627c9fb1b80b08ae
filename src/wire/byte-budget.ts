/** Bytes of requests in progress, in memory at the same time. */
export interface ByteBudgetLimits {
  readonly perOwner: number;
  readonly total: number;
}

/** Whose budget is used up: that of the owner, or that of all together. */
export type ByteShortage = 'owner' | 'total';

/** Limits the bytes of requests that are read or processed at the same time. An owner cannot use up what others need. */
export class ByteBudget {
  readonly #limits: ByteBudgetLimits;
  readonly #owners = new Map<string, number>();
  #total = 0;

  constructor(limits: ByteBudgetLimits) {
    this.#limits = limits;
  }

  /** Bytes in use by all owners. */
  get used(): number {
    return this.#total;
  }

  /** The share of one request or connection. It must be closed. */
  open(owner: string): ByteShare {
    return new ByteShare((bytes) => this.#change(owner, bytes));
  }

  #change(owner: string, bytes: number): ByteShortage | undefined {
    const own = (this.#owners.get(owner) ?? 0) + bytes;
    if (bytes > 0 && own > this.#limits.perOwner) return 'owner';
    if (bytes > 0 && this.#total + bytes > this.#limits.total) return 'total';
    this.#total += bytes;
    if (own === 0) this.#owners.delete(owner);
    else this.#owners.set(owner, own);
    return undefined;
  }
}

export class ByteShare {
  readonly #change: (bytes: number) => ByteShortage | undefined;
  #held = 0;

  constructor(change: (bytes: number) => ByteShortage | undefined) {
    this.#change = change;
  }

  /** Reserves more bytes. If there are not enough, nothing is reserved. */
  take(bytes: number): ByteShortage | undefined {
    const shortage = this.#change(bytes);
    if (shortage === undefined) this.#held += bytes;
    return shortage;
  }

  give(bytes: number): void {
    const given = Math.min(bytes, this.#held);
    this.#held -= given;
    this.#change(-given);
  }

  close(): void {
    this.give(this.#held);
  }
}
