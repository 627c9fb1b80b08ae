import { type Containers, openContainers } from '../../sandbox/container/containers.js';
import type { ContainerPolicy } from '../session-policy.js';

/** The container engines of a host: one for each combination of engine and runtime that sessions configure. */
export class ContainerEngines {
  readonly #state: string;
  readonly #newName: () => string;
  readonly #opened = new Map<string, Containers>();

  constructor(state: string, newName: () => string) {
    this.#state = state;
    this.#newName = newName;
  }

  get({ engine, runtime }: ContainerPolicy = {}): Containers {
    const key = JSON.stringify([engine, runtime]);
    const known = this.#opened.get(key);
    if (known !== undefined) return known;
    const containers = openContainers({ engine, runtime, folder: this.#state, newName: this.#newName });
    this.#opened.set(key, containers);
    return containers;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#opened.values()].map((it) => it.close()));
  }
}
