import type { Json } from '../../../model/json.js';
import type { Draft } from './draft.js';
import { describedBy, FieldFrame, type ShapedFieldProps, useIsInvalid } from './field.js';
import type { FieldShape } from './field-shape.js';
import { fieldId, useForm } from './form-context.js';

/** One of some values. */
export function EnumField(props: ShapedFieldProps<'enum'>) {
  const { values, titles } = props.shape;
  return <PickField {...props} options={values.map((value, index) => [titles[index] ?? '', value])} />;
}

export function BooleanField(props: ShapedFieldProps<'boolean'>) {
  return (
    <PickField
      {...props}
      options={[
        ['true', true],
        ['false', false],
      ]}
    />
  );
}

export function NullField(props: ShapedFieldProps<'null'>) {
  return <PickField {...props} options={[['null', null]]} />;
}

type PickFieldProps = ShapedFieldProps<FieldShape['kind']> & {
  readonly options: readonly (readonly [string, Json])[];
};

function PickField(props: PickFieldProps) {
  const { options, value, onChange, pointer, isRequired, shape } = props;
  const id = fieldId(useForm(), pointer);
  const isInvalid = useIsInvalid(pointer);
  const chosen = options.findIndex(([, it]) => isSameJson(it, value));
  const { default: preset } = shape.schema;
  return (
    <FieldFrame {...props}>
      <select
        id={id}
        aria-describedby={describedBy(id)}
        aria-invalid={isInvalid}
        value={String(chosen)}
        onChange={(event) => {
          const option = options[Number(event.currentTarget.value)];
          onChange(option === undefined ? undefined : option[1]);
        }}
      >
        <option value="-1">
          {preset !== undefined ? 'Not set: the default' : isRequired ? 'Choose…' : 'Not set'}
        </option>
        {options.map(([title], index) => (
          <option key={index} value={String(index)}>
            {title}
          </option>
        ))}
      </select>
    </FieldFrame>
  );
}

function isSameJson(one: Json, other: Draft | undefined): boolean {
  return other !== undefined && JSON.stringify(one) === JSON.stringify(other);
}
