import type { AuditRollback, UnknownOutcome } from '../../../host/host.js';
import { Button } from '../../parts/button.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Section } from '../../parts/section.js';
import { sentence } from '../../parts/sentence.js';
import { TimeText } from '../../parts/time-text.js';
import { hostApi, me } from '../../shell/operations.js';
import { attempt } from '../../shell/toasts.js';

interface UnknownOutcomesProps {
  readonly outcomes: readonly UnknownOutcome[];
  readonly rollbacks: readonly AuditRollback[];
}

/** Calls that a crash interrupted, and signs that the audit log was rolled back. A person checks, then acknowledges. */
export function UnknownOutcomes({ outcomes, rollbacks }: UnknownOutcomesProps) {
  if (outcomes.length === 0 && rollbacks.length === 0) return null;
  return (
    <Section title="Check what happened">
      {rollbacks.map(({ entry, message, at }) => (
        <article key={entry} class="card item">
          <div>
            <h3>The audit log was rolled back</h3>
            <p>
              <RevealedText text={sentence(message)} />
            </p>
            <p class="dim">
              Entry {entry} · <TimeText at={at} />
            </p>
          </div>
          <Button
            onClick={() =>
              attempt(async () => {
                await hostApi.rollbacks.acknowledge(entry, me);
                return 'Acknowledged. The audit log keeps the entry.';
              })
            }
          >
            Acknowledge
          </Button>
        </article>
      ))}
      {outcomes.map(({ call, tool, principal, at, repeats }) => (
        <article key={call} class="card item">
          <div>
            <h3>
              <RevealedText text={tool} />
            </h3>
            <p>
              The host stopped during this call, so nobody knows whether it took effect.{' '}
              {repeats
                ? 'The host repeats it when its caller is back.'
                : 'The host does not repeat it. Check it where it would have had its effect.'}
            </p>
            <p class="dim">
              Called by <RevealedText text={principal} /> · found <TimeText at={at} />
            </p>
          </div>
          <Button
            onClick={() =>
              attempt(async () => {
                await hostApi.outcomes.acknowledge(call, me);
                return 'Acknowledged. The audit log keeps the call.';
              })
            }
          >
            Acknowledge
          </Button>
        </article>
      ))}
    </Section>
  );
}
