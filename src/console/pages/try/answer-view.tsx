import { useSignal } from '@preact/signals';
import type { Answer, AnswerError } from '../../../host/host.js';
import type { Json, JsonObject } from '../../../model/json.js';
import { Link } from '../../parts/link.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { sentence } from '../../parts/sentence.js';
import { TimeText } from '../../parts/time-text.js';
import { LongText } from '../../parts/value-view.js';
import { AnswerParts, TextAnswer } from './answer-parts.js';
import { AnswerTable, rowsOf } from './answer-table.js';
import { JsonTree } from './json-tree.js';
import { MediaView } from './media-view.js';

/** What a tool answered, by its kind. */
export function AnswerView({ answer }: { readonly answer: Answer }) {
  return (
    <>
      {answer.replaced !== undefined && (
        <div class="note">
          <p>A person approved this call with other arguments.</p>
          <JsonTree value={answer.replaced.arguments} />
        </div>
      )}
      {answer.status === 'ok' ? (
        <GoodAnswer answer={answer} />
      ) : answer.status === 'confirmation_required' ? (
        <HeldAnswer answer={answer} />
      ) : (
        <FailedAnswer error={answer.error} />
      )}
    </>
  );
}

function GoodAnswer({ answer }: { readonly answer: Extract<Answer, { status: 'ok' }> }) {
  const { result, binary, parts, structured, log, meta } = answer;
  return (
    <>
      {binary !== undefined ? (
        <MediaView data={String(result)} mimeType={binary.mimeType} />
      ) : parts !== undefined ? (
        <>
          <AnswerParts parts={parts} />
          {structured === true && (
            <>
              <h4>Structured content</h4>
              <ResultView value={result} />
            </>
          )}
        </>
      ) : (
        <ResultView value={result} />
      )}
      {log !== undefined && log !== '' && (
        <>
          <h4>What it printed</h4>
          <LongText text={log} />
        </>
      )}
      {meta !== undefined && (
        <>
          <h4>Metadata</h4>
          <JsonTree value={meta} />
        </>
      )}
    </>
  );
}

function ResultView({ value }: { readonly value: Json }) {
  const isTree = useSignal(false);
  const rows = rowsOf(value);
  if (typeof value === 'string') return <TextAnswer text={value} />;
  if (rows === undefined) return <JsonTree value={value} />;
  return (
    <>
      <p>
        <button
          type="button"
          class="text"
          onClick={() => {
            isTree.value = !isTree.value;
          }}
        >
          {isTree.value ? 'Show as a table' : 'Show as a tree'}
        </button>
      </p>
      {isTree.value ? <JsonTree value={value} /> : <AnswerTable rows={rows} />}
    </>
  );
}

function HeldAnswer({ answer }: { readonly answer: Extract<Answer, { status: 'confirmation_required' }> }) {
  const { reasons, expiresAt } = answer.confirmation;
  return (
    <>
      <ul class="reasons">
        {reasons.map((it) => (
          <li key={it}>
            <RevealedText text={it} />
          </li>
        ))}
      </ul>
      <p>
        It waits for a decision in the <Link to={['inbox']}>inbox</Link> and ends{' '}
        <TimeText at={Date.parse(expiresAt)} />. After it is approved, run it again to get the answer.
      </p>
    </>
  );
}

function FailedAnswer({ error }: { readonly error: AnswerError }) {
  const { code, message, hint, toolError, toolResult } = error;
  return (
    <>
      <p class="problem">
        <code>{code}</code> <RevealedText text={sentence(message)} />
      </p>
      {hint !== undefined && (
        <p class="dim">
          <RevealedText text={sentence(hint)} />
        </p>
      )}
      {toolError !== undefined && (
        <>
          <h4>What the tool reported</h4>
          <JsonTree value={toolError as JsonObject} />
        </>
      )}
      {toolResult !== undefined && (
        <>
          <h4>What the tool reported</h4>
          <AnswerParts parts={toolResult.parts} />
          {toolResult.structured !== undefined && <JsonTree value={toolResult.structured} />}
        </>
      )}
    </>
  );
}
