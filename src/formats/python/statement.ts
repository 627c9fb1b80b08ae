import {
  checkTarget,
  readCallArguments,
  readExpression,
  readExpressions,
  readNamed,
  readPrimary,
  readTargets,
} from './expression.js';
import { readParameters } from './parameters.js';
import { readPatterns } from './pattern.js';
import { readSimpleLine } from './simple-statement.js';
import { PythonSyntaxError } from './token.js';
import type { Scope, TokenReader } from './token-reader.js';
import { readTypeParameters } from './type-parameters.js';

/** Reads all statements up to the end. Throws a `PythonSyntaxError` at the first one that does not compile. */
export function readFile(reader: TokenReader): void {
  while (!reader.isKind('end')) readStatement(reader);
}

function readStatement(reader: TokenReader): void {
  const { kind, text } = reader.current;
  if (kind !== 'name' && !reader.is('@')) {
    readSimpleLine(reader);
    return;
  }
  switch (text) {
    case 'if':
      readIf(reader);
      return;
    case 'while':
      reader.take();
      readNamed(reader);
      readLoopBody(reader, 'while');
      return;
    case 'for':
      readFor(reader);
      return;
    case 'try':
      readTry(reader);
      return;
    case 'with':
      readWith(reader);
      return;
    case 'def':
      readFunction(reader, 'function');
      return;
    case 'class':
      readClass(reader);
      return;
    case 'async':
      readAsync(reader);
      return;
    case '@':
      readDecorated(reader);
      return;
    case 'match':
      if (isMatch(reader)) readMatch(reader);
      else readSimpleLine(reader);
      return;
    default:
      readSimpleLine(reader);
      return;
  }
}

/** The block after a header. `what` names the header in messages. */
function readBlock(reader: TokenReader, what: string): void {
  reader.checkAwait();
  if (!reader.is(':')) reader.fail(`":" is missing after ${what}`);
  reader.take();
  if (!reader.isKind('newline')) {
    readSimpleLine(reader);
    return;
  }
  reader.take();
  if (!reader.isKind('indent')) {
    const place = reader.isKind('end') ? reader.peek(-1) : reader.current;
    reader.fail(`an indented block is missing after ${what}`, place);
  }
  reader.take();
  while (!reader.isKind('dedent') && !reader.isKind('end')) readStatement(reader);
  if (reader.isKind('dedent')) reader.take();
}

function readBlockIn(reader: TokenReader, scope: Scope, what: string): void {
  reader.within(scope, () => readBlock(reader, what));
}

function readIf(reader: TokenReader): void {
  reader.take();
  readNamed(reader);
  readBlock(reader, 'the condition of "if"');
  while (reader.accept('elif')) {
    readNamed(reader);
    readBlock(reader, 'the condition of "elif"');
  }
  if (reader.accept('else')) readBlock(reader, '"else"');
}

function readLoopBody(reader: TokenReader, what: string): void {
  readBlockIn(reader, { ...reader.scope, inLoop: true }, `the header of "${what}"`);
  if (reader.accept('else')) readBlock(reader, '"else"');
}

function readFor(reader: TokenReader): void {
  reader.expect('for');
  readTargets(reader);
  reader.expect('in', 'after the names of the loop');
  readExpressions(reader, { starred: true });
  readLoopBody(reader, 'for');
}

function readTry(reader: TokenReader): void {
  reader.expect('try');
  readBlock(reader, '"try"');
  let handlers = 0;
  let catchesAll = false;
  while (reader.is('except')) {
    if (catchesAll) reader.fail('"except:" must be the last one');
    reader.take();
    reader.accept('*');
    catchesAll = reader.is(':');
    if (!catchesAll) {
      readExpression(reader);
      if (reader.is(','))
        reader.fail('several exceptions need parentheses; a name for the exception needs "as"');
      if (reader.accept('as')) reader.expectIdentifier('the name of the exception');
    }
    readBlock(reader, '"except"');
    handlers++;
  }
  if (handlers > 0 && reader.accept('else')) readBlock(reader, '"else"');
  if (reader.accept('finally')) readBlock(reader, '"finally"');
  else if (handlers === 0) reader.fail('"try" has no "except" and no "finally"');
}

function readWith(reader: TokenReader): void {
  reader.expect('with');
  const start = reader.index;
  if (!reader.is('(') || !readEnclosedItems(reader)) {
    reader.returnTo(start);
    do readWithItem(reader);
    while (reader.accept(','));
  }
  readBlock(reader, 'the header of "with"');
}

/** `with (a as b, c as d):`. False if the parentheses are only a part of the first item. */
function readEnclosedItems(reader: TokenReader): boolean {
  try {
    reader.expect('(');
    do {
      if (reader.is(')')) break;
      readWithItem(reader);
    } while (reader.accept(','));
    return reader.accept(')') && reader.is(':');
  } catch (error) {
    if (error instanceof PythonSyntaxError) return false;
    throw error;
  }
}

function readWithItem(reader: TokenReader): void {
  readExpression(reader);
  if (!reader.accept('as')) return;
  checkTarget(reader, readPrimary(reader));
}

function readFunction(reader: TokenReader, kind: 'function' | 'async-function'): void {
  reader.expect('def');
  reader.expectIdentifier('the name of a function');
  readTypeParameters(reader);
  reader.expect('(', 'after the name of the function');
  const expression = () => void readExpression(reader);
  readParameters(reader, { expression, annotated: true, end: ')' });
  reader.expect(')');
  if (reader.accept('->')) readExpression(reader);
  readBlockIn(reader, { kind, inLoop: false }, 'the header of the function');
}

function readClass(reader: TokenReader): void {
  reader.expect('class');
  reader.expectIdentifier('the name of a class');
  readTypeParameters(reader);
  if (reader.is('(')) readCallArguments(reader);
  readBlockIn(reader, { kind: 'class', inLoop: false }, 'the header of the class');
}

function readAsync(reader: TokenReader): void {
  const token = reader.expect('async');
  if (reader.is('def')) {
    readFunction(reader, 'async-function');
    return;
  }
  if (!reader.is('for') && !reader.is('with')) reader.unexpected();
  if (reader.scope.kind !== 'async-function')
    reader.fail(`"async ${reader.current.text}" is used outside an async function`, token);
  if (reader.is('for')) readFor(reader);
  else readWith(reader);
}

function readDecorated(reader: TokenReader): void {
  while (reader.accept('@')) {
    readNamed(reader);
    reader.expectKind('newline', 'a decorator needs a line of its own');
  }
  if (!reader.is('def') && !reader.is('class') && !(reader.is('async') && reader.peek().text === 'def'))
    reader.fail('a decorator needs a function or a class after it');
  readStatement(reader);
}

/** `match` is also a name. As a statement, its line ends with ":" and the block below starts with `case`. */
function isMatch(reader: TokenReader): boolean {
  let distance = 1;
  while (!['newline', 'end'].includes(reader.peek(distance).kind)) distance++;
  return (
    reader.peek(distance - 1).text === ':' &&
    reader.peek(distance + 1).kind === 'indent' &&
    reader.peek(distance + 2).text === 'case'
  );
}

function readMatch(reader: TokenReader): void {
  reader.expect('match');
  do {
    if (reader.is(':')) break;
    if (reader.accept('*')) readExpression(reader);
    else readNamed(reader);
  } while (reader.accept(','));
  reader.expect(':', 'after the value of "match"');
  reader.expectKind('newline', 'a line end is missing after ":"');
  reader.expectKind('indent', 'an indented block is missing after "match"');
  while (reader.accept('case')) {
    readPatterns(reader);
    if (reader.accept('if')) readNamed(reader);
    readBlock(reader, 'the pattern of "case"');
  }
  reader.expectKind('dedent', 'only "case" is expected here');
}
