import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { RulePreview } from '../../../host/host.js';
import { type ApprovalRequest, isDestructive } from '../../../model/approval.js';
import type { JsonObject } from '../../../model/json.js';
import type { StandingRuleInput } from '../../../model/standing-rule.js';
import { Button } from '../../parts/button.js';
import { Dialog } from '../../parts/dialog.js';
import { Problem } from '../../parts/problem.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { TimeText } from '../../parts/time-text.js';
import { ValueView } from '../../parts/value-view.js';
import { hostApi, me } from '../../shell/operations.js';
import { attempt } from '../../shell/toasts.js';
import { approve } from './decisions.js';
import { type ConditionDraft, ConditionField, conditionOf, draftOf } from './rule-condition.js';

const hourMs = 3_600_000;
const ends: readonly (readonly [string, number | null])[] = [
  ['1 hour', hourMs],
  ['1 day', 24 * hourMs],
  ['30 days', 30 * 24 * hourMs],
  ['until it is revoked', null],
];

interface RuleDialogProps {
  readonly call: ApprovalRequest;
  readonly onClose: () => void;
}

/** Adds a standing rule for calls like this one, and shows what it would have answered. */
export function RuleDialog({ call, onClose }: RuleDialogProps) {
  const drafts = useSignal<readonly ConditionDraft[]>(
    Object.entries(call.arguments as JsonObject).map(draftOf),
  );
  const end = useSignal(1);
  const isForCaller = useSignal(true);
  const preview = useSignal<{ readonly of: RulePreview | Error; readonly key: string } | null>(null);
  const conditions = drafts.value.map(conditionOf);
  const isComplete = !conditions.includes(undefined);
  const rule = (): StandingRuleInput => ({
    tool: call.tool,
    definition: call.definition,
    principal: isForCaller.value ? call.principal : null,
    conditions: conditions.flatMap((it) => (it === undefined ? [] : [it])),
    destructive: isDestructive(call),
    expiresAt: (ends[end.value]?.[1] ?? null) === null ? null : Date.now() + (ends[end.value]?.[1] as number),
  });
  const key = JSON.stringify([conditions, isForCaller.value]);
  useEffect(() => {
    if (!isComplete) return undefined;
    let isCurrent = true;
    const timer = setTimeout(() => {
      hostApi.approvals.rules.preview(rule()).then(
        (it) => {
          if (isCurrent) preview.value = { of: it, key };
        },
        (error: Error) => {
          if (isCurrent) preview.value = { of: error, key };
        },
      );
    }, 200);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [key]);
  const add = async () => {
    const isAdded = await attempt(async () => {
      await hostApi.approvals.rules.add(rule(), me);
      return `Calls of ${call.tool} within these limits run without a question.`;
    });
    if (!isAdded) return;
    onClose();
    await approve(call);
  };
  return (
    <Dialog title={`Always within these limits: ${call.tool}`} onClose={onClose} wide>
      <div class="form">
        <p class="dim">
          Such calls run without a question. Every argument must be named; a change of the package ends the
          rule.
        </p>
        {drafts.value.map((it, index) => (
          <ConditionField
            key={it.argument}
            draft={it}
            onChange={(next) => {
              drafts.value = drafts.value.map((old, at) => (at === index ? next : old));
            }}
          />
        ))}
        <label class="inline">
          <input
            type="checkbox"
            checked={isForCaller.value}
            onInput={(event) => {
              isForCaller.value = event.currentTarget.checked;
            }}
          />
          <span>
            Only for <RevealedText text={call.principal} />
          </span>
        </label>
        <label>
          It ends after
          <select
            value={end.value}
            onInput={(event) => {
              end.value = Number(event.currentTarget.value);
            }}
          >
            {ends.map(([text], index) => (
              <option key={text} value={index}>
                {text}
              </option>
            ))}
          </select>
        </label>
        {isDestructive(call) && (
          <p class="note warning">
            What this tool does cannot be undone. The rule lets such calls run without a question.
          </p>
        )}
        {isComplete && <Preview of={preview.value?.of ?? null} isCurrent={preview.value?.key === key} />}
        <div class="actions">
          <Button kind="primary" disabled={!isComplete} onClick={add}>
            Add the rule and approve this call
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </div>
    </Dialog>
  );
}

interface PreviewProps {
  readonly of: RulePreview | Error | null;
  /** False: it is about the rule before the last change, until the next one was read. */
  readonly isCurrent: boolean;
}

function Preview({ of, isCurrent }: PreviewProps) {
  if (of === null) return <p class="dim">Looking at the last 7 days…</p>;
  if (of instanceof Error) return <Problem error={of} />;
  const { held, answered, asked, unknown, calls } = of;
  return (
    <div class="preview" aria-busy={!isCurrent}>
      <h3>In the last 7 days</h3>
      <p>
        {held === 1 ? '1 call was held' : `${held} calls were held`}: the rule would have answered{' '}
        <strong>{answered}</strong> and asked for {asked}.
        {unknown > 0 && ` ${unknown} cannot be judged: their arguments are no longer stored.`}
      </p>
      <ul>
        {calls.slice(0, 5).map((it) => (
          <li key={it.id}>
            <span class="dim">
              <TimeText at={it.at} /> · <RevealedText text={it.principal} /> ·{' '}
              {it.state === 'proposed' ? 'held' : it.state}
            </span>
            <ValueView value={it.arguments} />
          </li>
        ))}
      </ul>
    </div>
  );
}
