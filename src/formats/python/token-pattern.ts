// Sticky patterns: each matches at the position of the lexer.
export const blanks = /[ \t\f]*/y;
export const lineBreak = /\r\n|\n|\r/y;
export const nameToken = /[\p{ID_Start}_][\p{ID_Continue}]*/uy;
export const numberLiteral =
  /0[xX](?:_?[\da-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|(?:\d(?:_?\d)*\.(?:\d(?:_?\d)*)?|\.\d(?:_?\d)*|\d(?:_?\d)*)(?:[eE][+-]?\d(?:_?\d)*)?[jJ]?/y;
export const operatorToken =
  /\*\*=|\/\/=|>>=|<<=|\.\.\.|->|:=|[-+*/%&|^@=!<>]=|\*\*|\/\/|<<|>>|<>|[-+*/%&|^~<>()[\]{},:;.=@]/y;
export const closerOf: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
