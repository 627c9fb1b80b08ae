// Splits Python code into tokens, as Python 3.12 and later do: fields of formatted strings are code of their own.
import { Indentation } from './indentation.js';
import {
  checkEscapes,
  endOfPythonString,
  openingQuotes,
  stringPrefix,
  unterminated,
} from './string-literal.js';
import { invalidCharacter, PythonSyntaxError, type PythonTokenKind, type Token } from './token.js';
import { blanks, closerOf, lineBreak, nameToken, numberLiteral, operatorToken } from './token-pattern.js';

/** The tokens up to the first problem, and that problem. */
export interface TokenList {
  readonly tokens: readonly Token[];
  readonly error?: PythonSyntaxError;
  /** Brackets that are never closed, from the outermost. */
  readonly unclosed: readonly Token[];
}

/** The end of the message about an open bracket. */
export const neverClosed = 'is never closed';

/** Limits of the Python compiler. */
const maxBrackets = 200;
const maxNestedStrings = 100;

/** Reads all tokens. Never throws. */
export function readTokens(text: string): TokenList {
  const lexer = new Lexer(text);
  try {
    lexer.readFile();
    return { tokens: lexer.tokens, unclosed: [] };
  } catch (error) {
    if (!(error instanceof PythonSyntaxError)) throw error;
    return { tokens: lexer.tokens, error, unclosed: lexer.brackets };
  }
}

class Lexer {
  readonly tokens: Token[] = [];
  readonly brackets: Token[] = [];
  readonly #text: string;
  #at: number;
  #nested = 0;
  readonly #indentation = new Indentation();

  constructor(text: string) {
    this.#text = text;
    this.#at = text.startsWith('\uFEFF') ? 1 : 0;
  }

  readFile(): void {
    let isLineStart = true;
    for (;;) {
      if (isLineStart) this.#readIndentation();
      isLineStart = false;
      this.#skip();
      if (this.#at >= this.#text.length) break;
      if (this.#match(lineBreak) !== '') {
        if (this.brackets.length === 0) {
          isLineStart = true;
          if (this.#lineHasTokens()) this.#push('newline', this.#at - 1, this.#at, '');
        }
        continue;
      }
      this.#readToken();
    }
    const open = this.brackets.at(-1);
    if (open !== undefined) throw this.#error(`"${open.text}" ${neverClosed}`, open.at, open.end);
    if (this.#lineHasTokens()) this.#push('newline', this.#at, this.#at, '');
    for (let level = this.#indentation.depth; level > 0; level--)
      this.#push('dedent', this.#at, this.#at, '');
    this.#push('end', this.#at, this.#at, '');
  }

  #lineHasTokens(): boolean {
    const last = this.tokens.at(-1)?.kind;
    return last !== undefined && last !== 'newline' && last !== 'indent' && last !== 'dedent';
  }

  /** Lines that have only blanks and a comment do not count. */
  #readIndentation(): void {
    let column = 0;
    let narrow = 0;
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at];
      if (character === ' ') column++;
      else if (character === '\t') column = (Math.floor(column / 8) + 1) * 8;
      else if (character === '\f') column = 0;
      else if (
        character === '\\' &&
        /^\\(?:\r\n|\n|\r)[ \t\f]*/.test(this.#text.slice(this.#at, this.#at + 200))
      ) {
        // A continued line: the first part decides the column.
        this.#applyIndentation(column, narrow);
        return;
      } else break;
      narrow = character === '\f' ? 0 : narrow + 1;
    }
    if (this.#at >= this.#text.length || /[#\r\n]/.test(this.#text[this.#at] as string)) return;
    this.#applyIndentation(column, narrow);
  }

  #applyIndentation(column: number, narrow: number): void {
    const change = this.#indentation.change({ column, narrow });
    if (typeof change === 'string') throw this.#error(change);
    for (let count = change; count < 0; count++) this.#push('dedent', this.#at, this.#at, '');
    if (change > 0) this.#push('indent', this.#at, this.#at, '');
  }

  /** Skips blanks, comments and joined lines. */
  #skip(): void {
    for (;;) {
      this.#match(blanks);
      const character = this.#text[this.#at];
      if (character === '#') {
        while (this.#at < this.#text.length && !/[\r\n]/.test(this.#text[this.#at] as string)) this.#at++;
        return;
      }
      if (character !== '\\') return;
      const start = this.#at++;
      if (this.#match(lineBreak) === '')
        throw this.#error('a backslash outside a string must be the last character of its line', start);
      if (this.#at >= this.#text.length) throw this.#error('the file ends after a backslash', start);
    }
  }

  #readToken(): void {
    const start = this.#at;
    const character = this.#text[start] as string;
    const word = this.#match(nameToken);
    const quote = this.#text[this.#at];
    if (quote === '"' || quote === "'") {
      const prefix = stringPrefix(word);
      if (prefix !== undefined) {
        this.#readString(start, prefix);
        return;
      }
    }
    if (word !== '') {
      this.#push('name', start, this.#at, word);
      return;
    }
    if (/\d/.test(character) || (character === '.' && /\d/.test(this.#text[start + 1] ?? ''))) {
      this.#readNumber(start);
      return;
    }
    const text = this.#match(operatorToken);
    if (text === '' || text === '<>') throw invalidCharacter(this.#text, start);
    if (Object.hasOwn(closerOf, text)) {
      if (this.brackets.length >= maxBrackets) throw this.#error('the brackets are nested too deeply', start);
      this.brackets.push({ kind: 'op', text, at: start, end: this.#at });
    } else if (text === ')' || text === ']' || text === '}') {
      const open = this.brackets.pop();
      if (open === undefined) throw this.#error(`"${text}" closes nothing`, start, this.#at);
      if (closerOf[open.text] !== text) {
        this.brackets.push(open);
        throw this.#error(`"${text}" does not match the open "${open.text}"`, start, this.#at);
      }
    }
    this.#push('op', start, this.#at, text);
  }

  #readNumber(start: number): void {
    const text = this.#match(numberLiteral);
    const rest = /^\w+/.exec(this.#text.slice(this.#at, this.#at + 20))?.[0] ?? '';
    // "1if x else y" is allowed, with a warning.
    if (rest !== '' && !/^(?:and|else|for|if|in|is|not|or)\b/.test(rest))
      throw this.#error(`"${text}${rest}" is not a number`, start, this.#at + rest.length);
    if (/^0[\d_]*[1-9][\d_]*$/.test(text))
      throw this.#error(`the number ${text} must not start with 0`, start, this.#at);
    this.#push('number', start, this.#at, text);
  }

  /** The position is at the opening quotes. */
  #readString(start: number, prefix: string): void {
    const quotes = openingQuotes(this.#text, this.#at);
    this.#at += quotes.length;
    if (/[ft]/.test(prefix)) {
      this.#readFormatString(start, quotes, prefix);
      return;
    }
    const contentAt = this.#at;
    this.#at = endOfPythonString(this.#text, contentAt, quotes, start);
    const content = this.#text.slice(contentAt, this.#at - quotes.length);
    const isBytes = prefix.includes('b');
    const place = { at: start, end: Math.min(this.#at, start + prefix.length + quotes.length) };
    if (isBytes && /[^\0-\x7f]/.test(content))
      throw new PythonSyntaxError({ ...place, message: 'a bytes literal may contain only ASCII characters' });
    if (!prefix.includes('r') && content.includes('\\')) checkEscapes(content, isBytes, place);
    this.#push(isBytes ? 'bytes' : 'string', start, this.#at, '');
  }

  #readFormatString(start: number, quotes: string, prefix: string): void {
    if (++this.#nested > maxNestedStrings) throw this.#error('the strings are nested too deeply', start);
    this.#push('format-start', start, this.#at, '');
    this.#readFormatText(start, quotes, prefix, false);
    this.#nested--;
    this.#push('format-end', this.#at - quotes.length, this.#at, '');
  }

  /** Reads the text and the fields of a formatted string, or of a format after ":", which ends before its "}". */
  #readFormatText(start: number, quotes: string, prefix: string, isFormat: boolean): void {
    for (;;) {
      const character = this.#text[this.#at];
      if (character === undefined) throw unterminated(this.#text, start);
      if (!isFormat && this.#text.startsWith(quotes, this.#at)) {
        this.#at += quotes.length;
        return;
      }
      if (quotes.length === 1 && (/[\r\n]/.test(character) || (isFormat && character === quotes)))
        throw unterminated(this.#text, start);
      if (isFormat && quotes.length === 3 && this.#text.startsWith(quotes, this.#at))
        throw unterminated(this.#text, start);
      if (character === '\\') {
        const next = this.#text[this.#at + 1] ?? '';
        const named = prefix.includes('r')
          ? null
          : /^\\N\{[^}\r\n]*\}/.exec(this.#text.slice(this.#at, this.#at + 200));
        this.#at +=
          named !== null
            ? named[0].length
            : /[{}]/.test(next)
              ? 1
              : this.#text.startsWith('\r\n', this.#at + 1)
                ? 3
                : 2;
      } else if (character === '{' && (isFormat || this.#text[this.#at + 1] !== '{')) {
        this.#readField(start, quotes, prefix);
      } else if (character === '}' && isFormat) {
        return;
      } else if (character === '{' || (character === '}' && this.#text[this.#at + 1] === '}')) {
        this.#at += 2;
      } else if (character === '}') {
        throw this.#error(
          'a single "}" is not allowed in a formatted string; write "}}"',
          this.#at,
          this.#at + 1,
        );
      } else this.#at++;
    }
  }

  /** Reads one field: `{expression = !conversion :format}`. */
  #readField(start: number, quotes: string, prefix: string): void {
    const open: Token = { kind: 'op', text: '{', at: this.#at, end: this.#at + 1 };
    const depth = this.brackets.length;
    if (depth >= maxBrackets) throw this.#error('the brackets are nested too deeply');
    this.brackets.push(open);
    this.#push('op', this.#at, ++this.#at, '{');
    for (;;) {
      this.#skip();
      if (this.#match(lineBreak) !== '') continue;
      const character = this.#text[this.#at];
      if (character === undefined || this.#endsString(character, quotes))
        throw unterminated(this.#text, start);
      const isOuter = this.brackets.length === depth + 1;
      if (isOuter && character === '}') break;
      if (isOuter && character === '!' && this.#text[this.#at + 1] !== '=') {
        this.#push('op', this.#at, ++this.#at, '!');
      } else if (isOuter && character === ':') {
        this.#push('op', this.#at, ++this.#at, ':');
        this.#readFormatText(start, quotes, prefix, true);
        break;
      } else this.#readToken();
    }
    this.brackets.pop();
    this.#push('op', this.#at, ++this.#at, '}');
  }

  /** Since Python 3.12 a field may contain strings with the quotes of the string around it, but they come in pairs. */
  #endsString(character: string, quotes: string): boolean {
    if (character !== quotes[0]) return false;
    const own = openingQuotes(this.#text, this.#at);
    try {
      endOfPythonString(this.#text, this.#at + own.length, own, this.#at);
      return false;
    } catch {
      return true;
    }
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  #push(kind: PythonTokenKind, at: number, end: number, text: string): void {
    this.tokens.push({ kind, text, at, end });
  }

  #error(message: string, at = this.#at, end = at + 1): PythonSyntaxError {
    return new PythonSyntaxError({ at, end, message });
  }
}
