import type { JsonSchema } from '../../../model/json.js';
import type { Draft } from './draft.js';

/** One place of a value. */
export interface FieldProps {
  readonly schema: JsonSchema;
  /** Undefined: the value is left out. */
  readonly value: Draft | undefined;
  readonly onChange: (value: Draft | undefined) => void;
  readonly pointer: string;
  /** The name of the member, or what stands for it. */
  readonly name: string;
  readonly isRequired: boolean;
}
