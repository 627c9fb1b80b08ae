// Reads handler files without running them. Both parsers have inputs on which they take exponential or
// quadratic time; here each stops after work in proportion to the file.
import { Parser, type Program } from 'acorn';
import { transform } from 'sucrase';
import type { Range } from '../../model/diagnostic.js';
import { SourceText } from '../document/text.js';

export type Script =
  | {
      readonly kind: 'program';
      readonly program: Program;
      /** Where a part of the program is in the file as its author wrote it. */
      readonly place: (node: Span) => Range;
    }
  | { readonly kind: 'mistake'; readonly range: Range; readonly message: string }
  /** Too deep or too costly to read; nothing is claimed about it. */
  | { readonly kind: 'unread'; readonly reason: string };

export interface Span {
  readonly start: number;
  readonly end: number;
}

export function readScript(text: string, language: 'javascript' | 'typescript'): Script {
  const source = new SourceText(text);
  const mistake = (pos: number, message: string): Script => ({
    kind: 'mistake',
    range: source.range(pos, pos + 1),
    message: sentence(message),
  });
  let stripped = text;
  if (language === 'typescript') {
    try {
      stripped = stripTypes(text);
    } catch (error) {
      if (!isSyntaxError(error)) return unread(error);
      return mistake(error.pos, error.message);
    }
  }
  const strippedSource = new SourceText(stripped);
  const place = (node: Span) =>
    language === 'typescript' ? sameLine(source, strippedSource, node) : source.range(node.start, node.end);
  try {
    return { kind: 'program', program: parseModule(stripped, language), place };
  } catch (error) {
    if (!isSyntaxError(error)) return unread(error);
    const range = place({ start: error.pos, end: error.pos + 1 });
    return { kind: 'mistake', range, message: sentence(error.message) };
  }
}

/** The same lines without types. */
function stripTypes(text: string): string {
  const counted = new CountedText(text, 12 * text.length + 20_000);
  // The parser reads its input through charCodeAt alone, so a counting string bounds its backtracking.
  return transform(counted as unknown as string, { transforms: ['typescript'], disableESTransforms: true })
    .code;
}

class CostError extends Error {}

/** Frames that must be left on the stack, and how many reads a parser may go deeper between two looks at it. */
const spareFrames = 3000;
const readsBetweenLooks = 64;

class CountedText extends String {
  #left: number;

  constructor(text: string, reads: number) {
    super(text);
    this.#left = reads;
  }

  override charCodeAt(index: number): number {
    if (--this.#left < 0) throw new CostError('too much backtracking');
    // An engine that runs out of stack inside a regular expression ends the whole process, so stop well before.
    if (this.#left % readsBetweenLooks === 0) useStack(spareFrames);
    return super.charCodeAt(index);
  }
}

/** Throws a RangeError when fewer frames than that are left. */
function useStack(frames: number): number {
  return frames === 0 ? 0 : 1 + useStack(frames - 1);
}

/** A file of the older module system may use what modules forbid. */
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

/** The members of acorn's parser that this one replaces; its types leave them out. */
interface ParserParts {
  undefinedExports: Record<string, unknown>;
  declareName(name: string, kind: number, at: number): void;
  checkLocalExport(id: unknown): void;
  parseStatement(...args: never[]): unknown;
  parseMaybeAssign(...args: never[]): unknown;
  parseMaybeUnary(...args: never[]): unknown;
  parseBindingAtom(...args: never[]): unknown;
}

/** Names are looked up in lists: beyond this many, a name declared twice is no longer noticed. */
const maxNames = 10_000;

/** Statements, expressions and patterns within each other; people stay far below it. */
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

    /** Leaves an exhausted stack what it is, instead of calling it a mistake of the author. */
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

function unread(error: unknown): Script {
  if (error instanceof RangeError) return { kind: 'unread', reason: 'it is nested too deeply' };
  if (error instanceof CostError) return { kind: 'unread', reason: 'it takes too long to read' };
  return { kind: 'unread', reason: 'it holds something that the reader does not know' };
}

/** Without types a line is shorter: the first occurrence of the same words on it is the place. */
function sameLine(source: SourceText, stripped: SourceText, node: Span): Range {
  const { line, column } = stripped.range(node.start);
  const words = (stripped.text.slice(node.start, node.end).split('\n', 1)[0] as string).slice(0, 64);
  const start = source.offset(line);
  const written = source.text.slice(start).split('\n', 1)[0] as string;
  const found = words === '' ? -1 : written.indexOf(words, Math.min(column - 1, written.length));
  if (found === -1) {
    const near = start + Math.min(column - 1, written.length);
    return source.range(near, near + 1);
  }
  return source.range(start + found, start + found + words.length);
}

/** Parsers end their messages with a place, which the finding has already. */
function sentence(message: string): string {
  const bare = message.replace(/ \(\d+:\d+\)$/, '');
  return bare.charAt(0).toLowerCase() + bare.slice(1);
}
