import { useSignal } from '@preact/signals';
import type { JsonSchema } from '../../../model/json.js';
import { type Draft, isDraftObject } from './draft.js';
import { describedBy, FieldHelp, FieldName, type ShapedFieldProps } from './field.js';
import { type Branch, fieldShape } from './field-shape.js';
import { fieldId, useForm } from './form-context.js';
import { branchOf, fits, initialValue } from './schema-fit.js';

/** One of several kinds of value: a person chooses the kind, then fills it in. */
export function ChoiceField({ shape, ...props }: ShapedFieldProps<'choice'>) {
  const { value, onChange, pointer, name, isRequired } = props;
  const form = useForm();
  const { root } = form;
  const { branches } = shape;
  const wanted = useSignal<number | undefined>(undefined);
  const isWanted =
    wanted.value !== undefined &&
    branches[wanted.value] !== undefined &&
    (value === undefined || fits(root, fieldShape(root, (branches[wanted.value] as Branch).schema), value));
  const chosen = isWanted ? wanted.value : branchOf(root, branches, value);
  const branch = chosen === undefined ? undefined : branches[chosen];
  const id = `${fieldId(form, pointer)}-kind`;
  const choose = (index: number) => {
    wanted.value = index;
    const next = branches[index];
    onChange(next === undefined ? undefined : carriedOver(value, initialValue(root, next.schema)));
  };
  return (
    <div class="choice">
      <div class="field">
        <div class="field-head">
          <label for={id}>
            <FieldName name={name} shape={shape} isRequired={isRequired} />
          </label>
        </div>
        <select
          id={id}
          aria-describedby={describedBy(id)}
          value={String(chosen ?? -1)}
          onChange={(event) => choose(Number(event.currentTarget.value))}
        >
          <option value="-1">{isRequired ? 'Choose…' : 'Not set'}</option>
          {branches.map((it, index) => (
            <option key={index} value={String(index)}>
              {it.title}
            </option>
          ))}
        </select>
        <FieldHelp id={id} shape={shape} />
      </div>
      {branch !== undefined && !isComplete(root, branch) && (
        <form.Field
          key={chosen}
          {...props}
          schema={branch.schema}
          name={branch.title}
          isRequired={isRequired}
        />
      )}
    </div>
  );
}

/** Nothing is left to fill in. */
function isComplete(root: JsonSchema, { schema }: Branch): boolean {
  const shape = fieldShape(root, schema);
  return shape.kind === 'null' || (shape.kind === 'enum' && shape.values.length === 1);
}

/** Members that both kinds have keep their values, except those that tell the kinds apart. */
function carriedOver(before: Draft | undefined, next: Draft | undefined): Draft | undefined {
  if (!isDraftObject(before) || !isDraftObject(next)) return next;
  const kept = Object.entries(next).map(([name, it]) => {
    const old = Object.hasOwn(before, name) ? before[name] : undefined;
    const isEmpty = it === undefined || (isDraftObject(it) && Object.keys(it).length === 0);
    return [name, isEmpty && old !== undefined ? old : it] as const;
  });
  return Object.fromEntries(kept);
}
