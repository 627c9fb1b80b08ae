import { HostError } from '../model/host-error.js';

/** Failures that say something about one caller or one moment, not about the program. */
const passing: ReadonlySet<string> = new Set([
  'canceled',
  'killed',
  'needs_setup',
  'auth_required',
  'network_denied',
  'internal',
]);

/** Whether a failed start says something about one caller or one moment, not about the program. */
export function isPassingFailure({ code }: HostError): boolean {
  return passing.has(code);
}

/** The same error for a program that did not start. */
export function asNotStarted(error: unknown): unknown {
  if (!(error instanceof HostError) || error.notStarted || isPassingFailure(error)) return error;
  const { code, message, hint, toolError, transient, cause, needsSignIn } = error;
  return new HostError(code, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(toolError === undefined ? {} : { toolError }),
    ...{ transient, cause, needsSignIn, notStarted: true },
  });
}
