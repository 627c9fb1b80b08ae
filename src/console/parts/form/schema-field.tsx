import { ChoiceField } from './choice-field.js';
import type { FieldProps } from './field-props.js';
import { fieldShape } from './field-shape.js';
import { useForm } from './form-context.js';
import { JsonField } from './json-field.js';
import { ListField } from './list-field.js';
import { NumberField } from './number-field.js';
import { ObjectField } from './object-field.js';
import { BooleanField, EnumField, NullField } from './pick-field.js';
import { fits } from './schema-fit.js';
import { TextField } from './text-field.js';

/** The field for one place of a value, made from its JSON Schema. */
export function SchemaField(props: FieldProps) {
  const { root } = useForm();
  const shape = fieldShape(root, props.schema);
  if (!fits(root, shape, props.value))
    return <JsonField {...props} shape={shape} why="This value has another form than the schema says." />;
  switch (shape.kind) {
    case 'text':
      return <TextField {...props} shape={shape} />;
    case 'number':
      return <NumberField {...props} shape={shape} />;
    case 'boolean':
      return <BooleanField {...props} shape={shape} />;
    case 'null':
      return <NullField {...props} shape={shape} />;
    case 'enum':
      return <EnumField {...props} shape={shape} />;
    case 'choice':
      return <ChoiceField {...props} shape={shape} />;
    case 'list':
      return <ListField {...props} shape={shape} />;
    case 'object':
      return <ObjectField {...props} shape={shape} />;
    case 'json':
      return <JsonField {...props} shape={shape} />;
  }
}
