import type { SlotValues } from '../../model/slot.js';
import { type CallNetwork, violatingPlaces } from '../../policy/violation.js';
import type { RunRequest } from '../../run/run.js';
import type { ViolationContext, Violations } from '../operator/violations.js';

interface Watching {
  readonly violations: Violations;
  readonly setup: ViolationContext;
}

/** The request of a call that reports what the program does against its grant. */
export function watchedRequest(
  request: RunRequest,
  reach: Omit<CallNetwork, 'input'>,
  slots: SlotValues,
  { violations, setup }: Watching,
): RunRequest {
  const { id } = request.package;
  violations.using(id, setup);
  return {
    ...request,
    onNetworkDenied: (places) => {
      request.onNetworkDenied(places);
      reportPlaces(id, places, { ...reach, input: request.input }, slots, { violations, setup });
    },
    onRedacted: (findings) => {
      request.onRedacted?.(findings);
      for (const { value } of findings) {
        // Values of other packages have the name of their package before a slash.
        if (typeof value !== 'string' || !value.includes('/')) continue;
        const detail = `its answer contained the secret ${value} of another package`;
        violations.report({ package: id, kind: 'foreign-secret', detail }, setup);
      }
    },
  };
}

/** Reports connections to hosts that the package may not reach. */
export function reportPlaces(
  packageId: string,
  places: readonly string[],
  call: CallNetwork,
  slots: SlotValues,
  { violations, setup }: Watching,
): void {
  const held = [...slots].filter(([, it]) => it.secret).map(([name]) => name);
  for (const place of violatingPlaces(places, call)) {
    const reached = `it tried to reach ${place}, which was not granted`;
    const detail = held.length === 0 ? reached : `${reached}, while it had the secret ${held.join(', ')}`;
    violations.report({ package: packageId, kind: held.length === 0 ? 'network' : 'secret', detail }, setup);
  }
}
