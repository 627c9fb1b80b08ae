import type { Token } from './token.js';
import type { TokenReader } from './token-reader.js';

/** How the parts of a parameter are read. */
export interface ParameterParts {
  /** Reads a default or an annotation. */
  readonly expression: () => void;
  /** Whether parameters may have annotations: in `def`, but not in `lambda`. */
  readonly annotated: boolean;
  /** The token that ends the list. It is not taken. */
  readonly end: string;
}

/** Reads the parameters of a function and checks their order and their names. */
export function readParameters(reader: TokenReader, { expression, annotated, end }: ParameterParts): void {
  const names = new Set<string>();
  let hasDefault = false;
  /** `before`: no star yet. `bare`: a bare star needs a parameter after it. */
  let stars: 'before' | 'bare' | 'after' | 'closed' = 'before';
  let hasSlash = false;
  const addName = (token: Token) => {
    if (names.has(token.text)) reader.fail(`the parameter "${token.text}" occurs twice`, token);
    names.add(token.text);
  };
  const annotation = (isStar: boolean) => {
    if (!annotated || !reader.accept(':')) return;
    if (isStar) reader.accept('*');
    expression();
  };
  while (!reader.is(end)) {
    if (stars === 'closed') reader.fail('no parameter may follow the one with "**"');
    const first = reader.current;
    if (reader.accept('/')) {
      if (hasSlash || names.size === 0 || stars !== 'before') reader.fail('"/" is not allowed here', first);
      hasSlash = true;
    } else if (reader.accept('**')) {
      if (stars === 'bare') reader.fail('a named parameter must follow the bare "*"', first);
      stars = 'closed';
      addName(reader.expectIdentifier('the name of a parameter'));
      annotation(false);
      if (reader.is('=')) reader.fail('the parameter with "**" cannot have a default');
    } else if (reader.accept('*')) {
      if (stars !== 'before') reader.fail('"*" may occur only once', first);
      stars = 'bare';
      if (reader.isIdentifier()) {
        stars = 'after';
        addName(reader.take());
        annotation(true);
        if (reader.is('=')) reader.fail('the parameter with "*" cannot have a default');
      }
    } else {
      const name = reader.expectIdentifier('the name of a parameter');
      addName(name);
      annotation(false);
      if (reader.accept('=')) {
        hasDefault = true;
        expression();
      } else if (hasDefault && stars === 'before') {
        reader.fail(`the parameter "${name.text}" needs a default, because one before it has one`, name);
      }
      if (stars === 'bare') stars = 'after';
    }
    if (!reader.accept(',')) break;
  }
  if (!reader.is(end)) reader.fail(`"," or "${end}" is missing after the parameter`);
  if (stars === 'bare') reader.fail('a named parameter must follow the bare "*"');
}
