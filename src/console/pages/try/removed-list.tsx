import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ExplainedFinding } from '../../../host/host.js';
import type { ExemptionChange } from '../../../serve/http/console/console-exemptions.js';
import { Button } from '../../parts/button.js';
import { Dialog } from '../../parts/dialog.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { sentence } from '../../parts/sentence.js';
import { exemption } from '../../shell/operations.js';
import { attempt } from '../../shell/toasts.js';

const reasons: Readonly<Record<ExplainedFinding['reason'], string>> = {
  value: 'a value of the vault',
  format: "the format of a provider's key",
  guess: 'a guess from the name before it',
};

/** What the scanner removed from an answer, where and by which rule. One finding can be kept from then on. */
export function RemovedList({ findings }: { readonly findings: readonly ExplainedFinding[] }) {
  const chosen = useSignal<string | null>(null);
  const all = [...new Map(findings.map((it) => [`${it.path} ${it.rule}`, it])).values()];
  if (all.length === 0) return null;
  return (
    <div class="note warning removed">
      <p>
        <strong>The host removed something from this answer.</strong> The tool wrote more than is shown.
      </p>
      <ul>
        {all.map(({ path, rule, reason, setting }) => (
          <li key={`${path} ${rule}`}>
            <span>
              {path !== '' && (
                <>
                  At{' '}
                  <code>
                    <RevealedText text={path} />
                  </code>
                  :{' '}
                </>
              )}
              <strong>
                <RevealedText text={rule} />
              </strong>{' '}
              <span class="dim">{reasons[reason]}</span>
            </span>
            {setting !== undefined && (
              <Button
                onClick={() => {
                  chosen.value = setting;
                }}
              >
                Keep this…{' '}
                <span class="sr-only">
                  {rule} at {path}
                </span>
              </Button>
            )}
            {reason === 'value' && <span class="dim">Values of the vault are never shown.</span>}
          </li>
        ))}
      </ul>
      {chosen.value !== null && (
        <ExemptionDialog
          setting={chosen.value}
          onClose={() => {
            chosen.value = null;
          }}
        />
      )}
    </div>
  );
}

/** Shows what the narrow exemption writes, and writes it. */
function ExemptionDialog({ setting, onClose }: { readonly setting: string; readonly onClose: () => void }) {
  const plan = useSignal<ExemptionChange | Error | null>(null);
  useEffect(() => {
    exemption('plan', setting).then(
      (it) => {
        plan.value = it;
      },
      (error: Error) => {
        plan.value = error;
      },
    );
  }, [setting]);
  const write = async () => {
    const isDone = await attempt(async () => {
      await exemption('write', setting);
      return 'This finding is kept from now on. Run the call again to see it.';
    });
    if (isDone) onClose();
  };
  const planned = plan.value;
  return (
    <Dialog title="Keep this finding" onClose={onClose} wide>
      <p>
        Answers keep what this one rule finds at this one place of this one tool. Everything else is still
        removed. Do this only if it is not a secret.
      </p>
      <pre class="value">
        <RevealedText text={setting} />
      </pre>
      {planned === null ? (
        <p class="dim">Reading the configuration…</p>
      ) : planned instanceof Error ? (
        <p class="problem" role="alert">
          <RevealedText text={sentence(planned.message)} />
        </p>
      ) : (
        <>
          <p>
            It is written to{' '}
            <code>
              <RevealedText text={planned.file} />
            </code>
            {planned.lines.length === 0 ? ', which has it already.' : ':'}
          </p>
          {planned.lines.length > 0 && (
            <pre class="value">
              <RevealedText text={planned.lines.join('\n')} />
            </pre>
          )}
          <p class="dim">
            It holds in this console at once. Other clients follow when their session begins anew; for clients
            over HTTP, restart <code>toolwharf serve</code>.
          </p>
        </>
      )}
      <div class="actions">
        <Button kind="primary" disabled={planned === null || planned instanceof Error} onClick={write}>
          Write the setting
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  );
}
