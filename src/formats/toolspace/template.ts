// Parses text with tokens. Actions use ${input.a.b} and ${env.NAME}; the smoke test uses the older ${NAME}.
// There is no escape: "${" always starts a token, so that a mistyped token is never sent as literal text.
import type { Template, TemplatePart } from '../../model/template.js';

export type TokenDialect = 'action' | 'smoke';

export interface TokenProblem {
  /** The token as written. */
  readonly token: string;
  readonly reason: string;
  readonly hint: string;
}

export interface ParsedTemplate {
  readonly template: Template;
  readonly problems: readonly TokenProblem[];
}

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;
const upperCaseName = /^[A-Z][A-Z0-9_]*$/;

export function parseTemplate(text: string, dialect: TokenDialect = 'action'): ParsedTemplate {
  const parts: TemplatePart[] = [];
  const problems: TokenProblem[] = [];
  const addText = (piece: string) => {
    if (piece !== '') parts.push({ kind: 'text', text: piece });
  };
  let at = 0;
  for (let open = text.indexOf('${'); open !== -1; open = text.indexOf('${', at)) {
    addText(text.slice(at, open));
    const close = text.indexOf('}', open + 2);
    if (close === -1) {
      const token = text.slice(open);
      problems.push({ token, reason: '"}" is missing', hint: 'end it with "}"' });
      at = text.length;
      break;
    }
    const read = readToken(text.slice(open + 2, close), dialect);
    if ('kind' in read) parts.push(read);
    else problems.push({ token: text.slice(open, close + 1), ...read });
    at = close + 1;
  }
  addText(text.slice(at));
  return { template: { parts }, problems };
}

type TokenError = Omit<TokenProblem, 'token'>;

function readToken(content: string, dialect: TokenDialect): TemplatePart | TokenError {
  if (dialect === 'smoke') return readSmokeToken(content);
  if (content.startsWith('env.')) {
    const name = content.slice('env.'.length);
    if (variableName.test(name)) return { kind: 'slot', slot: name };
    return {
      reason: 'the part after "env." is not a variable name',
      hint: `write it like \${env.API_KEY}`,
    };
  }
  if (content.startsWith('input.')) {
    const path = content.slice('input.'.length).split('.');
    if (path.every((step) => step !== '' && step.trim() === step && !step.includes('{')))
      return { kind: 'input', path };
    return {
      reason: 'the part after "input." is not a path',
      hint: `write it like \${input.name} or \${input.a.b}`,
    };
  }
  if (upperCaseName.test(content)) {
    return { reason: 'in actions, a token starts with "input." or "env."', hint: `write \${env.${content}}` };
  }
  return {
    reason: 'it starts neither with "input." nor with "env."',
    hint: `tokens are \${input.name} and \${env.NAME}`,
  };
}

function readSmokeToken(content: string): TemplatePart | TokenError {
  if (upperCaseName.test(content)) return { kind: 'slot', slot: content };
  const name = content.startsWith('env.') ? content.slice('env.'.length) : '';
  if (variableName.test(name)) {
    return { reason: 'the smoke test uses variables without "env."', hint: `write \${${name}}` };
  }
  return {
    reason: 'it is not a variable name',
    hint: `the smoke test supports only \${NAME} with a name from env`,
  };
}
