import type { ComponentChildren, ComponentType } from 'preact';
import type { JsonSchema } from '../../../model/json.js';
import type { DraftProblem } from './draft.js';
import type { FieldProps } from './field-props.js';
import { FormContext } from './form-context.js';
import { SchemaField } from './schema-field.js';

interface SchemaFormProps {
  readonly id: string;
  readonly root: JsonSchema;
  readonly problems: readonly DraftProblem[];
  readonly maxUnset?: number;
  /** The field for any place. Default: what its schema says. */
  readonly Field?: ComponentType<FieldProps>;
  readonly children: ComponentChildren;
}

/** What the fields of one form share. */
export function SchemaForm({
  id,
  root,
  problems,
  maxUnset = 12,
  Field = SchemaField,
  children,
}: SchemaFormProps) {
  const byPointer = new Map<string, string[]>();
  for (const { pointer, message } of problems)
    byPointer.set(pointer, [...(byPointer.get(pointer) ?? []), message]);
  return (
    <FormContext.Provider value={{ id, root, maxUnset, problems: byPointer, Field }}>
      {children}
    </FormContext.Provider>
  );
}
