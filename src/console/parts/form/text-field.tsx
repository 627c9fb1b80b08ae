import { useRef } from 'preact/hooks';
import { describedBy, FieldFrame, type ShapedFieldProps, useIsInvalid } from './field.js';
import { fieldId, useForm } from './form-context.js';

const inputTypes: Readonly<Record<string, 'date' | 'email' | 'url'>> = {
  date: 'date',
  email: 'email',
  uri: 'url',
  url: 'url',
};
/** Texts up to this length are typed in one line. */
const oneLine = 80;

/** A text. An empty field leaves it out; a button makes it an empty text. */
export function TextField(props: ShapedFieldProps<'text'>) {
  const { shape, value, onChange, pointer } = props;
  const form = useForm();
  const id = fieldId(form, pointer);
  const isInvalid = useIsInvalid(pointer);
  const text = typeof value === 'string' ? value : '';
  const { format, maxLength, pattern, writeOnly } = shape.schema;
  const type = typeof format === 'string' ? inputTypes[format] : undefined;
  const isShort =
    type !== undefined || format !== undefined || pattern !== undefined || Number(maxLength) <= oneLine;
  const common = {
    id,
    value: text,
    spellcheck: false,
    autocomplete: 'off',
    'aria-describedby': describedBy(id),
    'aria-invalid': isInvalid,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) => {
      const next = event.currentTarget.value;
      onChange(next === '' ? undefined : next);
    },
  } as const;
  // A browser's date field shows nothing else.
  const isDate = type === 'date' && (text === '' || /^\d{4}-\d\d-\d\d$/.test(text));
  const element = useRef<HTMLTextAreaElement>(null);
  const kind =
    writeOnly === true ? 'password' : isDate ? 'date' : type === 'date' ? 'text' : (type ?? 'text');
  return (
    <FieldFrame
      {...props}
      actions={
        <>
          {format === 'date-time' && (
            <button type="button" class="text" onClick={() => onChange(new Date().toISOString())}>
              Now
            </button>
          )}
          {text === '' && !isDate && (
            <label class="inline small">
              <input
                type="checkbox"
                checked={value === ''}
                onChange={(event) => onChange(event.currentTarget.checked ? '' : undefined)}
              />
              empty text
            </label>
          )}
        </>
      }
    >
      {isShort && !text.includes('\n') ? (
        <input
          {...common}
          type={kind as 'text'}
          placeholder={format === 'date-time' ? '2026-01-31T12:00:00Z' : undefined}
        />
      ) : (
        <textarea {...common} ref={element} class="prose-text" rows={rowsOf(text)} />
      )}
    </FieldFrame>
  );
}

function rowsOf(text: string): number {
  const rows = text.split('\n').reduce((sum, it) => sum + 1 + Math.floor(it.length / 100), 0);
  return Math.min(14, rows);
}
