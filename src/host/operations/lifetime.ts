import { HostError } from '../../model/host-error.js';

/** Whether a host or a session may still be used. A session ends with its host too. */
export class Lifetime {
  readonly #what: 'host' | 'session';
  readonly #parent: Lifetime | undefined;
  #isOver = false;

  constructor(what: 'host' | 'session', parent?: Lifetime) {
    this.#what = what;
    this.#parent = parent;
  }

  end(): void {
    this.#isOver = true;
  }

  /** Throws after the end. */
  assertOpen(): void {
    this.#parent?.assertOpen();
    if (!this.#isOver) return;
    const hint =
      this.#what === 'host' ? 'create or connect a host again' : 'open another session of the host';
    throw new HostError('closed', `the ${this.#what} is closed`, { hint });
  }
}

type Method = (...args: readonly unknown[]) => unknown;

/** Methods that return no promise, so that they throw instead of rejecting. */
const synchronous = new Set(['onChange', 'onRevoke', 'activeCalls']);

/** A copy of a host or session whose methods fail with `closed` after its end. Closing it twice does nothing. */
export function withLifetime<T extends { close(): Promise<void> }>(target: T, lifetime: Lifetime): T {
  return {
    ...guarded(target, lifetime),
    close: () => {
      lifetime.end();
      return target.close();
    },
  };
}

function guarded<T extends object>(owner: T, lifetime: Lifetime): T {
  const copy = Object.entries(owner).map(([name, member]) => {
    if (typeof member === 'object' && member !== null) return [name, guarded(member, lifetime)];
    return [name, typeof member === 'function' ? guardedMethod(name, member.bind(owner), lifetime) : member];
  });
  return Object.fromEntries(copy);
}

function guardedMethod(name: string, method: Method, lifetime: Lifetime): Method {
  if (!synchronous.has(name))
    return async (...args) => {
      lifetime.assertOpen();
      return method(...args);
    };
  return (...args) => {
    lifetime.assertOpen();
    return method(...args);
  };
}
