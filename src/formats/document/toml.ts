import { parse, TomlDate, TomlError } from 'smol-toml';
import { ParseError, parseTOML } from 'toml-eslint-parser';
import type { Json, JsonPath } from '../../model/json.js';
import { type Document, maxDepth, maxValues, type SyntaxProblem } from './document.js';
import { SourceText } from './text.js';
import { readPlaces, type TomlPlaces } from './toml-places.js';
import { scanToml } from './toml-scan.js';

/**
 * Reads TOML whose values JSON can hold; dates stay the text that was written. One parser reads the values and
 * decides what is TOML; the other knows the places, costs several times as much, and runs only when asked for.
 */
export function readToml(text: string): Document {
  const source = new SourceText(text);
  const shape = scanToml(text);
  const refused = (problem: SyntaxProblem): Document => ({
    value: undefined,
    problems: [problem],
    locate: () => source.range(0),
    source: () => undefined,
  });

  if (shape.tooDeepAt !== null) return refused(tooDeep(shape.tooDeepAt, shape.tooDeepAt + 1));
  if (shape.values > maxValues) {
    const message = `more than ${maxValues.toLocaleString('en')} values`;
    return refused({ code: 'syntax.too-many-values', message, start: 0, end: 1 });
  }
  let table: unknown;
  try {
    table = parse(text, { integersAsBigInt: 'asNeeded' });
  } catch (error) {
    return refused(syntaxError(text, error));
  }
  let known: TomlPlaces | undefined;
  const places = () => (known ??= readPlaces(text, shape.longStrings));
  const written = (path: JsonPath) => {
    const span = places().written(path);
    return span && text.slice(span[0], span[1]);
  };
  const { value, problems } = convert(text, table, places, written);
  return {
    value: problems.length > 0 ? undefined : value,
    problems,
    locate(path, spot = 'value') {
      const [start, end] = places().span(path, spot);
      return source.range(start, end);
    },
    source: written,
  };
}

function tooDeep(start: number, end: number): SyntaxProblem {
  const message = `nested more than ${maxDepth} levels deep`;
  return { code: 'syntax.too-deep', message, start, end, hint: 'no manifest needs that; flatten it' };
}

/** From the parser's tables without prototype to plain JSON values. */
function convert(
  text: string,
  table: unknown,
  places: () => TomlPlaces,
  written: (path: JsonPath) => string | undefined,
): { value: Json; problems: SyntaxProblem[] } {
  const problems: SyntaxProblem[] = [];
  const path: (string | number)[] = [];
  const place = (spot: 'key' | 'value') => {
    const [start, end] = places().span(path, spot);
    return { start, end };
  };
  const members = (value: object): Json => {
    if (path.length >= maxDepth) {
      problems.push(tooDeep(place('key').start, place('key').end));
      return null;
    }
    if (Array.isArray(value)) {
      return value.map((item, index) => step(index, item));
    }
    const object: Record<string, Json> = {};
    for (const [key, member] of Object.entries(value)) {
      if (key === '__proto__') {
        path.push(key);
        const message = 'the key "__proto__" is not allowed';
        problems.push({ code: 'syntax.forbidden-key', message, ...place('key') });
        path.pop();
      } else object[key] = step(key, member);
    }
    return object;
  };
  const step = (key: string | number, value: unknown): Json => {
    path.push(key);
    const converted = visit(value);
    path.pop();
    return converted;
  };
  /** The parser of values takes 30 February for 2 March; the other one knows better. */
  const date = (): Json => {
    const { refusal } = places();
    if (refusal !== undefined && problems.length === 0) problems.push(explain(text, refusal));
    return written(path) ?? null;
  };
  const visit = (value: unknown): Json => {
    if (typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    if (value instanceof TomlDate) return date();
    if (typeof value === 'object' && value !== null) return members(value);
    const message =
      typeof value === 'bigint'
        ? 'this whole number is too large to be kept exactly'
        : 'JSON has no such number as inf or nan';
    problems.push({
      code: 'syntax.not-json-value',
      message,
      ...place('value'),
      hint: 'put it in quotes if it is meant as text',
    });
    return null;
  };
  return { value: visit(table), problems };
}

/** The sentences of the parser that knows more mistakes apart, in words that say what to do. */
const explanations: Readonly<Record<string, readonly [message: string, hint?: string]>> = {
  'Unterminated string constant': [
    'the closing quote is missing',
    'close the string with the quotes it began with',
  ],
  'Unterminated table-key': ['expected "]" after the name of the table'],
  'Unterminated array': ['this list never ends', 'close it with "]"'],
  'Unterminated inline table': ['this table never ends', 'close it with "}"'],
  'Empty bare keys are not allowed': ['expected a name'],
  'Must be a newline': ['expected the end of the line', 'write one name and value a line'],
  'Expected equal (=) token': ['expected "=" after the name'],
  'Unspecified values are invalid': ['expected a value after "="'],
  'Expected comma (,) token': ['expected ","'],
  'Control characters (codes < 0x1f and 0x7f) are not allowed': [
    'a control character must be written as an escape',
  ],
  'The key, equals sign, and value must be on the same line': [
    'the name, "=" and the value must be on one line',
  ],
  'Underscores are allowed between digits': ['"_" may stand only between two digits'],
  'Unexpected spaces': ['no space is allowed between the brackets'],
  'Three or more quotes are not permitted': ['too many quotes'],
  'Unexpected invalid date': ['there is no such date'],
  'Unexpected invalid time': ['there is no such time'],
  'Leading zeros are not allowed': ['a number may not begin with 0', 'put it in quotes if it is text'],
  'Invalid character in escape sequence': [
    'this escape is not one TOML knows',
    'write "\\\\" for a backslash, or use single quotes',
  ],
  'Consecutive dots are not permitted in keys': ['a name is missing between the dots'],
  'Keys cannot end with a dot': ['a name is missing after the dot'],
  'Keys cannot start with a dot': ['a name is missing before the dot'],
};

/** Said with the character. */
const unexpected: readonly string[] = ['Unexpected character', 'Unexpected token'];

const keyTwice = 'Defining a key multiple times is invalid';

/** The first mistake only: what follows it is mostly its echo. */
function syntaxError(text: string, refusal: unknown): SyntaxProblem {
  const error = firstMistake(text);
  return error === undefined ? plainError(text, refusal) : explain(text, error);
}

function explain(text: string, error: ParseError): SyntaxProblem {
  const start = endOfLine(text, error.index);
  if (error.message === keyTwice) {
    const name = keyAt(text, start);
    const message = `the key ${/^["']/.test(name) ? name : `"${name}"`} occurs twice`;
    const end = start + Math.max(1, name.length);
    return { code: 'syntax.duplicate-key', message, start, end, hint: 'keep one of them' };
  }
  const character = String.fromCodePoint(text.codePointAt(start) ?? 0x20);
  const [message, hint] = unexpected.includes(error.message)
    ? [`unexpected ${JSON.stringify(character)}`, 'put text in double quotes']
    : (explanations[error.message] ?? ['this is not TOML']);
  return { code: 'syntax.toml', message, start, end: start + 1, ...(hint === undefined ? {} : { hint }) };
}

/** What is missing at a line break or at the end of the text is missing after the last thing before it. */
function endOfLine(text: string, offset: number): number {
  if (offset < text.length && text.charAt(offset) !== '\n' && text.charAt(offset) !== '\r') return offset;
  return text.slice(0, offset).trimEnd().length;
}

/** As it is written, in quotes or not. */
function keyAt(text: string, start: number): string {
  const key = /"(?:[^"\\\n]|\\.){0,64}"?|'[^'\n]{0,64}'?|[A-Za-z0-9_-]{1,64}/y;
  key.lastIndex = start;
  return key.exec(text)?.[0] ?? '';
}

/** Undefined where this parser finds nothing wrong, or cannot cope. */
function firstMistake(text: string): ParseError | undefined {
  try {
    parseTOML(text);
    return undefined;
  } catch (error) {
    return error instanceof ParseError ? error : undefined;
  }
}

/** What only the parser of values refuses: a lone carriage return, a leap second, absurd lengths. */
function plainError(text: string, error: unknown): SyntaxProblem {
  if (!(error instanceof TomlError)) {
    return { code: 'syntax.toml', message: 'this is not TOML', start: 0, end: 1 };
  }
  let start = 0;
  for (let line = 1; line < error.line; line++) start = text.indexOf('\n', start) + 1;
  start += error.column - 1;
  const [first = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n', 1);
  return { code: 'syntax.toml', message: first, start, end: start + 1 };
}
