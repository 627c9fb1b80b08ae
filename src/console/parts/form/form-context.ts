import { type ComponentType, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { JsonSchema } from '../../../model/json.js';
import type { FieldProps } from './field-props.js';

/** What all fields of one form know. */
export interface FormContextValue {
  /** Where references of schemas start. */
  readonly root: JsonSchema;
  /** What is wrong, by JSON Pointer. */
  readonly problems: ReadonlyMap<string, readonly string[]>;
  /** Objects with more members that are not set list them in a menu. */
  readonly maxUnset: number;
  /** The field for any schema: fields have fields inside. */
  readonly Field: ComponentType<FieldProps>;
  /** Begins the ids of fields, so that several forms can be in one page. */
  readonly id: string;
}

export const FormContext = createContext<FormContextValue>({
  ...{ root: true, problems: new Map(), maxUnset: 12, id: 'form', Field: () => null },
});

export function useForm(): FormContextValue {
  return useContext(FormContext);
}

/** The id of the control at a place. */
export function fieldId({ id }: Pick<FormContextValue, 'id'>, pointer: string): string {
  return `${id}-${pointer}`;
}

/** Moves the focus to the field at a place, or to the nearest one around it. False if there is none. */
export function focusField(form: Pick<FormContextValue, 'id'>, pointer: string): boolean {
  for (let at = pointer; ; at = at.slice(0, at.lastIndexOf('/'))) {
    const found = document.getElementById(fieldId(form, at));
    if (found !== null) {
      found.scrollIntoView({ block: 'center' });
      found.focus({ preventScroll: true });
      return true;
    }
    if (at === '') return false;
  }
}
