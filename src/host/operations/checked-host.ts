import type { Host, Session } from '../host.js';
import type { NamedOperation } from './operation.js';
import { assertInput, inputOf } from './operation-input.js';
import { methodOf, withMethods } from './operations.js';

/** A host whose operations reject wrong arguments in the same way as on every other surface. */
export function checkedHost(host: Host): Host {
  const checked = withMethods(host, 'host', (operation) => checkedMethod(host, operation));
  return { ...checked, session: async (options) => checkedSession(await host.session(options)) };
}

function checkedSession(session: Session): Session {
  return withMethods(session, 'session', (operation) => checkedMethod(session, operation));
}

function checkedMethod(target: Host | Session, operation: NamedOperation) {
  const method = methodOf(target, operation);
  return async (...args: readonly unknown[]): Promise<unknown> => {
    assertInput(operation, inputOf(operation, args));
    return method(...args);
  };
}
