import { type HintSurface, hintFor } from '../../model/hint.js';
import { HostError } from '../../model/host-error.js';
import type { Answer, Host, Session } from '../host.js';
import { CloseGuard, withCloseGuard } from './close-guard.js';
import type { NamedOperation } from './operation.js';
import { assertInput, inputOf } from './operation-input.js';
import { methodOf, withMethods } from './operations.js';

/** A host whose operations reject wrong arguments as on every other surface, and calls after `close`. */
export function checkedHost(host: Host, hints: HintSurface): Host {
  const guard = new CloseGuard('host');
  const checked = withMethods(host, 'host', (operation) => checkedMethod(host, operation, hints));
  const session: Host['session'] = async (options) =>
    checkedSession(await worded(hints, () => host.session(options)), guard, hints);
  return withCloseGuard({ ...checked, session }, guard);
}

function checkedSession(session: Session, host: CloseGuard, hints: HintSurface): Session {
  const checked = withMethods(session, 'session', (operation) => checkedMethod(session, operation, hints));
  return withCloseGuard(checked, new CloseGuard('session', host));
}

function checkedMethod(target: Host | Session, operation: NamedOperation, hints: HintSurface) {
  const method = methodOf(target, operation);
  return async (...args: readonly unknown[]): Promise<unknown> => {
    assertInput(operation, inputOf(operation, args));
    const result = await worded(hints, () => method(...args));
    return operation.name === 'session.call' ? wordedAnswer(hints, result as Answer) : result;
  };
}

/** Runs `work` and words the hint of its error for the surface. */
async function worded<T>(hints: HintSurface, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (hints === 'command-line' || !(error instanceof HostError) || error.hint === undefined) throw error;
    // The same error, because callers compare its class and its cause.
    throw Object.assign(error, { hint: hintFor(hints, error.hint) });
  }
}

function wordedAnswer(hints: HintSurface, answer: Answer): Answer {
  const hint = 'error' in answer ? answer.error?.hint : undefined;
  if (hints === 'command-line' || hint === undefined || !('error' in answer)) return answer;
  return { ...answer, error: { ...answer.error, hint: hintFor(hints, hint) } } as Answer;
}
