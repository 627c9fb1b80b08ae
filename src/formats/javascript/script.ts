// Parses handler files without running them. Both parsers take exponential or quadratic time on some inputs, so the
// work of each is limited in proportion to the size of the file.
import { Parser, type Program } from 'acorn';
import { transform } from 'sucrase';
import type { Range } from '../../model/diagnostic.js';
import { SourceText } from '../document/source-text.js';
import { decoratorProblem, isAtDecorator, valueNamespace } from './unsupported-syntax.js';

/** A parsed file, its syntax error, or the reason why it was not parsed. */
export type Script =
  | {
      readonly kind: 'program';
      readonly program: Program;
      /** The range of a node in the original file, with its types. */
      readonly rangeOf: (node: SourceSpan) => Range;
    }
  /** `hint`: what to do instead, for syntax that is valid but not supported. */
  | {
      readonly kind: 'syntax-error';
      readonly range: Range;
      readonly message: string;
      readonly hint?: string;
    }
  /** Too deep or too expensive to parse. */
  | { readonly kind: 'unchecked'; readonly reason: string };

/** Start and end offset in a text. */
export interface SourceSpan {
  readonly start: number;
  readonly end: number;
}

/** Parses a handler file. */
export function parseScript(text: string, language: 'javascript' | 'typescript'): Script {
  const source = new SourceText(text);
  const syntaxError = (range: Range, message: string, at: { text: string; pos: number }): Script => {
    const problem = isAtDecorator(at.text, at.pos) ? decoratorProblem : { message: sentence(message) };
    return { kind: 'syntax-error', range, ...problem };
  };
  let stripped = text;
  if (language === 'typescript') {
    try {
      stripped = stripTypes(text);
      const lost = valueNamespace(text, stripped, stripTypes);
      if (lost !== undefined) {
        const { start, end, message, hint } = lost;
        return { kind: 'syntax-error', range: source.range(start, end), message, hint };
      }
    } catch (error) {
      if (!isSyntaxError(error)) return unchecked(error);
      return syntaxError(source.range(error.pos, error.pos + 1), error.message, { text, pos: error.pos });
    }
  }
  const strippedSource = new SourceText(stripped);
  const rangeOf = (node: SourceSpan) =>
    language === 'typescript' ? sameLine(source, strippedSource, node) : source.range(node.start, node.end);
  try {
    return { kind: 'program', program: parseModule(stripped, language), rangeOf };
  } catch (error) {
    if (!isSyntaxError(error)) return unchecked(error);
    const range = rangeOf({ start: error.pos, end: error.pos + 1 });
    return syntaxError(range, error.message, { text: stripped, pos: error.pos });
  }
}

/** The same lines without type annotations. */
function stripTypes(text: string): string {
  const counted = new CountedText(text, 12 * text.length + 20_000);
  // The parser reads its input only with charCodeAt, so counting these calls limits its backtracking.
  return transform(counted as unknown as string, { transforms: ['typescript'], disableESTransforms: true })
    .code;
}

/** The parser needed too many steps. */
class CostError extends Error {}

/** Stack frames that must remain free. */
const spareFrames = 3000;
/** Number of reads between two checks of the stack. */
const readsBetweenChecks = 64;

class CountedText extends String {
  #left: number;

  constructor(text: string, reads: number) {
    super(text);
    this.#left = reads;
  }

  override charCodeAt(index: number): number {
    if (--this.#left < 0) throw new CostError('too much backtracking');
    // A stack overflow inside a regular expression ends the whole process, so stop well before that.
    if (this.#left % readsBetweenChecks === 0) requireStack(spareFrames);
    return super.charCodeAt(index);
  }
}

/** Throws a RangeError when fewer frames are free. */
function requireStack(frames: number): number {
  return frames === 0 ? 0 : 1 + requireStack(frames - 1);
}

/** Tries the CommonJS syntax second, because it allows things that modules forbid. */
function parseModule(text: string, language: 'javascript' | 'typescript'): Program {
  const options = { ecmaVersion: 'latest', allowHashBang: true } as const;
  try {
    return BoundedParser.parse(text, { ...options, sourceType: 'module' });
  } catch (error) {
    if (language === 'typescript' || !isSyntaxError(error)) throw error;
    try {
      return BoundedParser.parse(text, {
        ...options,
        sourceType: 'script',
        allowReturnOutsideFunction: true,
      });
    } catch {
      throw error;
    }
  }
}

/** The members of acorn's parser that are overridden here. Its types do not include them. */
interface ParserParts {
  undefinedExports: Record<string, unknown>;
  declareName(name: string, kind: number, at: number): void;
  checkLocalExport(id: unknown): void;
  parseStatement(...args: never[]): unknown;
  parseMaybeAssign(...args: never[]): unknown;
  parseMaybeUnary(...args: never[]): unknown;
  parseBindingAtom(...args: never[]): unknown;
}

/** acorn searches names in lists. Above this number, duplicate declarations are not detected. */
const maxNames = 10_000;

/** Limit for nested statements, expressions and patterns. Real code stays far below it. */
const maxNesting = 500;

const BoundedParser = Parser.extend((base) => {
  class Bounded extends (base as unknown as new (...args: never[]) => ParserParts) {
    #names = 0;
    #depth = 0;

    #deeper<T>(parse: () => T): T {
      if (++this.#depth > maxNesting) throw new RangeError('nested too deeply');
      try {
        return parse();
      } finally {
        this.#depth--;
      }
    }

    override parseStatement(...args: never[]): unknown {
      return this.#deeper(() => super.parseStatement(...args));
    }

    override parseMaybeAssign(...args: never[]): unknown {
      return this.#deeper(() => super.parseMaybeAssign(...args));
    }

    override parseMaybeUnary(...args: never[]): unknown {
      return this.#deeper(() => super.parseMaybeUnary(...args));
    }

    override parseBindingAtom(...args: never[]): unknown {
      return this.#deeper(() => super.parseBindingAtom(...args));
    }

    override declareName(name: string, kind: number, at: number): void {
      if (++this.#names <= maxNames) super.declareName(name, kind, at);
      else delete this.undefinedExports[name];
    }

    override checkLocalExport(id: unknown): void {
      if (this.#names <= maxNames) super.checkLocalExport(id);
    }

    /** Overrides acorn, which would report a stack overflow as a syntax error of the author. */
    catchStackOverflow<T>(parse: () => T): T {
      return parse();
    }
  }
  return Bounded as unknown as typeof base;
});

interface PositionedError extends SyntaxError {
  readonly pos: number;
}

function isSyntaxError(error: unknown): error is PositionedError {
  return error instanceof SyntaxError && typeof (error as { pos?: unknown }).pos === 'number';
}

function unchecked(error: unknown): Script {
  if (error instanceof RangeError) return { kind: 'unchecked', reason: 'it is nested too deeply' };
  if (error instanceof CostError) return { kind: 'unchecked', reason: 'parsing takes too long' };
  return { kind: 'unchecked', reason: 'it uses syntax that the parser does not support' };
}

/** Removing types shortens lines, so the node is searched by its text on the same line. */
function sameLine(source: SourceText, stripped: SourceText, node: SourceSpan): Range {
  const { line, column } = stripped.range(node.start);
  const nodeText = (stripped.text.slice(node.start, node.end).split('\n', 1)[0] as string).slice(0, 64);
  const start = source.offset(line);
  const original = source.text.slice(start).split('\n', 1)[0] as string;
  const found = nodeText === '' ? -1 : original.indexOf(nodeText, Math.min(column - 1, original.length));
  if (found === -1) {
    const near = start + Math.min(column - 1, original.length);
    return source.range(near, near + 1);
  }
  return source.range(start + found, start + found + nodeText.length);
}

/** Removes the position at the end of a parser's message, because the diagnostic has a range. */
function sentence(message: string): string {
  const bare = message.replace(/ \(\d+:\d+\)$/, '');
  return bare.charAt(0).toLowerCase() + bare.slice(1);
}
