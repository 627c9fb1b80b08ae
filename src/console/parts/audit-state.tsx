import { useSignal } from '@preact/signals';
import type { AuditVerdict } from '../../model/audit.js';
import type { ChangeProgress } from '../../model/change.js';
import { useLive } from '../shell/live.js';
import { hostApi } from '../shell/operations.js';
import { useSlowLive } from '../shell/slow-live.js';
import { attempt } from '../shell/toasts.js';
import { countText } from './amount-text.js';
import { Button } from './button.js';
import { RevealedText } from './revealed-text.js';
import { Loaded, Section } from './section.js';
import { sentence } from './sentence.js';
import { Status } from './status.js';
import { TimeText } from './time-text.js';

/** Each call adds entries. Milliseconds. */
const everyMs = 5000;

/** How far the audit log is, what shows a rollback, and a button that verifies all of it. */
export function AuditState() {
  const status = useSlowLive(['outcomes', 'calls'], () => hostApi.auditStatus(), { everyMs });
  const rollbacks = useLive(['outcomes'], () => hostApi.rollbacks.list());
  const verdict = useSignal<{ readonly found: AuditVerdict; readonly at: number } | null>(null);
  const progress = useSignal<ChangeProgress | null>(null);
  const verify = () =>
    attempt(async () => {
      progress.value = { step: 'check', detail: '', done: 0, total: 1 };
      try {
        const onProgress = (it: ChangeProgress) => {
          progress.value = it;
        };
        verdict.value = { found: await hostApi.verifyAudit({ onProgress }), at: Date.now() };
      } finally {
        progress.value = null;
      }
      return undefined;
    });
  return (
    <Section
      title="Audit log"
      actions={<Button onClick={verify}>{verdict.value === null ? 'Verify' : 'Verify again'}</Button>}
    >
      <div class="card">
        <Loaded from={status}>
          {({ entries, checkpoint }) => (
            <p>
              {countText(entries, 'entry', 'entries')}.{' '}
              {checkpoint === null ? (
                'No signed checkpoint yet.'
              ) : (
                <>
                  The newest signed checkpoint covers {checkpoint.size.toLocaleString('en')} of them, written{' '}
                  <TimeText at={checkpoint.at} />.
                </>
              )}
            </p>
          )}
        </Loaded>
        {(rollbacks.value ?? []).map(({ entry, message, at }) => (
          <p key={entry} class="note bad">
            <span>
              <strong>It was rolled back.</strong> <RevealedText text={sentence(message)} />{' '}
              <span class="dim">
                Entry {entry}, <TimeText at={at} />. Acknowledge it in the inbox.
              </span>
            </span>
          </p>
        ))}
        {progress.value !== null && (
          <label class="progress">
            <span>
              Verifying: {(progress.value.done ?? 0).toLocaleString('en')} of{' '}
              {Math.max(progress.value.total ?? 0, status.value?.entries ?? 0).toLocaleString('en')} entries
            </span>
            <progress value={progress.value.done ?? 0} max={Math.max(1, progress.value.total ?? 1)} />
          </label>
        )}
        {verdict.value !== null && progress.value === null && <Verdict {...verdict.value} />}
      </div>
    </Section>
  );
}

function Verdict({ found, at }: { readonly found: AuditVerdict; readonly at: number }) {
  const { ok, entries, checkpoints, sealed, anchors, acknowledged, problem, warnings = [] } = found;
  return (
    <div class="verdict" role="status">
      <p>
        <Status tone={ok ? 'good' : 'bad'}>{ok ? 'intact' : 'not intact'}</Status>{' '}
        <span class="dim">
          verified <TimeText at={at} />
        </span>
      </p>
      {problem !== undefined && (
        <p class="problem">
          <RevealedText text={problem} />
        </p>
      )}
      <p>
        {countText(entries, 'entry', 'entries')} and {countText(checkpoints, 'checkpoint')} are valid; entries
        up to {sealed.toLocaleString('en')} cannot be removed unseen.{' '}
        {anchors === 0
          ? 'No anchor outside the state directory was compared.'
          : `${countText(anchors, 'anchor')} outside the state directory ${anchors === 1 ? 'agrees' : 'agree'}.`}
        {acknowledged > 0 && ` ${countText(acknowledged, 'earlier rollback')} was acknowledged.`}
      </p>
      {warnings.map((it) => (
        <p key={it} class="note warning">
          <RevealedText text={it} />
        </p>
      ))}
    </div>
  );
}
