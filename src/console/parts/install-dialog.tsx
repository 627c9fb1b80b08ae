import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ChangeProgress, Plan, PlanRequest } from '../../host/host.js';
import { me, sessionApi } from '../shell/operations.js';
import { attempt } from '../shell/toasts.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { PlanView } from './plan-view.js';
import { Problem } from './problem.js';
import { RevealedText } from './revealed-text.js';

interface InstallDialogProps {
  /** What is installed: a source, or the request of an agent. */
  readonly what: Pick<PlanRequest, 'source' | 'request'>;
  /** As people read it. */
  readonly source: string;
  readonly onClose: () => void;
}

/** The plan of a package, and the agreement to exactly this plan. */
export function InstallDialog({ what, source, onClose }: InstallDialogProps) {
  const plan = useSignal<Plan | Error | null>(null);
  const progress = useSignal('');
  const values = useSignal<Readonly<Record<string, string>>>({});
  const onProgress = ({ step, detail }: ChangeProgress) => {
    progress.value = `${step}: ${detail}`;
  };
  useEffect(() => {
    sessionApi.installations.plan({ ...what, onProgress }).then(
      (it) => {
        plan.value = it;
        progress.value = '';
      },
      (error: Error) => {
        plan.value = error;
      },
    );
  }, []);
  const known = plan.value;
  if (known === null || known instanceof Error)
    return (
      <Dialog title={`Plan for ${source}`} onClose={onClose} wide>
        {known === null ? (
          <p class="dim loading">Making the plan… {progress.value}</p>
        ) : (
          <Problem error={known} />
        )}
      </Dialog>
    );
  const asked = known.credentials.filter((it) => !it.isSet);
  const isMissing = asked.some((it) => it.required && it.default === undefined && !values.value[it.name]);
  const install = async () => {
    const given = Object.fromEntries(Object.entries(values.value).filter(([, it]) => it !== ''));
    const isDone = await attempt(async () => {
      const change = await sessionApi.installations.install({
        ...what,
        agree: known.digest,
        values: given,
        by: me,
        onProgress,
      });
      return `${change.package} is installed.`;
    });
    progress.value = '';
    if (isDone) onClose();
  };
  return (
    <Dialog title={`Plan for ${source}`} onClose={onClose} wide>
      <PlanView plan={known} />
      {asked.map((it) => (
        <label key={it.name}>
          <span>
            <RevealedText text={it.label} />
            {it.required && <span class="required"> *</span>}
          </span>
          <input
            {...(it.secret ? ({ type: 'password' } as const) : {})}
            autocomplete="off"
            required={it.required}
            value={values.value[it.name] ?? ''}
            onInput={(event) => {
              values.value = { ...values.value, [it.name]: event.currentTarget.value };
            }}
          />
          <span class="dim">
            <RevealedText
              text={[it.prompt ?? '', it.hosts.length === 0 ? '' : `only for ${it.hosts.join(', ')}`]
                .filter(Boolean)
                .join(' · ')}
            />
          </span>
        </label>
      ))}
      {progress.value !== '' && <p class="dim">{progress.value}</p>}
      <div class="actions">
        <Button kind="primary" disabled={known.blockers.length > 0 || isMissing} onClick={install}>
          Agree and install
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  );
}
