import { readPrimary } from './expression.js';
import type { TokenReader } from './token-reader.js';

/** The patterns of a `case`: one, or several without brackets. */
export function readPatterns(reader: TokenReader): void {
  do {
    if (reader.is(':') || reader.is('if')) break;
    readStarPattern(reader);
  } while (reader.accept(','));
}

function readStarPattern(reader: TokenReader): void {
  if (reader.accept('*')) reader.expectIdentifier('the name of a pattern');
  else readPattern(reader);
}

function readPattern(reader: TokenReader): void {
  do readClosedPattern(reader);
  while (reader.accept('|'));
  if (reader.accept('as')) reader.expectIdentifier('the name of a pattern');
}

function readClosedPattern(reader: TokenReader): void {
  const { kind } = reader.current;
  if (reader.is('-') || kind === 'number') readNumberPattern(reader);
  else if (reader.accept('(')) readSequencePattern(reader, ')');
  else if (reader.accept('[')) readSequencePattern(reader, ']');
  else if (reader.accept('{')) readMappingPattern(reader);
  else if (reader.isIdentifier()) readNamePattern(reader);
  else readPrimary(reader);
}

/** A name, a value with dots, or a class. */
function readNamePattern(reader: TokenReader): void {
  reader.take();
  while (reader.accept('.')) reader.expectIdentifier('the name of an attribute');
  if (reader.accept('(')) readClassPattern(reader);
}

/** A number with a sign, or a complex number such as `1 + 2j`. */
function readNumberPattern(reader: TokenReader): void {
  reader.accept('-');
  reader.expectKind('number', 'a number is missing after "-"');
  if (reader.accept('+') || reader.accept('-')) reader.expectKind('number', 'the imaginary part is missing');
}

function readSequencePattern(reader: TokenReader, end: string): void {
  while (!reader.is(end)) {
    readStarPattern(reader);
    if (!reader.accept(',')) break;
  }
  reader.expect(end, 'in the pattern');
}

function readMappingPattern(reader: TokenReader): void {
  while (!reader.is('}')) {
    if (reader.accept('**')) reader.expectIdentifier('the name of a pattern');
    else {
      readClosedPattern(reader);
      reader.expect(':', 'after the key of the pattern');
      readPattern(reader);
    }
    if (!reader.accept(',')) break;
  }
  reader.expect('}', 'in the pattern');
}

function readClassPattern(reader: TokenReader): void {
  while (!reader.is(')')) {
    if (reader.isIdentifier() && reader.peek().text === '=') {
      reader.take();
      reader.take();
    }
    readPattern(reader);
    if (!reader.accept(',')) break;
  }
  reader.expect(')', 'in the pattern');
}
