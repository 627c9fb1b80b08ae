// Finds the first place that the Python compiler rejects, without running anything. It knows the syntax up to Python 3.13
// and the most common rules beyond it, such as "return" outside a function. What it does not know it accepts.
import { neverClosed, readTokens } from './lexer.js';
import { readFile } from './statement.js';
import { type PythonProblem, PythonSyntaxError, type Token } from './token.js';
import { TokenReader } from './token-reader.js';

/** The first problem of Python code; undefined if there is none. */
export function pythonProblem(text: string): PythonProblem | undefined {
  if (text.includes('\0')) {
    const at = text.indexOf('\0');
    return { at, end: at + 1, message: 'the file contains a NUL character' };
  }
  const { tokens, error, unclosed } = readTokens(text);
  if (error === undefined) return problemOf(tokens)?.problem;
  // A statement before that place may be wrong as well. The end is not a problem of its own.
  const end: Token = { kind: 'end', text: '', at: text.length, end: text.length };
  const earlier = problemOf([...tokens, end])?.problem;
  if (earlier === undefined) return error.problem;
  // In a bracket that is still open on a later line, the bracket is the cause, not what the statement lacks there.
  const cause = unclosed.findLast(
    (it) => it.at < earlier.at && /[\r\n]/.test(text.slice(it.end, earlier.at)),
  );
  const isOpen = error.problem.message.endsWith(neverClosed);
  if (cause !== undefined && isOpen)
    return { at: cause.at, end: cause.end, message: `"${cause.text}" ${neverClosed}` };
  const isBefore = earlier.at < error.problem.at && earlier.at < (tokens.at(-1)?.end ?? 0);
  return isBefore && cause === undefined ? earlier : error.problem;
}

function problemOf(tokens: readonly Token[]): PythonSyntaxError | undefined {
  try {
    readFile(new TokenReader(tokens));
    return undefined;
  } catch (error) {
    if (error instanceof PythonSyntaxError) return error;
    throw error;
  }
}
