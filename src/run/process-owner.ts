/** Whose process it is. Only sessions of this owner use it. */
export interface ProcessOwner {
  readonly principal: string;
  /** Differs for each client of the principal and for each workspace. */
  readonly id: string;
}

export interface OwnedProcess {
  readonly owner: ProcessOwner;
}

/** How many of the given processes each principal and each owner has. */
export class ProcessShares {
  readonly #ofPrincipals = new Map<string, number>();
  readonly #ofOwners = new Map<string, number>();

  constructor(processes: Iterable<OwnedProcess>) {
    for (const { owner } of processes) {
      this.#ofPrincipals.set(owner.principal, this.ofPrincipal(owner) + 1);
      this.#ofOwners.set(owner.id, this.ofOwner(owner) + 1);
    }
  }

  ofPrincipal({ principal }: ProcessOwner): number {
    return this.#ofPrincipals.get(principal) ?? 0;
  }

  ofOwner({ id }: ProcessOwner): number {
    return this.#ofOwners.get(id) ?? 0;
  }

  /** Sorts the owner with the smallest share first: by its principal, then by itself. */
  compare(a: ProcessOwner, b: ProcessOwner): number {
    return this.ofPrincipal(a) - this.ofPrincipal(b) || this.ofOwner(a) - this.ofOwner(b);
  }
}

/**
 * The idle process that makes room for another one of `owner`: of those with the largest share, the first in the order of
 * `compareAge`. An owner takes a process only from itself, or from somebody who has more, so that no owner can displace
 * all others. Undefined if there is none; then a process of the owner itself is busy and ends later.
 */
export function processToEvict<T extends OwnedProcess>(
  owner: ProcessOwner,
  all: readonly T[],
  idle: readonly T[],
  compareAge: (a: T, b: T) => number,
): T | undefined {
  const shares = new ProcessShares(all);
  const mayTake = ({ owner: holder }: T) =>
    holder.id === owner.id ||
    (holder.principal === owner.principal
      ? shares.ofOwner(holder) > shares.ofOwner(owner)
      : shares.ofPrincipal(holder) > shares.ofPrincipal(owner));
  return idle.filter(mayTake).sort((a, b) => shares.compare(b.owner, a.owner) || compareAge(a, b))[0];
}
