import { type HintSurface, hintFor } from '../../model/hint.js';
import { HostError } from '../../model/host-error.js';
import type { Answer, Host, Session } from '../host.js';
import { CloseGuard, withCloseGuard } from './close-guard.js';
import type { NamedOperation } from './operation.js';
import { assertInput, inputOf } from './operation-input.js';
import { methodOf, withMethods } from './operations.js';

export interface CheckedHostOptions {
  readonly hints: HintSurface;
  /** Called when an operation that somebody performs has ended, also if it failed. */
  readonly onPerformed: () => void;
}

/** A host whose operations reject wrong arguments as on every other surface, and calls after `close`. */
export function checkedHost(host: Host, options: CheckedHostOptions): Host {
  const guard = new CloseGuard('host');
  const { hints } = options;
  const checked = withMethods(host, 'host', (operation) => checkedMethod(host, operation, options));
  const session: Host['session'] = async (sessionOptions) =>
    checkedSession(await worded(hints, () => host.session(sessionOptions)), guard, options);
  return withCloseGuard({ ...checked, session }, guard);
}

function checkedSession(session: Session, host: CloseGuard, options: CheckedHostOptions): Session {
  const checked = withMethods(session, 'session', (operation) => checkedMethod(session, operation, options));
  const named: Session['named'] = (name) => checkedSession(session.named(name), host, options);
  return withCloseGuard({ ...checked, named }, new CloseGuard('session', host));
}

function checkedMethod(
  target: Host | Session,
  operation: NamedOperation,
  { hints, onPerformed }: CheckedHostOptions,
) {
  const method = methodOf(target, operation);
  const isPerformed = operation.params.some(
    ({ kind, needsActor }) => kind === 'actor' || kind === 'actor-name' || needsActor === true,
  );
  return async (...args: readonly unknown[]): Promise<unknown> => {
    assertInput(operation, inputOf(operation, args));
    const work = worded(hints, () => method(...args));
    const result = await (isPerformed ? work.finally(onPerformed) : work);
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
