import { HostError } from '../../model/host-error.js';

/** Failures that only the operator can fix: waiting does not help, so every call reports them again. */
const configurationCodes: readonly string[] = [
  'needs_setup',
  'auth_required',
  'network_denied',
  'runtime_missing',
  'sandbox_unavailable',
  'usage',
  'killed',
  'canceled',
];

/** Failures of the program itself, not of the arguments or the caller. */
const upstreamCodes: readonly string[] = ['upstream_failed', 'timeout', 'tool_bad_output', 'network_failed'];

/** The program could not start because of the configuration or the caller. */
export function isConfigurationFailure(error: unknown): boolean {
  return error instanceof HostError && configurationCodes.includes(error.code);
}

/** The call failed because of the program. */
export function isUpstreamFailure(error: unknown): boolean {
  return error instanceof HostError && upstreamCodes.includes(error.code);
}

/** Error text with its hint, because later callers see only this reason. */
export function failureReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const hint = error instanceof HostError ? error.hint : undefined;
  return hint === undefined ? error.message : `${error.message} (${hint})`;
}
