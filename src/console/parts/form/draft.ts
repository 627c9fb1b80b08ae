import { isObject, type Json, toPointer } from '../../../model/json.js';

/** What somebody typed at a place and is not a value yet, such as half a number. It moves with its list item. */
export class Unfinished {
  readonly text: string;
  /** What is wrong, after "It". */
  readonly problem: string;

  constructor(text: string, problem: string) {
    this.text = text;
    this.problem = problem;
  }
}

/** A value that is being typed. */
export type Draft = Json | Unfinished | readonly Draft[] | { readonly [name: string]: Draft };

export interface DraftProblem {
  readonly pointer: string;
  readonly message: string;
}

/** The value of a draft, and the places that have none yet. */
export function finished(draft: Draft): { readonly value: Json; readonly problems: readonly DraftProblem[] } {
  const problems: DraftProblem[] = [];
  const visit = (it: Draft, path: readonly (string | number)[]): Json => {
    if (it instanceof Unfinished) {
      problems.push({ pointer: toPointer(path), message: it.problem });
      return null;
    }
    if (Array.isArray(it)) return it.map((item: Draft, index) => visit(item, [...path, index]));
    if (!isObject(it)) return it as Json;
    return Object.fromEntries(
      Object.entries(it as { readonly [name: string]: Draft }).map(([name, member]) => [
        name,
        visit(member, [...path, name]),
      ]),
    );
  };
  return { value: visit(draft, []), problems };
}

export function isDraftObject(draft: Draft | undefined): draft is { readonly [name: string]: Draft } {
  return isObject(draft) && !(draft instanceof Unfinished);
}
