import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { ApprovalRequest } from '../../../model/approval.js';
import type { Json, JsonObject } from '../../../model/json.js';
import { inexactNumber, inexactText } from '../../../model/json-number.js';
import { Button } from '../../parts/button.js';
import { Dialog } from '../../parts/dialog.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { hostApi, me } from '../../shell/operations.js';
import { attempt } from '../../shell/toasts.js';

interface ArgumentEditorProps {
  readonly call: ApprovalRequest;
  readonly onClose: () => void;
}

/** Approves a held call with other arguments, which are checked like a new call. */
export function ArgumentEditor({ call, onClose }: ArgumentEditorProps) {
  const given = call.arguments as JsonObject;
  const texts = useSignal<Readonly<Record<string, string>>>(
    Object.fromEntries(Object.entries(given).map(([name, value]) => [name, textOf(value)])),
  );
  const parsed = Object.entries(texts.value).map(([name, text]) => ({ name, ...parse(given[name], text) }));
  const problems = parsed.filter((it) => it.problem !== undefined);
  const replacement = Object.fromEntries(
    parsed.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])),
  ) as JsonObject;
  const isChanged = JSON.stringify(replacement) !== JSON.stringify(given);
  const send = async (event: Event) => {
    event.preventDefault();
    const isDone = await attempt(async () => {
      await hostApi.approvals.approveWith(call.id, replacement, me);
      return `${call.tool} was approved with your arguments. It runs once.`;
    });
    if (isDone) onClose();
  };
  return (
    <Dialog title="Change the arguments, then approve" onClose={onClose} wide>
      <form onSubmit={send}>
        <p class="dim">
          The call is checked again from the start with these arguments. The agent is told which were used.
        </p>
        {parsed.map(({ name, problem }) => (
          <ArgumentField
            key={name}
            name={name}
            isText={typeof given[name] === 'string'}
            text={texts.value[name] ?? ''}
            problem={problem}
            onInput={(text) => {
              texts.value = { ...texts.value, [name]: text };
            }}
          />
        ))}
        <div class="actions">
          <Button kind="primary" type="submit" disabled={!isChanged || problems.length > 0}>
            Approve with these arguments
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}

interface ArgumentFieldProps {
  readonly name: string;
  readonly isText: boolean;
  readonly text: string;
  readonly problem: string | undefined;
  readonly onInput: (text: string) => void;
}

function ArgumentField({ name, isText, text, problem, onInput }: ArgumentFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>
        <span>
          <RevealedText text={name} />{' '}
          <span class="dim">{isText ? 'text' : 'JSON; empty leaves it out'}</span>
        </span>
      </label>
      <textarea
        id={id}
        rows={Math.min(10, text.split('\n').length + Math.floor(text.length / 90))}
        value={text}
        spellcheck={false}
        aria-invalid={problem !== undefined}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** A text stays text; anything else is JSON. */
function parse(before: Json | undefined, text: string): { value?: Json; problem?: string } {
  if (typeof before === 'string') return { value: text };
  if (text.trim() === '') return {};
  const inexact = inexactNumber(text);
  if (inexact !== undefined) return { problem: `It ${inexactText(inexact)}.` };
  try {
    return { value: JSON.parse(text) as Json };
  } catch {
    return { problem: 'This is not JSON.' };
  }
}
