import type { Range } from '../../../model/diagnostic.js';

/**
 * What a text is for. `description` says what something does: it has nothing to tell a model to do. `prompt` is made to
 * instruct a model. `page` is for people, such as a README; models read it too.
 */
export type TextRole = 'description' | 'prompt' | 'page';

/** One text of a package that models or people read, decoded, with its place. */
export interface ContributedText {
  readonly text: string;
  readonly role: TextRole;
  readonly file: string;
  readonly range: Range;
  /** JSON Pointer, if it is a field. */
  readonly pointer?: string;
  /** How messages name it, such as `description of tools/0`. */
  readonly field: string;
  /** It is the name of a member, not its value. */
  readonly isKey: boolean;
}
