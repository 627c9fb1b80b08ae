import { HostError } from '../../model/host-error.js';

/** Whether a host or a session may still be used. A session ends with its host too. */
export class CloseGuard {
  readonly #what: 'host' | 'session';
  readonly #parent: CloseGuard | undefined;
  #isOver = false;

  constructor(what: 'host' | 'session', parent?: CloseGuard) {
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
const synchronous = new Set([
  'named',
  'onChange',
  'onRevoke',
  'activeCalls',
  'serveAt',
  'serveWith',
  'runningCall',
  'startCall',
]);

/** A copy of a host or session whose methods fail with `closed` after its end. Closing it twice does nothing. */
export function withCloseGuard<T extends { close(): Promise<void> }>(target: T, guard: CloseGuard): T {
  return {
    ...guarded(target, guard),
    close: () => {
      guard.end();
      return target.close();
    },
  };
}

function guarded<T extends object>(owner: T, guard: CloseGuard): T {
  const copy = Object.entries(owner).map(([name, member]) => {
    if (typeof member === 'object' && member !== null) return [name, guarded(member, guard)];
    return [name, typeof member === 'function' ? guardedMethod(name, member.bind(owner), guard) : member];
  });
  return Object.fromEntries(copy);
}

function guardedMethod(name: string, method: Method, guard: CloseGuard): Method {
  if (!synchronous.has(name))
    return async (...args) => {
      guard.assertOpen();
      return method(...args);
    };
  return (...args) => {
    guard.assertOpen();
    return method(...args);
  };
}
