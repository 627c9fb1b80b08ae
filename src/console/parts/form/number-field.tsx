import { useSignal } from '@preact/signals';
import { inexactNumber } from '../../../model/json-number.js';
import { type Draft, Unfinished } from './draft.js';
import { describedBy, FieldFrame, type ShapedFieldProps, useIsInvalid } from './field.js';
import { fieldId, useForm } from './form-context.js';

/** A number. What is not one, or would be changed by storing it, is never sent. */
export function NumberField(props: ShapedFieldProps<'number'>) {
  const { value, onChange, pointer, shape } = props;
  const form = useForm();
  const id = fieldId(form, pointer);
  const typed = useSignal('');
  const own = draftOf(typed.value);
  // While somebody types 1.50, the value is 1.5.
  const text =
    own === value && value !== undefined
      ? typed.value
      : value instanceof Unfinished
        ? value.text
        : value === undefined
          ? ''
          : String(value);
  const isInvalid = useIsInvalid(pointer) || value instanceof Unfinished;
  return (
    <FieldFrame {...props}>
      <input
        id={id}
        value={text}
        inputMode={shape.schema.type === 'integer' ? 'numeric' : 'decimal'}
        autocomplete="off"
        aria-describedby={describedBy(id)}
        aria-invalid={isInvalid}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
          onChange(draftOf(typed.value));
        }}
      />
      {value instanceof Unfinished && <p class="problem">{value.problem}</p>}
    </FieldFrame>
  );
}

function draftOf(text: string): Draft | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(trimmed))
    return new Unfinished(text, 'This is not a number.');
  if (inexactNumber(trimmed) !== undefined)
    return new Unfinished(text, 'This number cannot be stored exactly, so it is not sent.');
  return Number(trimmed);
}
