import { describedBy, FieldHelp, FieldName, FieldProblems, useIsInvalid } from './field.js';
import type { FieldProps } from './field-props.js';
import type { FieldShape } from './field-shape.js';
import { fieldId, useForm } from './form-context.js';
import { JsonEditor } from './json-editor.js';

/** A place that is written as JSON, because a form cannot show it faithfully. `why`: said if it is not plain. */
export function JsonField({
  shape,
  why,
  ...props
}: FieldProps & { readonly shape: FieldShape; readonly why?: string }) {
  const { pointer, name, isRequired, value, onChange } = props;
  const id = fieldId(useForm(), pointer);
  const isInvalid = useIsInvalid(pointer);
  return (
    <div class="field">
      <div class="field-head">
        <label for={id}>
          <FieldName name={name} shape={{ kind: 'json', schema: shape.schema }} isRequired={isRequired} />
        </label>
      </div>
      {why !== undefined && <p class="dim">{why}</p>}
      <JsonEditor
        id={id}
        value={value}
        describedBy={describedBy(id)}
        isInvalid={isInvalid}
        onChange={onChange}
      />
      <FieldHelp id={id} shape={{ kind: 'json', schema: shape.schema }} />
      <FieldProblems pointer={pointer} inside />
    </div>
  );
}
