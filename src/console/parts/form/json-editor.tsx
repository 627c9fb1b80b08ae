import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Json } from '../../../model/json.js';
import { type Draft, finished, Unfinished } from './draft.js';
import { parseJsonText } from './json-text.js';

interface JsonEditorProps {
  readonly id: string;
  readonly label?: string;
  readonly value: Draft | undefined;
  readonly rows?: number;
  readonly describedBy?: string | undefined;
  readonly isInvalid?: boolean;
  /** Undefined: the text is empty. */
  readonly onChange: (value: Draft | undefined) => void;
}

/** A value as JSON text. What is typed stays, also while it is not valid; the place of a mistake is named. */
export function JsonEditor({
  id,
  label,
  value,
  rows,
  describedBy,
  isInvalid = false,
  onChange,
}: JsonEditorProps) {
  const typed = useSignal<{ readonly text: string; readonly value: Draft | undefined } | null>(null);
  const element = useRef<HTMLTextAreaElement>(null);
  // The own text, as long as it still means the value.
  const text = typed.value !== null && typed.value.value === value ? typed.value.text : textOf(value);
  const problem = value instanceof Unfinished ? value.problem : undefined;
  const input = (next: string) => {
    const draft = draftOf(next);
    typed.value = { text: next, value: draft };
    onChange(draft);
  };
  const jump = () => {
    const parsed = parseJsonText(text);
    const area = element.current;
    if (area === null || !('problem' in parsed)) return;
    const before = text.split('\n').slice(0, parsed.line - 1);
    const at = before.reduce((sum, it) => sum + it.length + 1, 0) + parsed.column - 1;
    area.focus();
    area.setSelectionRange(at, at + 1);
  };
  return (
    <div class="json-editor">
      <textarea
        id={id}
        ref={element}
        aria-label={label}
        aria-describedby={describedBy}
        aria-invalid={isInvalid || problem !== undefined}
        rows={rows ?? Math.min(24, Math.max(3, text.split('\n').length + 1))}
        value={text}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => input(event.currentTarget.value)}
      />
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}{' '}
          <button type="button" class="text" onClick={jump}>
            Show it
          </button>
        </p>
      )}
    </div>
  );
}

function draftOf(text: string): Draft | undefined {
  if (text.trim() === '') return undefined;
  const parsed = parseJsonText(text);
  return 'value' in parsed
    ? parsed.value
    : new Unfinished(text, `Line ${parsed.line}, column ${parsed.column}: ${parsed.problem}.`);
}

function textOf(value: Draft | undefined): string {
  if (value === undefined) return '';
  if (value instanceof Unfinished) return value.text;
  return JSON.stringify(finished(value).value as Json, null, 2);
}
