// Reads text with tokens. Actions write ${input.a.b} and ${env.NAME}; the smoke check keeps the older ${NAME}.
// There is no escape: "${" always opens a token, so that a mistyped one is never sent as it stands.
import type { Template, TemplatePart } from '../../model/template.js';

export type TokenDialect = 'action' | 'smoke';

export interface TokenProblem {
  /** As it is written. */
  readonly token: string;
  readonly reason: string;
  readonly hint: string;
}

export interface ReadTemplate {
  readonly template: Template;
  readonly problems: readonly TokenProblem[];
}

const variable = /^[A-Za-z_][A-Za-z0-9_]*$/;
const capitals = /^[A-Z][A-Z0-9_]*$/;

export function readTemplate(text: string, dialect: TokenDialect = 'action'): ReadTemplate {
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
      problems.push({ token, reason: 'it is never closed', hint: 'close it with "}"' });
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

type Misread = Omit<TokenProblem, 'token'>;

function readToken(content: string, dialect: TokenDialect): TemplatePart | Misread {
  if (dialect === 'smoke') return readSmokeToken(content);
  if (content.startsWith('env.')) {
    const name = content.slice('env.'.length);
    if (variable.test(name)) return { kind: 'slot', slot: name };
    return { reason: 'what follows "env." is no variable', hint: `write it like \${env.API_KEY}` };
  }
  if (content.startsWith('input.')) {
    const path = content.slice('input.'.length).split('.');
    if (path.every((step) => step !== '' && step.trim() === step && !step.includes('{')))
      return { kind: 'input', path };
    return {
      reason: 'what follows "input." is no path',
      hint: `write it like \${input.name} or \${input.a.b}`,
    };
  }
  if (capitals.test(content)) {
    return { reason: 'actions name the kind of a token', hint: `write \${env.${content}}` };
  }
  return {
    reason: 'it begins neither with "input." nor with "env."',
    hint: `tokens are \${input.name} and \${env.NAME}`,
  };
}

function readSmokeToken(content: string): TemplatePart | Misread {
  if (capitals.test(content)) return { kind: 'slot', slot: content };
  const name = content.startsWith('env.') ? content.slice('env.'.length) : '';
  if (variable.test(name)) {
    return { reason: 'the smoke check names variables without "env."', hint: `write \${${name}}` };
  }
  return { reason: 'it is no variable', hint: `the smoke check knows \${NAME} of env only` };
}
