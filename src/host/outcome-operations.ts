import type { CallRepeats } from './call/call-repeats.js';
import type { Outcomes } from './host.js';

/** Unknown outcomes: a call that a person acknowledged is not repeated either. */
export function outcomeOperations(outcomes: Outcomes, repeats: CallRepeats): Outcomes {
  return {
    ...outcomes,
    async acknowledge(call, by) {
      await repeats.discard((it) => it.call === call, `${by} acknowledged it`);
      return outcomes.acknowledge(call, by);
    },
  };
}
