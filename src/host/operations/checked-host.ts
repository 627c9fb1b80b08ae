import type { Host, Session } from '../host.js';
import { Lifetime, withLifetime } from './lifetime.js';
import type { NamedOperation } from './operation.js';
import { assertInput, inputOf } from './operation-input.js';
import { methodOf, withMethods } from './operations.js';

/** A host whose operations reject wrong arguments as on every other surface, and calls after `close`. */
export function checkedHost(host: Host): Host {
  const lifetime = new Lifetime('host');
  const checked = withMethods(host, 'host', (operation) => checkedMethod(host, operation));
  const session: Host['session'] = async (options) => checkedSession(await host.session(options), lifetime);
  return withLifetime({ ...checked, session }, lifetime);
}

function checkedSession(session: Session, host: Lifetime): Session {
  const checked = withMethods(session, 'session', (operation) => checkedMethod(session, operation));
  return withLifetime(checked, new Lifetime('session', host));
}

function checkedMethod(target: Host | Session, operation: NamedOperation) {
  const method = methodOf(target, operation);
  return async (...args: readonly unknown[]): Promise<unknown> => {
    assertInput(operation, inputOf(operation, args));
    return method(...args);
  };
}
