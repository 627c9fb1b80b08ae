import type { JsonSchema } from '../../../model/json.js';
import type { Draft } from './draft.js';
import { describedBy, FieldHelp, FieldName, FieldProblems, type ShapedFieldProps } from './field.js';
import { fieldShape } from './field-shape.js';
import { fieldId, focusField, useForm } from './form-context.js';
import { JsonField } from './json-field.js';
import { initialValue } from './schema-fit.js';

/** Longer lists are written as JSON. */
const maxItems = 100;

/** A list: items can be added, removed and moved. */
export function ListField(props: ShapedFieldProps<'list'>) {
  const { shape, value, onChange, pointer, name, isRequired } = props;
  const form = useForm();
  const items = (Array.isArray(value) ? value : []) as readonly Draft[];
  if (items.length > maxItems)
    return <JsonField {...props} why={`${items.length} items are too many for a form.`} />;
  const schemaOf = (index: number): JsonSchema => shape.first[index] ?? shape.items;
  const id = fieldId(form, pointer);
  const at = (index: number) => `${pointer}/${index}`;
  const replace = (index: number, next: Draft | undefined) =>
    onChange(
      items.map((it, position) => (position === index ? (next ?? emptyOf(form.root, schemaOf(index))) : it)),
    );
  const move = (from: number, to: number) => {
    const next = [...items];
    next.splice(to, 0, ...next.splice(from, 1));
    onChange(next);
    setTimeout(() =>
      document.getElementById(`${fieldId(form, at(to))}-${to < from ? 'up' : 'down'}`)?.focus(),
    );
  };
  const remove = (index: number) => {
    const next = items.filter((_, position) => position !== index);
    onChange(next.length === 0 && !isRequired ? undefined : next);
    setTimeout(() => document.getElementById(`${id}-add`)?.focus());
  };
  const add = () => {
    onChange([
      ...items,
      initialValue(form.root, schemaOf(items.length)) ?? emptyOf(form.root, schemaOf(items.length)),
    ]);
    setTimeout(() => focusField(form, at(items.length)));
  };
  const canAdd = shape.items !== false || items.length < shape.first.length;
  return (
    <fieldset id={id} tabIndex={-1} aria-describedby={describedBy(id)}>
      <legend>
        <FieldName name={name} shape={shape} isRequired={isRequired} />
      </legend>
      <FieldHelp id={id} shape={shape} />
      <FieldProblems pointer={pointer} />
      {items.length > 0 && (
        <ol class="items">
          {items.map((it, index) => (
            <li key={index}>
              <form.Field
                schema={schemaOf(index)}
                value={it}
                onChange={(next) => replace(index, next)}
                pointer={at(index)}
                name={`${name} ${index + 1}`}
                isRequired={false}
              />
              <div class="item-actions">
                <button
                  type="button"
                  id={`${fieldId(form, at(index))}-up`}
                  class="icon"
                  disabled={index === 0}
                  aria-label={`Move ${name} ${index + 1} up`}
                  onClick={() => move(index, index - 1)}
                >
                  ↑
                </button>
                <button
                  type="button"
                  id={`${fieldId(form, at(index))}-down`}
                  class="icon"
                  disabled={index === items.length - 1}
                  aria-label={`Move ${name} ${index + 1} down`}
                  onClick={() => move(index, index + 1)}
                >
                  ↓
                </button>
                <button
                  type="button"
                  class="icon"
                  aria-label={`Remove ${name} ${index + 1}`}
                  onClick={() => remove(index)}
                >
                  ×
                </button>
              </div>
            </li>
          ))}
        </ol>
      )}
      {canAdd && (
        <button type="button" id={`${id}-add`} class="button small" onClick={add}>
          Add <span class="sr-only">to {name}</span>
        </button>
      )}
    </fieldset>
  );
}

/** An item has a place in its list, so it always has a value. */
function emptyOf(root: JsonSchema, schema: JsonSchema): Draft {
  switch (fieldShape(root, schema).kind) {
    case 'text':
      return '';
    case 'list':
      return [];
    case 'object':
      return {};
    default:
      return null;
  }
}
