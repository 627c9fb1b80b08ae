import { keywords, PythonSyntaxError, type PythonTokenKind, type Token } from './token.js';

/** What encloses a statement or an expression. */
export interface Scope {
  readonly kind: 'module' | 'class' | 'function' | 'async-function' | 'lambda';
  /** Whether the place is in a loop of this scope. */
  readonly inLoop: boolean;
}

/** The Python compiler has a limit too, which depends on the version. */
const maxScopes = 500;

/** Reads tokens from left to right, with the scope of the current place. */
export class TokenReader {
  scope: Scope = { kind: 'module', inLoop: false };
  /** An `await` outside an async function. It is allowed in a generator, which may be recognized after it. */
  #await: Token | undefined;
  #index = 0;
  #depth = 0;
  readonly #tokens: readonly Token[];

  /** The last token must be of kind `end`. */
  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get current(): Token {
    return this.#tokens[this.#index] as Token;
  }

  /** The position, to return to it later. */
  get index(): number {
    return this.#index;
  }

  peek(distance = 1): Token {
    return this.#tokens[Math.min(this.#index + distance, this.#tokens.length - 1)] as Token;
  }

  take(): Token {
    const token = this.current;
    if (token.kind !== 'end') this.#index++;
    return token;
  }

  returnTo(index: number): void {
    this.#index = index;
  }

  /** Whether the current token is this operator or keyword. */
  is(text: string): boolean {
    const { kind, text: own } = this.current;
    return own === text && (kind === 'op' || kind === 'name');
  }

  isKind(kind: PythonTokenKind): boolean {
    return this.current.kind === kind;
  }

  /** Whether the current token is a name that is not a keyword. */
  isIdentifier(): boolean {
    return this.current.kind === 'name' && !keywords.has(this.current.text);
  }

  accept(text: string): boolean {
    if (!this.is(text)) return false;
    this.#index++;
    return true;
  }

  /** Takes an operator or keyword. `after` says where it is missing, such as "after the condition". */
  expect(text: string, after = ''): Token {
    if (this.is(text)) return this.take();
    return this.fail(`"${text}" is missing${after === '' ? ' here' : ` ${after}`}`);
  }

  expectKind(kind: PythonTokenKind, message: string): Token {
    return this.isKind(kind) ? this.take() : this.fail(message);
  }

  expectIdentifier(what: string): Token {
    if (this.isIdentifier()) return this.take();
    const { kind, text } = this.current;
    return this.fail(
      kind === 'name' ? `"${text}" is a keyword and cannot be ${what}` : `${what} is missing here`,
    );
  }

  noteAwait(token: Token): void {
    if (this.scope.kind !== 'async-function') this.#await ??= token;
  }

  /** What was read from `at` on is a generator. */
  allowAwait(at: number): void {
    if (this.#await !== undefined && this.#await.at >= at) this.#await = undefined;
  }

  checkAwait(): void {
    if (this.#await !== undefined) this.fail('"await" is used outside an async function', this.#await);
  }

  /** Runs a function in another scope. */
  within<T>(scope: Scope, run: () => T): T {
    if (++this.#depth > maxScopes) this.fail('the code is nested too deeply');
    const outer = this.scope;
    this.scope = scope;
    const result = run();
    this.scope = outer;
    this.#depth--;
    return result;
  }

  fail(message: string, token: { readonly at: number; readonly end: number } = this.current): never {
    throw new PythonSyntaxError({ at: token.at, end: Math.max(token.end, token.at), message });
  }

  /** Fails at the current token with a message that fits it. */
  unexpected(): never {
    const { kind, text } = this.current;
    switch (kind) {
      case 'indent':
        return this.fail('this line is indented more than the block around it');
      case 'newline':
        return this.fail('the line is not complete');
      case 'dedent':
      case 'end':
        return this.fail('the code ends too early');
      case 'number':
        return this.fail(`the number ${text} is not expected here`);
      case 'string':
      case 'bytes':
      case 'format-start':
      case 'format-end':
        return this.fail('a string is not expected here');
      default:
        return this.fail(`"${text}" is not expected here`);
    }
  }
}
