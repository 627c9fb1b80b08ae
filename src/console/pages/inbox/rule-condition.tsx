import { useId } from 'preact/hooks';
import type { Json } from '../../../model/json.js';
import type { ArgumentCondition, Condition } from '../../../model/standing-rule.js';
import { RevealedText } from '../../parts/revealed-text.js';

/** A condition on one argument while a person writes it. */
export interface ConditionDraft {
  readonly argument: string;
  readonly test: Condition['test'];
  /** The value of the held call. */
  readonly value: Json;
  readonly text: string;
}

const tests: readonly (readonly [Condition['test'], string, (value: Json) => boolean])[] = [
  ['equals', 'is exactly', () => true],
  ['one-of', 'is one of (one per line)', (value) => typeof value === 'string'],
  ['under', 'is a path under', (value) => typeof value === 'string'],
  ['matches', 'matches the pattern', (value) => typeof value === 'string'],
  ['at-most', 'is at most', (value) => typeof value === 'number'],
  ['at-least', 'is at least', (value) => typeof value === 'number'],
  ['any', 'can be anything', () => true],
];

/** Begins with exactly the value of the call: a rule only gets wider by a person's choice. */
export function draftOf([argument, value]: [string, Json]): ConditionDraft {
  return { argument, test: 'equals', value, text: textFor('equals', value) };
}

/** Undefined if what is written cannot be a condition. */
export function conditionOf({ argument, test, value, text }: ConditionDraft): ArgumentCondition | undefined {
  const condition = read(test, value, text);
  return condition === undefined ? undefined : { argument, condition };
}

function read(test: Condition['test'], value: Json, text: string): Condition | undefined {
  switch (test) {
    case 'any':
      return { test };
    case 'equals':
      return { test, value };
    case 'one-of': {
      const values = text.split('\n').filter((it) => it !== '');
      return values.length === 0 ? undefined : { test, values };
    }
    case 'under':
      return text === '' ? undefined : { test, path: text };
    case 'matches':
      return text === '' ? undefined : { test, pattern: text };
    case 'at-most':
    case 'at-least':
      return text.trim() === '' || !Number.isFinite(Number(text))
        ? undefined
        : { test, number: Number(text) };
  }
}

function textFor(test: Condition['test'], value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (test === 'under') return text.replace(/\/[^/]*$/, '') || '/';
  return test === 'matches' ? '' : text;
}

interface ConditionFieldProps {
  readonly draft: ConditionDraft;
  readonly onChange: (draft: ConditionDraft) => void;
}

export function ConditionField({ draft, onChange }: ConditionFieldProps) {
  const { argument, test, value, text } = draft;
  const id = useId();
  const isWritten = test !== 'any' && test !== 'equals';
  const label = tests.find((it) => it[0] === test)?.[1];
  return (
    <div class="field condition">
      <label for={id}>
        <span>
          <RevealedText text={argument} />
        </span>
      </label>
      <select
        id={id}
        value={test}
        onInput={(event) => {
          const next = event.currentTarget.value as Condition['test'];
          onChange({ ...draft, test: next, text: textFor(next, value) });
        }}
      >
        {tests
          .filter((it) => it[2](value))
          .map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
      </select>
      {test === 'equals' && (
        <pre class="value">
          <RevealedText text={text.length > 300 ? `${text.slice(0, 300)}…` : text} />
        </pre>
      )}
      {isWritten && (
        <textarea
          rows={test === 'one-of' ? 3 : 1}
          value={text}
          aria-label={`${argument} ${label}`}
          spellcheck={false}
          onInput={(event) => onChange({ ...draft, text: event.currentTarget.value })}
        />
      )}
    </div>
  );
}
