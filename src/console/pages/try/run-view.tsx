import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../parts/button.js';
import { Link } from '../../parts/link.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { sentence } from '../../parts/sentence.js';
import { Status, type Tone } from '../../parts/status.js';
import { clock } from '../../parts/time-text.js';
import { AnswerView } from './answer-view.js';
import { RemovedList } from './removed-list.js';
import { downloadCase } from './saved-case.js';
import type { ToolRun } from './try-state.js';

/** One call: what happens while it runs, then its answer. */
export function RunView({ run }: { readonly run: ToolRun }) {
  const { state, progress, log, answer, failure, removed } = run;
  const element = useRef<HTMLElement>(null);
  // Below a long form, nobody would see that it began.
  useEffect(() => element.current?.scrollIntoView({ block: 'nearest' }), []);
  const [tone, word] = statusOf(run);
  const isRunning = state.value === 'running';
  const ok = answer.value?.status === 'ok' ? answer.value : undefined;
  const warnings = ok?.warnings ?? [];
  return (
    <section class="card run" ref={element} aria-label="Answer" aria-busy={isRunning}>
      <header>
        <h2>{isRunning ? 'Running' : 'Answer'}</h2>
        <Status tone={tone}>{word}</Status>
        <span class="dim">
          {isRunning
            ? `${Math.max(0, Math.round((clock.value - run.startedAt) / 1000))} s`
            : answer.value !== null && `${answer.value.durationMs.toLocaleString('en')} ms`}
        </span>
        <div class="actions">
          {isRunning && (
            <Button kind="danger" onClick={run.cancel}>
              Cancel
            </Button>
          )}
          {answer.value !== null && (ok !== undefined || answer.value.status === 'error') && (
            <Button onClick={() => downloadCase(run)}>Save as a test case</Button>
          )}
        </div>
      </header>
      {isRunning && progress.value !== null && <ProgressLine progress={progress.value} />}
      {log.value.length > 0 && (
        <pre class="value log" {...logRegion}>
          <RevealedText text={log.value.join('\n')} />
        </pre>
      )}
      {warnings.length > 0 && (
        <ul class="note warning reasons-note" aria-label="Notes of the host">
          {warnings.map((it) => (
            <li key={it}>
              <RevealedText text={sentence(it)} />
            </li>
          ))}
        </ul>
      )}
      <RemovedList findings={removed.value} />
      {answer.value !== null && <AnswerView answer={answer.value} />}
      {state.value === 'canceled' && <p>You canceled the call. What it did before that stays as it is.</p>}
      {state.value === 'failed' && failure.value !== null && (
        <p class="problem">
          <RevealedText text={sentence(failure.value.message)} />
          {failure.value.hint !== undefined && (
            <span class="dim">
              {' '}
              <RevealedText text={sentence(failure.value.hint)} />
            </span>
          )}
        </p>
      )}
      {answer.value !== null && (
        <p class="dim call-id">
          <Link to={['activity', answer.value.callId]}>{answer.value.callId}</Link>
        </p>
      )}
    </section>
  );
}

/** It scrolls, so the keyboard must reach it. */
const logRegion = { tabIndex: 0, role: 'log', 'aria-label': 'What the tool logs' } as const;

export function statusOf({ state, answer }: Pick<ToolRun, 'state' | 'answer'>): readonly [Tone, string] {
  if (state.value === 'running') return ['info', 'running'];
  if (state.value === 'canceled') return ['neutral', 'canceled'];
  switch (answer.value?.status) {
    case 'ok':
      return ['good', 'ok'];
    case 'confirmation_required':
      return ['warning', 'held'];
    case undefined:
      return ['bad', 'no answer'];
    default:
      return ['bad', (answer.value?.status ?? '').replaceAll('_', ' ')];
  }
}

function ProgressLine({
  progress: { progress, total, message },
}: {
  progress: NonNullable<ToolRun['progress']['value']>;
}) {
  return (
    <div class="progress-line">
      <progress
        aria-label="Progress"
        {...(total === undefined || total <= 0 ? {} : { value: progress, max: total })}
      />
      <span class="dim">
        {total === undefined ? progress : `${progress} of ${total}`}
        {message !== undefined && (
          <>
            {' · '}
            <RevealedText text={message} />
          </>
        )}
      </span>
    </div>
  );
}
