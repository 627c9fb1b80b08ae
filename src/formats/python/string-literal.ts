import { type PythonProblem, PythonSyntaxError } from './token.js';

/** The prefix of a string, such as `rb`, in lower case. Undefined: the name before a quote is not a prefix. */
export function stringPrefix(name: string): string | undefined {
  const prefix = name.toLowerCase();
  return /^(?:r|u|b|br|rb|f|fr|rf|t|tr|rt)?$/.test(prefix) ? prefix : undefined;
}

/** The quotes that open a string at a position: one or three. */
export function openingQuotes(text: string, at: number): string {
  const quote = text[at] as string;
  return text.startsWith(quote.repeat(3), at) ? quote.repeat(3) : quote;
}

/** The end of a plain string whose content starts at `at`, after its closing quotes. Throws if there is none. */
export function endOfPythonString(text: string, at: number, quotes: string, start: number): number {
  for (let index = at; index < text.length; index++) {
    const character = text[index] as string;
    if (character === '\\') {
      // A carriage return and a line feed are one line end.
      index += text.startsWith('\r\n', index + 1) ? 2 : 1;
    } else if (quotes.length === 1 && (character === '\n' || character === '\r')) {
      throw unterminated(text, start);
    } else if (text.startsWith(quotes, index)) {
      return index + quotes.length;
    }
  }
  throw unterminated(text, start);
}

/** The problem of a string that has no end, at its first line. */
export function unterminated(text: string, start: number): PythonSyntaxError {
  const lineEnd = text.slice(start).search(/[\r\n]/);
  const end = lineEnd === -1 ? text.length : start + lineEnd;
  return new PythonSyntaxError({ at: start, end, message: 'this string is never closed' });
}

/** Checks the content of a string that is not raw: escapes must be complete. */
export function checkEscapes(content: string, isBytes: boolean, place: Omit<PythonProblem, 'message'>): void {
  const escapes = content.matchAll(
    /\\(?:x([\da-fA-F]{0,2})|u([\da-fA-F]{0,4})|U([\da-fA-F]{0,8})|N(\{[^}]+\})?|[\s\S])/g,
  );
  for (const [written, hex, short, long, name] of escapes) {
    const isIncomplete =
      (hex !== undefined && hex.length < 2) ||
      (!isBytes && short !== undefined && short.length < 4) ||
      (!isBytes && long !== undefined && (long.length < 8 || Number.parseInt(long, 16) > 0x10ffff)) ||
      (!isBytes && written.startsWith('\\N') && name === undefined);
    if (isIncomplete)
      throw new PythonSyntaxError({
        ...place,
        message: `the escape "${written}" in this string is not complete`,
      });
  }
}
