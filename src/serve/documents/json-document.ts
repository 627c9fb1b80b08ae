import { exactly, object, type Shape } from '../../host/operations/shape.js';

/** A JSON document that a command prints with --json, or that the API answers. */
export interface JsonDocument {
  readonly description: string;
  readonly shape: Shape<unknown>;
  /** The command prints any number of lines, and each is one such document. */
  readonly isStream?: true;
}

type Members = Readonly<Record<string, Shape<unknown>>>;

/** An object whose member `schema` names it. `name`: such as `list@1`. */
export function jsonDocument(name: string, description: string, members: Members): JsonDocument {
  return { description, shape: object({ schema: exactly(`toolwharf/${name}`), ...members }) };
}
