import { HostError } from '../../model/host-error.js';

/** What only the operator can mend: nothing is gained by waiting, and every try may say so again. */
const settings: readonly string[] = [
  'needs_setup',
  'auth_required',
  'network_denied',
  'runtime_missing',
  'sandbox_unavailable',
  'usage',
  'killed',
  'canceled',
];

/** Failures that say something of the program, and not of the arguments or of the caller. */
const telling: readonly string[] = ['upstream_failed', 'timeout', 'tool_bad_output', 'network_failed'];

/** It did not come up for a reason that is not its own. */
export function isBlameless(error: unknown): boolean {
  return error instanceof HostError && settings.includes(error.code);
}

/** A call failed for a reason that is its own. */
export function isTelling(error: unknown): boolean {
  return error instanceof HostError && telling.includes(error.code);
}

/** What to do about it belongs to the reason: whoever asks later sees nothing else. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const hint = error instanceof HostError ? error.hint : undefined;
  return hint === undefined ? error.message : `${error.message} (${hint})`;
}
