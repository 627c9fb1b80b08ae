import type { CommonCode } from '../../../model/codes.js';
import type { JsonPath } from '../../../model/json.js';

/** What is wrong with a value of the configuration. */
export interface ValueProblem {
  readonly code: CommonCode;
  readonly message: string;
  readonly hint?: string;
  /** Where in the value. Default: the whole value. */
  readonly at?: JsonPath;
  readonly spot?: 'key';
}
