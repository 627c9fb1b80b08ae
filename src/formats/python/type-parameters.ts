import { readExpression } from './expression.js';
import type { TokenReader } from './token-reader.js';

/** Reads a list such as `[T: int = str, *Ts, **P]`, if there is one. */
export function readTypeParameters(reader: TokenReader): void {
  if (!reader.accept('[')) return;
  if (reader.is(']')) reader.fail('the list of type parameters is empty');
  do {
    if (reader.is(']')) break;
    const isStar = reader.accept('*');
    if (!isStar) reader.accept('**');
    reader.expectIdentifier('the name of a type parameter');
    if (reader.accept(':')) readExpression(reader);
    if (reader.accept('=')) {
      if (isStar) reader.accept('*');
      readExpression(reader);
    }
  } while (reader.accept(','));
  reader.expect(']', 'after the type parameters');
}
