import { checkTarget, type Expression, readExpression, readExpressions, readValue } from './expression.js';
import { keywords } from './token.js';
import type { TokenReader } from './token-reader.js';
import { readTypeParameters } from './type-parameters.js';

/** Reads one line of statements without a block. */
export function readSimpleLine(reader: TokenReader): void {
  do {
    if (reader.isKind('newline')) break;
    readSimple(reader);
    reader.checkAwait();
  } while (reader.accept(';'));
  if (reader.isKind('newline')) reader.take();
  else reader.unexpected();
}

function readSimple(reader: TokenReader): void {
  const token = reader.current;
  const { kind, inLoop } = reader.scope;
  const inFunction = kind === 'function' || kind === 'async-function';
  if (token.kind !== 'name') {
    readAssignment(reader);
    return;
  }
  switch (token.text) {
    case 'pass':
      return void reader.take();
    case 'break':
    case 'continue':
      if (!inLoop) reader.fail(`"${token.text}" is used outside a loop`);
      return void reader.take();
    case 'return':
      if (!inFunction) reader.fail('"return" is used outside a function');
      reader.take();
      if (!endsSimple(reader)) readExpressions(reader, { starred: true });
      return;
    case 'raise':
      reader.take();
      if (endsSimple(reader)) return;
      readExpression(reader);
      if (reader.accept('from')) readExpression(reader);
      return;
    case 'assert':
      reader.take();
      readExpression(reader);
      if (reader.accept(',')) readExpression(reader);
      return;
    case 'del':
      reader.take();
      checkTarget(reader, withoutStars(reader, readExpressions(reader, { starred: false })));
      return;
    case 'global':
    case 'nonlocal':
      if (token.text === 'nonlocal' && kind === 'module')
        reader.fail('"nonlocal" is used outside a function');
      reader.take();
      do reader.expectIdentifier('the name of a variable');
      while (reader.accept(','));
      return;
    case 'import':
      reader.take();
      readImport(reader);
      return;
    case 'from':
      readFromImport(reader);
      return;
    case 'type':
      if (isTypeAlias(reader)) readTypeAlias(reader);
      else readAssignment(reader);
      return;
    default:
      readAssignment(reader);
      return;
  }
}

function withoutStars(reader: TokenReader, target: Expression): Expression {
  for (const it of target.items ?? [])
    if (it.kind === 'starred') reader.fail('"*" is not allowed in "del"', it.token);
  return target;
}

function endsSimple(reader: TokenReader): boolean {
  return reader.isKind('newline') || reader.is(';');
}

function isTypeAlias(reader: TokenReader): boolean {
  const { kind, text } = reader.peek();
  return kind === 'name' && !keywords.has(text);
}

function readTypeAlias(reader: TokenReader): void {
  reader.take();
  reader.take();
  readTypeParameters(reader);
  reader.expect('=', 'after the name of the type');
  readExpression(reader);
}

function readDottedName(reader: TokenReader): void {
  do reader.expectIdentifier('the name of a module');
  while (reader.accept('.'));
}

function readImport(reader: TokenReader): void {
  do {
    readDottedName(reader);
    if (reader.accept('as')) reader.expectIdentifier('the name of a module');
  } while (reader.accept(','));
}

function readFromImport(reader: TokenReader): void {
  reader.expect('from');
  let dots = 0;
  while (reader.accept('.') || reader.accept('...')) dots++;
  if (dots === 0 || !reader.is('import')) readDottedName(reader);
  reader.expect('import', 'after the name of the module');
  if (reader.is('*')) {
    if (reader.scope.kind !== 'module') reader.fail('"import *" is allowed only at the top level');
    return void reader.take();
  }
  const enclosed = reader.accept('(');
  do {
    if (enclosed && reader.is(')') && reader.peek(-1).text === ',') break;
    reader.expectIdentifier('the name of an import');
    if (reader.accept('as')) reader.expectIdentifier('the name of an import');
  } while (reader.accept(','));
  if (enclosed) reader.expect(')', 'after the imported names');
}

const augmented = new Set('+= -= *= /= //= %= @= &= |= ^= >>= <<= **='.split(' '));

/** An expression, or an assignment of any kind. */
function readAssignment(reader: TokenReader): void {
  const first = reader.current;
  let target = readValue(reader);
  if (reader.is(':=')) reader.fail('":=" needs parentheses here; write "=" to assign a value');
  if (reader.is(':') && target.kind !== 'yield') {
    readAnnotation(reader, target);
    return;
  }
  if (augmented.has(reader.current.text) && reader.isKind('op')) {
    if (target.kind === 'tuple' || target.kind === 'list')
      reader.fail(`"${reader.current.text}" cannot assign to several names`, target.token);
    checkTarget(reader, target);
    reader.take();
    readValue(reader);
    return;
  }
  if (!reader.is('=')) {
    const isAlone = target.kind === 'starred';
    if (isAlone) reader.fail('"*" is not allowed here', target.token);
    if (!endsSimple(reader)) failAfter(reader, first.text, target);
    return;
  }
  while (reader.accept('=')) {
    checkTarget(reader, target);
    target = readValue(reader);
  }
  if (target.kind === 'starred') reader.fail('"*" is not allowed here', target.token);
}

/** Two values beside each other: usually a missing operator, comma or pair of parentheses. */
function failAfter(reader: TokenReader, first: string, value: Expression): never {
  if (value.kind === 'name' && (first === 'print' || first === 'exec'))
    return reader.fail(`${first} is a function; write ${first}(…)`, value.token);
  return reader.unexpected();
}

function readAnnotation(reader: TokenReader, target: Expression): void {
  if (target.kind === 'tuple' || target.kind === 'list')
    reader.fail('only a single name can have a type', target.token);
  if (!['name', 'attribute', 'subscript'].includes(target.kind)) reader.unexpected();
  reader.take();
  readExpression(reader);
  if (reader.accept('=')) readValue(reader);
}
