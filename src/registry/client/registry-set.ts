// The registries that the operator configured. A name means one registry: the one that its namespace is bound to, or the
// first one by priority that has the namespace. A registry that cannot be asked is never passed over: otherwise an attacker who
// can stop it could choose the registry that answers.
import { HostError } from '../../model/host-error.js';
import { type PackageName, parsePackageName } from '../names/package-name.js';
import type { FoundRelease, RegistryClient, RegistryState } from './registry-client.js';

export interface ConfiguredRegistry {
  readonly client: RegistryClient;
  /** Higher first. */
  readonly priority: number;
  /** Namespaces that are looked up only here; a name that ends with `*` means all that begin so. */
  readonly namespaces: readonly string[];
}

/** All releases of a package, in the registry that its name means. */
export interface FoundPackage {
  readonly name: PackageName;
  readonly client: RegistryClient;
  readonly state: RegistryState;
  /** Of this package only; in no order. */
  readonly releases: readonly FoundRelease[];
}

export class RegistrySet {
  readonly #registries: readonly ConfiguredRegistry[];
  readonly #states = new Map<RegistryClient, Promise<RegistryState>>();

  constructor(registries: readonly ConfiguredRegistry[]) {
    this.#registries = [...registries].sort((a, b) => b.priority - a.priority);
  }

  get clients(): readonly RegistryClient[] {
    return this.#registries.map((it) => it.client);
  }

  /** The registries that may have a namespace, in the order in which they are asked. */
  candidates(namespace: string): readonly RegistryClient[] {
    if (this.#registries.length === 0)
      throw new HostError('not_found', 'no registry is configured', {
        hint: 'add one to the configuration: [registries.NAME] with url or path, and root',
      });
    const bound = this.#registries.filter((it) =>
      it.namespaces.some((pattern) => covers(pattern, namespace)),
    );
    return (bound.length > 0 ? bound.slice(0, 1) : this.#registries).map((it) => it.client);
  }

  /** The verified state of a registry; read once. */
  state(client: RegistryClient): Promise<RegistryState> {
    const known = this.#states.get(client);
    if (known !== undefined) return known;
    const state = client.update();
    this.#states.set(client, state);
    // A failure is not kept: the next question tries again.
    state.catch(() => this.#states.delete(client));
    return state;
  }

  /** The registry that has a namespace; undefined: none has it. */
  async owner(namespace: string): Promise<RegistryClient | undefined> {
    for (const client of this.candidates(namespace)) {
      const { view } = await this.state(client);
      if ((await view.namespace(namespace)) !== undefined) return client;
    }
    return undefined;
  }

  async find(text: string): Promise<FoundPackage> {
    const name = parsePackageName(text);
    const candidates = this.candidates(name.namespace);
    for (const client of candidates) {
      const state = await this.state(client);
      const all = await client.namespace(state, name.namespace);
      if (all === undefined) continue;
      const releases = all.filter((it) => it.release.name.text === name.text);
      if (releases.length > 0) return { name, client, state, releases };
      // The namespace is here, so the package is not somewhere else.
      throw notFound(
        name,
        `the registry ${client.name} has the namespace ${name.namespace}, but not this package`,
      );
    }
    throw notFound(name, `no registry has it: ${candidates.map((it) => it.name).join(', ')}`);
  }
}

function covers(pattern: string, namespace: string): boolean {
  const folded = namespace.toLowerCase();
  return pattern.endsWith('*')
    ? folded.startsWith(pattern.slice(0, -1).toLowerCase())
    : folded === pattern.toLowerCase();
}

function notFound(name: PackageName, why: string): HostError {
  return new HostError('not_found', `there is no package ${name.text}: ${why}`, {
    hint: 'check the spelling',
  });
}
