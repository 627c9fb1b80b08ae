import { parse, TomlDate, TomlError } from 'smol-toml';
import { ParseError, parseTOML } from 'toml-eslint-parser';
import type { Json, JsonPath } from '../../model/json.js';
import { type Document, maxDepth, maxValues, type SyntaxProblem } from './document.js';
import { SourceText } from './source-text.js';
import { readTomlPositions, type TomlPositions } from './toml-positions.js';
import { scanToml } from './toml-scan.js';

/**
 * Parses TOML whose values can be represented in JSON; dates become strings. One parser reads the values and decides
 * what is valid TOML. The other provides positions; it costs several times as much and runs only on demand.
 */
export function parseToml(text: string): Document {
  const source = new SourceText(text);
  const shape = scanToml(text);
  const failed = (problem: SyntaxProblem): Document => ({
    value: undefined,
    problems: [problem],
    locate: () => source.range(0),
    source: () => undefined,
  });

  if (shape.tooDeepAt !== null) return failed(tooDeep(shape.tooDeepAt, shape.tooDeepAt + 1));
  if (shape.values > maxValues) {
    const message = `the file has more than ${maxValues.toLocaleString('en')} values`;
    return failed({ code: 'syntax.too-many-values', message, start: 0, end: 1 });
  }
  let table: unknown;
  try {
    table = parse(text, { integersAsBigInt: 'asNeeded' });
  } catch (error) {
    return failed(syntaxError(text, error));
  }
  let cached: TomlPositions | undefined;
  const positions = () => (cached ??= readTomlPositions(text, shape.longStrings));
  const sourceOf = (path: JsonPath) => {
    const span = positions().valueSpan(path);
    return span && text.slice(span[0], span[1]);
  };
  const { value, problems } = convert(text, table, positions, sourceOf);
  return {
    value: problems.length > 0 ? undefined : value,
    problems,
    locate(path, spot = 'value') {
      const [start, end] = positions().span(path, spot);
      return source.range(start, end);
    },
    source: sourceOf,
  };
}

function tooDeep(start: number, end: number): SyntaxProblem {
  const message = `nested more than ${maxDepth} levels deep`;
  return { code: 'syntax.too-deep', message, start, end, hint: 'reduce the nesting' };
}

/** Converts the parser's tables, which have no prototype, to plain JSON values. */
function convert(
  text: string,
  table: unknown,
  positions: () => TomlPositions,
  sourceOf: (path: JsonPath) => string | undefined,
): { value: Json; problems: SyntaxProblem[] } {
  const problems: SyntaxProblem[] = [];
  const path: (string | number)[] = [];
  const place = (spot: 'key' | 'value') => {
    const [start, end] = positions().span(path, spot);
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
  /** The parser of values accepts 30 February as 2 March; the other parser rejects it. */
  const date = (): Json => {
    const { error } = positions();
    if (error !== undefined && problems.length === 0) problems.push(explain(text, error));
    return sourceOf(path) ?? null;
  };
  const visit = (value: unknown): Json => {
    if (typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    if (value instanceof TomlDate) return date();
    if (typeof value === 'object' && value !== null) return members(value);
    const message =
      typeof value === 'bigint'
        ? 'this integer is too large to be stored exactly'
        : 'inf and nan are not allowed';
    problems.push({
      code: 'syntax.not-json-value',
      message,
      ...place('value'),
      hint: 'put it in quotes if it is meant as a string',
    });
    return null;
  };
  return { value: visit(table), problems };
}

/**
 * Messages for the errors of the position parser, which distinguishes more kinds of errors. It keeps their codes to
 * itself, so its messages are the keys. A message that is not listed is still reported, as "invalid TOML".
 */
const errorMessages: Readonly<Record<string, readonly [message: string, hint?: string]>> = {
  'Unterminated string constant': [
    'the closing quote is missing',
    'close the string with the quotes that it starts with',
  ],
  'Unterminated table-key': ['expected "]" after the name of the table'],
  'Unterminated array': ['this list is not closed', 'close it with "]"'],
  'Unterminated inline table': ['this table is not closed', 'close it with "}"'],
  'Empty bare keys are not allowed': ['expected a key'],
  'Must be a newline': ['expected the end of the line', 'put each key and value on its own line'],
  'Expected equal (=) token': ['expected "=" after the key'],
  'Unspecified values are invalid': ['expected a value after "="'],
  'Expected comma (,) token': ['expected ","'],
  'Control characters (codes < 0x1f and 0x7f) are not allowed': [
    'a control character must be written as an escape sequence',
  ],
  'The key, equals sign, and value must be on the same line': [
    'the key, "=" and the value must be on one line',
  ],
  'Underscores are allowed between digits': ['"_" is allowed only between two digits'],
  'Unexpected spaces': ['no space is allowed between the brackets'],
  'Three or more quotes are not permitted': ['too many quotes'],
  'Unexpected invalid date': ['this date does not exist'],
  'Unexpected invalid time': ['this time does not exist'],
  'Leading zeros are not allowed': [
    'a number must not start with 0',
    'put it in quotes if it is meant as a string',
  ],
  'Invalid character in escape sequence': [
    'invalid escape sequence',
    'write "\\\\" for a backslash, or use single quotes',
  ],
  'Consecutive dots are not permitted in keys': ['a key is missing between the dots'],
  'Keys cannot end with a dot': ['a key is missing after the dot'],
  'Keys cannot start with a dot': ['a key is missing before the dot'],
};

/** Reported with the unexpected character. */
const unexpectedCharacter: readonly string[] = ['Unexpected character', 'Unexpected token'];

const duplicateKey = 'Defining a key multiple times is invalid';

/** Only the first error: the others are usually its consequences. */
function syntaxError(text: string, valueError: unknown): SyntaxProblem {
  const error = firstError(text);
  return error === undefined ? fromValueParser(text, valueError) : explain(text, error);
}

function explain(text: string, error: ParseError): SyntaxProblem {
  const start = endOfLine(text, error.index);
  if (error.message === duplicateKey) {
    const name = keyAt(text, start);
    const message = `the key ${/^["']/.test(name) ? name : `"${name}"`} occurs twice`;
    const end = start + Math.max(1, name.length);
    return { code: 'syntax.duplicate-key', message, start, end, hint: 'remove one of them' };
  }
  const character = String.fromCodePoint(text.codePointAt(start) ?? 0x20);
  const [message, hint] = unexpectedCharacter.includes(error.message)
    ? [`unexpected ${JSON.stringify(character)}`, 'put strings in double quotes']
    : (errorMessages[error.message] ?? ['invalid TOML']);
  return { code: 'syntax.toml', message, start, end: start + 1, ...(hint === undefined ? {} : { hint }) };
}

/** An error at a line break or at the end of the text is reported after the last character before it. */
function endOfLine(text: string, offset: number): number {
  if (offset < text.length && text.charAt(offset) !== '\n' && text.charAt(offset) !== '\r') return offset;
  return text.slice(0, offset).trimEnd().length;
}

/** The key at an offset as it is written, with its quotes. */
function keyAt(text: string, start: number): string {
  const key = /"(?:[^"\\\n]|\\.){0,64}"?|'[^'\n]{0,64}'?|[A-Za-z0-9_-]{1,64}/y;
  key.lastIndex = start;
  return key.exec(text)?.[0] ?? '';
}

/** Undefined when the position parser finds no error, or fails in another way. */
function firstError(text: string): ParseError | undefined {
  try {
    parseTOML(text);
    return undefined;
  } catch (error) {
    return error instanceof ParseError ? error : undefined;
  }
}

/** Errors that only the parser of values finds: a lone carriage return, a leap second, extreme lengths. */
function fromValueParser(text: string, error: unknown): SyntaxProblem {
  if (!(error instanceof TomlError)) {
    return { code: 'syntax.toml', message: 'invalid TOML', start: 0, end: 1 };
  }
  let start = 0;
  for (let line = 1; line < error.line; line++) start = text.indexOf('\n', start) + 1;
  start += error.column - 1;
  const [first = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n', 1);
  return { code: 'syntax.toml', message: first, start, end: start + 1 };
}
