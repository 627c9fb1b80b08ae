import type { Host, Session } from '../host.js';
import { CloseGuard, withCloseGuard } from './close-guard.js';
import type { NamedOperation } from './operation.js';
import { assertInput, inputOf } from './operation-input.js';
import { methodOf, withMethods } from './operations.js';

/** A host whose operations reject wrong arguments as on every other surface, and calls after `close`. */
export function checkedHost(host: Host): Host {
  const guard = new CloseGuard('host');
  const checked = withMethods(host, 'host', (operation) => checkedMethod(host, operation));
  const session: Host['session'] = async (options) => checkedSession(await host.session(options), guard);
  return withCloseGuard({ ...checked, session }, guard);
}

function checkedSession(session: Session, host: CloseGuard): Session {
  const checked = withMethods(session, 'session', (operation) => checkedMethod(session, operation));
  return withCloseGuard(checked, new CloseGuard('session', host));
}

function checkedMethod(target: Host | Session, operation: NamedOperation) {
  const method = methodOf(target, operation);
  return async (...args: readonly unknown[]): Promise<unknown> => {
    assertInput(operation, inputOf(operation, args));
    return method(...args);
  };
}
