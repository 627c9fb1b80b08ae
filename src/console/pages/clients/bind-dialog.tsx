import { useSignal } from '@preact/signals';
import type { SetSubjectKind, TokenEntry } from '../../../host/host.js';
import { Button } from '../../parts/button.js';
import { Dialog } from '../../parts/dialog.js';
import { hostApi, me } from '../../shell/operations.js';
import { attempt } from '../../shell/toasts.js';

interface BindDialogProps {
  readonly set: string;
  readonly tokens: readonly TokenEntry[];
  readonly onClose: () => void;
}

/** Chooses who sees only a set. */
export function BindDialog({ set, tokens, onClose }: BindDialogProps) {
  const subject = useSignal(tokens[0]?.id ?? 'everyone');
  const text = useSignal('');
  const token = tokens.find((it) => it.id === subject.value);
  const needsText = subject.value === 'workspace' || subject.value === 'principal';
  const bind = async (event: Event) => {
    event.preventDefault();
    const kind: SetSubjectKind =
      token === undefined ? (subject.value as SetSubjectKind) : token.kind === 'http' ? 'token' : 'client';
    const name = token?.id ?? text.value.trim();
    const isDone = await attempt(async () => {
      await hostApi.sets.bind({ set, kind, ...(kind === 'everyone' ? {} : { name }), by: me });
      return `The set ${set} is in use.`;
    });
    if (isDone) onClose();
  };
  return (
    <Dialog title={`Show only ${set} to…`} onClose={onClose}>
      <form onSubmit={bind}>
        <label>
          Who
          <select
            value={subject.value}
            onInput={(event) => {
              subject.value = event.currentTarget.value;
            }}
          >
            {tokens.map((it) => (
              <option key={it.id} value={it.id}>
                {it.name} ({it.principal})
              </option>
            ))}
            <option value="principal">a caller by its principal</option>
            <option value="workspace">all sessions in a folder</option>
            <option value="everyone">everyone without another set</option>
          </select>
        </label>
        {needsText && (
          <label>
            {subject.value === 'workspace' ? 'Folder (an absolute path)' : 'Principal'}
            <input
              required
              autocomplete="off"
              spellcheck={false}
              value={text.value}
              onInput={(event) => {
                text.value = event.currentTarget.value;
              }}
            />
          </label>
        )}
        <p class="dim">
          It replaces another set of the same callers. It takes effect at once, also for open sessions.
        </p>
        <div class="actions">
          <Button kind="primary" type="submit" disabled={needsText && text.value.trim() === ''}>
            Show only this
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}
