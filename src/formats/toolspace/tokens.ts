import { isObject, type Json, type JsonObject, type JsonPath } from '../../model/json.js';
import type { TemplatePart } from '../../model/template.js';
import { nameOf, show } from '../check.js';
import type { Report } from '../report.js';
import { suggest } from '../suggest.js';
import type { Variables } from './env.js';
import { lookUp } from './input-schema.js';
import { readTemplate, type TokenDialect } from './template.js';

/** Where the filled-in text goes: this decides what may be filled in. */
export type Destination = 'argv' | 'path' | 'header' | 'body';

export interface TokenScope {
  readonly variables: Variables;
  /** Schema of the input; undefined where there is none. */
  readonly input: JsonObject | undefined;
  readonly dialect: TokenDialect;
}

/** Checks all tokens of one text and returns the inputs that it names. */
export function checkTokens(
  report: Report,
  text: Json | undefined,
  path: JsonPath,
  destination: Destination,
  scope: TokenScope,
): readonly (readonly string[])[] {
  if (typeof text !== 'string') return [];
  const { template, problems } = readTemplate(text, scope.dialect);
  for (const { token, reason, hint } of problems) {
    const message = `${show(token)} in ${nameOf(path)} is no token: ${reason}`;
    report.at('toolspace.malformed-token', path, message, { hint });
  }
  const inputs: (readonly string[])[] = [];
  const seen = new Set<string>();
  for (const part of template.parts) {
    const key = JSON.stringify(part);
    if (part.kind === 'text' || seen.has(key)) continue;
    seen.add(key);
    if (part.kind === 'slot') checkVariable(report, part.slot, path, destination, scope);
    else {
      inputs.push(part.path);
      checkInput(report, part, path, scope.input);
    }
  }
  return inputs;
}

function checkVariable(
  report: Report,
  name: string,
  path: JsonPath,
  destination: Destination,
  { variables, dialect }: TokenScope,
): void {
  const token = dialect === 'smoke' ? `\${${name}}` : `\${env.${name}}`;
  const variable = variables.get(name);
  if (variable === undefined) {
    const meant = suggest(name, variables.keys());
    const hint = meant === undefined ? 'declare it in env' : `did you mean ${meant}?`;
    report.at('toolspace.unknown-env', path, `${token} in ${nameOf(path)} is not declared in env`, { hint });
    return;
  }
  if (variable.secret && destination === 'argv') {
    const message = `${token} in ${nameOf(path)} puts a secret on the command line, where every process sees it`;
    report.at('toolspace.secret-in-argv', path, message, {
      hint: 'let the program read it from its environment, where it is set anyway',
    });
  }
  if (variable.secret && destination === 'path') {
    const message = `${token} in ${nameOf(path)} puts a secret into a URL, which logs and proxies keep`;
    report.at('toolspace.secret-in-url', path, message, { hint: 'send it in a header' });
  }
  if (variable.optional) {
    const message = `${token} in ${nameOf(path)} may have no value: ${name} is not required and has no default`;
    report.at('toolspace.optional-token', path, message, {
      hint: 'make it required or give it a default; without a value the token cannot be filled in',
    });
  }
}

function checkInput(
  report: Report,
  part: Extract<TemplatePart, { kind: 'input' }>,
  path: JsonPath,
  schema: JsonObject | undefined,
): void {
  const name = part.path.join('.');
  const token = `\${input.${name}}`;
  const { presence, known } = lookUp(schema ?? {}, part.path);
  if (presence === 'unknown') {
    const meant = part.path.map((step) => suggest(step, known)).find((it) => it !== undefined);
    const hint =
      schema === undefined
        ? 'add "input" with a property for it'
        : meant === undefined
          ? 'declare it in the properties of input'
          : `did you mean ${show(meant)}?`;
    const message = `${token} in ${nameOf(path)} is not declared in the action's input`;
    report.at('toolspace.unknown-input', path, message, { hint });
  } else if (presence === 'optional') {
    const message = `${token} in ${nameOf(path)} may have no value: ${show(name)} is not required and has no default`;
    report.at('toolspace.optional-token', path, message, {
      hint: 'make it required or give it a default; without a value the token cannot be filled in',
    });
  }
}

/** Commands that are run as they stand: a token in them would stay what it is. */
export function checkLiteral(
  report: Report,
  command: Json | undefined,
  path: JsonPath,
  variables: Variables,
): void {
  for (const [index, word] of (Array.isArray(command) ? command : []).entries()) {
    if (typeof word !== 'string') continue;
    // The spelling of smoke checks counts as well, where it names a declared variable.
    const named = [...word.matchAll(/\$\{([A-Z][A-Z0-9_]*)\}/g)].map((it) => it[1] as string);
    const known = named.filter((it) => variables.has(it));
    if (known.length === 0 && !/\$\{(?:env|input)\./.test(word)) continue;
    const at = [...path, index];
    const slots = readTemplate(word).template.parts.flatMap((it) => (it.kind === 'slot' ? [it.slot] : []));
    if ([...slots, ...known].some((it) => variables.get(it)?.secret === true)) {
      const message = `${show(word)} in ${nameOf(path)} puts a secret on the command line, where every process sees it`;
      report.at('toolspace.secret-in-argv', at, message, {
        hint: 'let the program read it from its environment, where it is set anyway',
      });
    } else {
      report.at(
        'toolspace.literal-token',
        at,
        `tokens are not filled in here: ${show(word)} stays as it is`,
        {
          hint: 'only actions have tokens; a command reads its environment',
        },
      );
    }
  }
}

/** The schema an action's tokens look into. */
export function inputSchemaOf(action: JsonObject): JsonObject | undefined {
  return isObject(action.input) ? action.input : undefined;
}
