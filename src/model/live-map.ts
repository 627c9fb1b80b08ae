/**
 * A map for entries that come and go with each call, in the order in which they came. When a `Map` or a `Set` makes itself a
 * new table, its old one keeps its entries and points to the new one. Once one table is in the old generation of V8, this
 * chain keeps whatever calls put into the map in memory until a full collection. Finding is linear: for up to a thousand.
 */
export class LiveMap<K, V> {
  readonly #keys: K[] = [];
  readonly #values: V[] = [];

  get size(): number {
    return this.#keys.length;
  }

  has(key: K): boolean {
    return this.#keys.includes(key);
  }

  get(key: K): V | undefined {
    const at = this.#keys.indexOf(key);
    return at === -1 ? undefined : this.#values[at];
  }

  /** Replaces the value of a key where it is. */
  set(key: K, value: V): void {
    const at = this.#keys.indexOf(key);
    if (at === -1) {
      this.#keys.push(key);
      this.#values.push(value);
    } else this.#values[at] = value;
  }

  delete(key: K): void {
    const at = this.#keys.indexOf(key);
    if (at === -1) return;
    this.#keys.splice(at, 1);
    this.#values.splice(at, 1);
  }

  /** A copy: the map may change meanwhile. */
  keys(): K[] {
    return [...this.#keys];
  }

  /** A copy: the map may change meanwhile. */
  values(): V[] {
    return [...this.#values];
  }
}
