import { readParameters } from './parameters.js';
import type { Token } from './token.js';
import type { TokenReader } from './token-reader.js';

/** An expression, with as much as is needed to know where it may be used. */
export interface Expression {
  readonly kind:
    | 'name'
    | 'attribute'
    | 'subscript'
    | 'tuple'
    | 'list'
    | 'starred'
    | 'named'
    | 'call'
    | 'literal'
    | 'yield'
    | 'other';
  readonly token: Token;
  readonly items?: readonly Expression[];
  /** Whether it is in parentheses of its own. */
  readonly enclosed?: boolean;
}

const binaryOperators = new Set('+ - * / // % @ ** & | ^ << >> == != < > <= >= in is'.split(' '));
const unaryOperators = new Set(['+', '-', '~']);

/** `a, *b, c`: one expression, or a tuple without parentheses. */
export function readExpressions(reader: TokenReader, options: { readonly starred: boolean }): Expression {
  const { current } = reader;
  const items = [readItem(reader)];
  while (reader.is(',')) {
    reader.take();
    if (!startsExpression(reader)) break;
    items.push(readItem(reader));
  }
  const isTuple = items.length > 1 || reader.peek(-1).text === ',';
  const [first] = items as [Expression];
  if (!isTuple && first.kind === 'starred' && !options.starred)
    reader.fail('"*" is not allowed here', first.token);
  return isTuple ? { kind: 'tuple', token: current, items } : first;
}

function readItem(reader: TokenReader): Expression {
  return reader.is('*') ? readStarred(reader) : readExpression(reader);
}

function readStarred(reader: TokenReader): Expression {
  const token = reader.expect('*');
  return { kind: 'starred', token, items: [readExpression(reader)] };
}

/** An expression that may assign to a name: `name := value`. */
export function readNamed(reader: TokenReader): Expression {
  const { current: token } = reader;
  const expression = readExpression(reader);
  if (!reader.is(':=')) return expression;
  if (expression.kind !== 'name' || expression.enclosed)
    reader.fail('":=" needs a plain name before it', token);
  reader.take();
  readExpression(reader);
  return { kind: 'named', token };
}

/** A `yield` expression, or what `readExpressions` reads. */
export function readValue(reader: TokenReader): Expression {
  return reader.is('yield') ? readYield(reader) : readExpressions(reader, { starred: true });
}

function readYield(reader: TokenReader): Expression {
  const token = reader.expect('yield');
  if (reader.scope.kind === 'module' || reader.scope.kind === 'class')
    reader.fail('"yield" is used outside a function', token);
  if (reader.accept('from')) readExpression(reader);
  else if (startsExpression(reader)) readExpressions(reader, { starred: true });
  return { kind: 'yield', token };
}

/** One expression without `:=`. */
export function readExpression(reader: TokenReader): Expression {
  let first: Expression | undefined;
  for (;;) {
    if (reader.is('lambda')) {
      const lambda = readLambda(reader);
      return first ?? lambda;
    }
    const expression = readLogical(reader);
    first ??= expression;
    if (!reader.accept('if')) return first;
    first = { kind: 'other', token: first.token };
    readLogical(reader);
    reader.expect('else', 'after the condition');
  }
}

function readLambda(reader: TokenReader): Expression {
  const token = reader.expect('lambda');
  const expression = () => void readExpression(reader);
  readParameters(reader, { expression, annotated: false, end: ':' });
  reader.expect(':');
  reader.within({ kind: 'lambda', inLoop: false }, expression);
  return { kind: 'other', token };
}

/** Operators between operands. Precedence matters only for `not`, which cannot follow an arithmetic operator. */
export function readLogical(reader: TokenReader): Expression {
  let result = readOperand(reader, true);
  for (;;) {
    const { current } = reader;
    let mayNegate = false;
    if (reader.accept('and') || reader.accept('or')) mayNegate = true;
    else if (reader.is('not') && reader.peek().text === 'in') {
      reader.take();
      reader.take();
    } else if (reader.accept('is')) reader.accept('not');
    else if (binaryOperators.has(current.text) && (current.kind === 'op' || current.kind === 'name'))
      reader.take();
    else return result;
    readOperand(reader, mayNegate);
    result = { kind: 'other', token: result.token };
  }
}

function readOperand(reader: TokenReader, mayNegate: boolean): Expression {
  const { current: token } = reader;
  let isPlain = true;
  while (mayNegate && reader.accept('not')) isPlain = false;
  while (unaryOperators.has(reader.current.text) && reader.isKind('op')) {
    reader.take();
    isPlain = false;
  }
  const operand = readPrimary(reader);
  return isPlain ? operand : { kind: 'other', token };
}

/** An atom with what follows it: attributes, calls and subscripts. */
export function readPrimary(reader: TokenReader): Expression {
  const { current: token } = reader;
  const awaits = reader.accept('await');
  if (awaits) reader.noteAwait(token);
  let result = readAtom(reader);
  for (;;) {
    if (reader.accept('.')) {
      reader.expectIdentifier('the name of an attribute');
      result = { kind: 'attribute', token };
    } else if (reader.is('(')) {
      readCallArguments(reader);
      result = { kind: 'call', token };
    } else if (reader.is('[')) {
      readSubscript(reader);
      result = { kind: 'subscript', token };
    } else return awaits ? { kind: 'other', token } : result;
  }
}

function readAtom(reader: TokenReader): Expression {
  const token = reader.current;
  switch (token.kind) {
    case 'number':
      reader.take();
      return { kind: 'literal', token };
    case 'string':
    case 'bytes':
    case 'format-start':
      return readStrings(reader);
    case 'name':
      if (reader.isIdentifier()) {
        reader.take();
        return { kind: 'name', token };
      }
      if (reader.accept('None') || reader.accept('True') || reader.accept('False'))
        return { kind: 'literal', token };
      return reader.unexpected();
    default:
      if (reader.accept('...')) return { kind: 'literal', token };
      if (reader.is('(')) return readParenthesized(reader);
      if (reader.is('[')) return readList(reader);
      if (reader.is('{')) return readBraces(reader);
      return reader.unexpected();
  }
}

/** Strings beside each other are one string. */
function readStrings(reader: TokenReader): Expression {
  const token = reader.current;
  for (;;) {
    const { kind } = reader.current;
    if (kind === 'string' || kind === 'bytes') reader.take();
    else if (kind === 'format-start') readFormatString(reader);
    else return { kind: 'literal', token };
    const next = reader.current.kind;
    const isString = next === 'string' || next === 'bytes' || next === 'format-start';
    if (isString && (next === 'bytes') !== (token.kind === 'bytes'))
      reader.fail('bytes and text cannot be joined in one literal');
  }
}

function readFormatString(reader: TokenReader): void {
  reader.take();
  while (!reader.isKind('format-end')) readField(reader);
  reader.take();
}

/** One field of a formatted string, whose format may have fields too. */
function readField(reader: TokenReader): void {
  reader.expect('{');
  if (reader.is('}') || reader.is('!') || reader.is(':') || reader.is('='))
    reader.fail('a field of a formatted string needs an expression');
  readValue(reader);
  reader.accept('=');
  if (reader.accept('!')) {
    const { kind, text } = reader.current;
    if (kind !== 'name' || !/^[rsa]$/.test(text)) reader.fail('the conversion after "!" must be r, s or a');
    reader.take();
  }
  if (reader.accept(':')) while (reader.is('{')) readField(reader);
  reader.expect('}', 'in the formatted string');
}

function readParenthesized(reader: TokenReader): Expression {
  const token = reader.expect('(');
  if (reader.accept(')')) return { kind: 'tuple', token, items: [], enclosed: true };
  if (reader.is('yield')) {
    const result = readYield(reader);
    reader.expect(')');
    return { ...result, enclosed: true };
  }
  const items = readItems(reader, ')');
  const [first] = items as [Expression];
  const isTuple = items.length > 1 || reader.peek(-2).text === ',';
  if (isTuple) return { kind: 'tuple', token, items, enclosed: true };
  if (first.kind === 'starred') reader.fail('"*" is not allowed here', first.token);
  return { ...first, enclosed: true };
}

function readList(reader: TokenReader): Expression {
  const token = reader.expect('[');
  if (reader.accept(']')) return { kind: 'list', token, items: [] };
  const items = readItems(reader, ']');
  const isComprehension = items[0]?.kind === 'other' && items[0].items !== undefined;
  return isComprehension ? { kind: 'other', token } : { kind: 'list', token, items };
}

/** The items of a list, tuple or set up to the closing bracket, or one comprehension. */
function readItems(reader: TokenReader, end: string): Expression[] {
  const items: Expression[] = [];
  do {
    if (reader.is(end)) break;
    items.push(reader.is('*') ? readStarred(reader) : readNamed(reader));
    if (items.length === 1 && startsComprehension(reader)) {
      const { token } = items[0] as Expression;
      readComprehension(reader);
      reader.expect(end, 'after the comprehension');
      if (end === ')') reader.allowAwait(token.at);
      return [{ kind: 'other', token, items: [] }];
    }
  } while (reader.accept(','));
  closeList(reader, end);
  return items;
}

function closeList(reader: TokenReader, end: string): void {
  if (reader.accept(end)) return;
  const { kind, text } = reader.current;
  const startsValue = kind === 'name' ? reader.isIdentifier() : kind !== 'op' && kind !== 'newline';
  if (startsValue) reader.fail(`"," is missing before ${text === '' ? 'this' : `"${text}"`}`);
  reader.unexpected();
}

function readBraces(reader: TokenReader): Expression {
  const token = reader.expect('{');
  if (reader.accept('}')) return { kind: 'literal', token };
  const isDictionary = readEntry(reader);
  if (startsComprehension(reader)) {
    readComprehension(reader);
    reader.expect('}', 'after the comprehension');
    return { kind: 'other', token };
  }
  while (reader.accept(',')) {
    if (reader.is('}')) break;
    const place = reader.current;
    if (readEntry(reader) !== isDictionary)
      reader.fail(
        isDictionary ? 'this entry of the dictionary has no value' : 'a set has no values with ":"',
        place,
      );
  }
  closeList(reader, '}');
  return { kind: 'literal', token };
}

/** One entry of a dictionary (true) or a set (false). */
function readEntry(reader: TokenReader): boolean {
  if (reader.accept('**')) {
    readLogical(reader);
    return true;
  }
  if (reader.is('*')) {
    readStarred(reader);
    return false;
  }
  const key = readNamed(reader);
  if (!reader.is(':')) return false;
  if (key.kind === 'named' && !key.enclosed)
    reader.fail('":=" needs parentheses in the key of a dictionary', key.token);
  reader.take();
  readExpression(reader);
  return true;
}

function startsComprehension(reader: TokenReader): boolean {
  return reader.is('for') || (reader.is('async') && reader.peek().text === 'for');
}

function readComprehension(reader: TokenReader): void {
  while (startsComprehension(reader)) {
    reader.accept('async');
    reader.expect('for');
    readTargets(reader);
    reader.expect('in', 'in the comprehension');
    readLogical(reader);
    while (reader.accept('if')) readLogical(reader);
  }
}

/** The names that a loop or a comprehension assigns to. */
export function readTargets(reader: TokenReader): void {
  const { current: token } = reader;
  const items: Expression[] = [];
  do {
    if (items.length > 0 && (reader.is('in') || reader.is('='))) break;
    const star = reader.current;
    if (reader.accept('*')) items.push({ kind: 'starred', token: star, items: [readPrimary(reader)] });
    else items.push(readPrimary(reader));
  } while (reader.accept(','));
  const isTuple = items.length > 1 || reader.peek(-1).text === ',';
  checkTarget(reader, isTuple ? { kind: 'tuple', token, items } : (items[0] as Expression));
}

function readSubscript(reader: TokenReader): void {
  reader.expect('[');
  if (reader.is(']')) reader.fail('the subscript is empty');
  do {
    if (reader.is(']')) break;
    if (reader.is('*')) readStarred(reader);
    else {
      if (!reader.is(':')) readNamed(reader);
      for (let colons = 0; colons < 2 && reader.accept(':'); colons++) {
        if (!reader.is(':') && !reader.is(',') && !reader.is(']')) readExpression(reader);
      }
    }
  } while (reader.accept(','));
  closeList(reader, ']');
}

/** The arguments of a call or of a class, with their parentheses. */
export function readCallArguments(reader: TokenReader): void {
  reader.expect('(');
  const names = new Set<string>();
  let unpacks = false;
  for (let count = 0; !reader.is(')'); count++) {
    const token = reader.current;
    if (reader.accept('**')) {
      readExpression(reader);
      unpacks = true;
    } else if (reader.accept('*')) {
      if (unpacks) reader.fail('"*" is not allowed after "**"', token);
      readExpression(reader);
    } else if (reader.isIdentifier() && reader.peek().text === '=') {
      reader.take();
      reader.take();
      if (names.has(token.text)) reader.fail(`the argument "${token.text}" occurs twice`, token);
      names.add(token.text);
      readExpression(reader);
    } else {
      readNamed(reader);
      if (startsComprehension(reader)) {
        readComprehension(reader);
        reader.allowAwait(token.at);
        if (count > 0 || (reader.is(',') && reader.peek().text !== ')'))
          reader.fail('a generator beside other arguments needs parentheses', token);
      }
      if (names.size > 0 || unpacks)
        reader.fail('an argument without a name cannot follow one with a name', token);
    }
    if (!reader.accept(',')) break;
  }
  closeList(reader, ')');
}

/** Fails if nothing can be assigned to an expression. */
export function checkTarget(reader: TokenReader, target: Expression): void {
  const { kind, token, items = [] } = target;
  switch (kind) {
    case 'name':
    case 'attribute':
    case 'subscript':
      return;
    case 'tuple':
    case 'list':
      for (const it of items) checkTarget(reader, it.kind === 'starred' ? (it.items?.[0] as Expression) : it);
      if (items.filter((it) => it.kind === 'starred').length > 1)
        reader.fail('only one name of an assignment may have "*"', token);
      return;
    case 'starred':
      reader.fail('"*" is allowed only in a list of names', token);
      return;
    case 'call':
      reader.fail('a value cannot be assigned to a call', token);
      return;
    case 'literal':
      reader.fail('a value cannot be assigned to a literal', token);
      return;
    default:
      reader.fail('a value cannot be assigned to this expression', token);
      return;
  }
}

const startOperators = new Set(['(', '[', '{', '+', '-', '~', '*', '...']);
const startKeywords = new Set(['not', 'lambda', 'await', 'None', 'True', 'False']);

function startsExpression(reader: TokenReader): boolean {
  const { kind, text } = reader.current;
  if (kind === 'op') return startOperators.has(text);
  if (kind === 'name') return reader.isIdentifier() || startKeywords.has(text);
  return kind === 'number' || kind === 'string' || kind === 'bytes' || kind === 'format-start';
}
