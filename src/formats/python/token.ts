/** What a token is. `field` and `conversion` are the parts of a formatted string; `end` is the end of the file. */
export type PythonTokenKind =
  | 'name'
  | 'number'
  | 'string'
  | 'bytes'
  | 'op'
  | 'newline'
  | 'indent'
  | 'dedent'
  | 'format-start'
  | 'format-end'
  | 'end';

/** One token of Python code. */
export interface Token {
  readonly kind: PythonTokenKind;
  /** Empty for a token without characters, and for strings. */
  readonly text: string;
  /** Offset of its first character. */
  readonly at: number;
  readonly end: number;
}

/** A place that the Python compiler rejects, as offsets into the text. */
export interface PythonProblem {
  readonly at: number;
  readonly end: number;
  /** Lower case, without a period, such as `"(" is never closed`. */
  readonly message: string;
}

/** Ends the reading of tokens or statements at the first problem. */
export class PythonSyntaxError extends Error {
  readonly problem: PythonProblem;

  constructor(problem: PythonProblem) {
    super(problem.message);
    this.name = 'PythonSyntaxError';
    this.problem = problem;
  }
}

/** The problem of a character that no token can start with. */
export function invalidCharacter(text: string, at: number): PythonSyntaxError {
  const code = text.codePointAt(at) ?? 0;
  const character = String.fromCodePoint(code);
  const shown = /[\p{C}\p{Z}]/u.test(character)
    ? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
    : `"${character}"`;
  const message = `the character ${shown} is not allowed here`;
  return new PythonSyntaxError({ at, end: at + character.length, message });
}

export const keywords: ReadonlySet<string> = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);
