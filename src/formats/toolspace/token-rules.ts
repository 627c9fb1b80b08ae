import { isObject, type Json, type JsonObject, type JsonPath } from '../../model/json.js';
import type { TemplatePart } from '../../model/template.js';
import { pathName, show } from '../check.js';
import { suggest } from '../suggest.js';
import type { ToolspaceReport } from './codes.js';
import type { DeclaredVariables } from './env-rules.js';
import { lookUpInput } from './input-schema.js';
import { parseTemplate, type TokenDialect } from './template.js';

/** Where the text is used. This decides which tokens are allowed. */
export type TokenDestination = 'argv' | 'path' | 'header' | 'body';

export interface TokenScope {
  readonly variables: DeclaredVariables;
  /** Schema of the input; undefined when there is none. */
  readonly input: JsonObject | undefined;
  readonly dialect: TokenDialect;
}

/** Checks all tokens of one text and returns the paths of the inputs that it uses. */
export function checkTokens(
  report: ToolspaceReport,
  text: Json | undefined,
  path: JsonPath,
  destination: TokenDestination,
  scope: TokenScope,
): readonly (readonly string[])[] {
  if (typeof text !== 'string') return [];
  const { template, problems } = parseTemplate(text, scope.dialect);
  for (const { token, reason, hint } of problems) {
    const message = `${show(token)} in ${pathName(path)} is not a valid token: ${reason}`;
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
  report: ToolspaceReport,
  name: string,
  path: JsonPath,
  destination: TokenDestination,
  { variables, dialect }: TokenScope,
): void {
  const token = dialect === 'smoke' ? `\${${name}}` : `\${env.${name}}`;
  const variable = variables.get(name);
  if (variable === undefined) {
    const meant = suggest(name, variables.keys());
    const hint = meant === undefined ? 'declare it in env' : `did you mean ${meant}?`;
    report.at('toolspace.unknown-env', path, `${token} in ${pathName(path)} is not declared in env`, {
      hint,
    });
    return;
  }
  if (variable.secret && destination === 'argv') {
    const message = `${token} in ${pathName(path)} puts a secret on the command line, where other processes can read it`;
    report.at('toolspace.secret-in-argv', path, message, {
      hint: 'let the program read it from its environment; it is already set there',
    });
  }
  if (variable.secret && destination === 'path') {
    const message = `${token} in ${pathName(path)} puts a secret in a URL, and URLs are kept in logs and proxies`;
    report.at('toolspace.secret-in-url', path, message, { hint: 'send it in a header' });
  }
  if (variable.optional) {
    const message = `${token} in ${pathName(path)} may have no value: ${name} is not required and has no default`;
    report.at('toolspace.optional-token', path, message, {
      hint: 'make it required or add a default; without a value the call fails',
    });
  }
}

function checkInput(
  report: ToolspaceReport,
  part: Extract<TemplatePart, { kind: 'input' }>,
  path: JsonPath,
  schema: JsonObject | undefined,
): void {
  const name = part.path.join('.');
  const token = `\${input.${name}}`;
  const { presence, known } = lookUpInput(schema ?? {}, part.path);
  if (presence === 'unknown') {
    const meant = part.path.map((step) => suggest(step, known)).find((it) => it !== undefined);
    const hint =
      schema === undefined
        ? 'add "input" with this property'
        : meant === undefined
          ? 'declare it under "properties" of input'
          : `did you mean ${show(meant)}?`;
    const message = `${token} in ${pathName(path)} is not declared in the action's input`;
    report.at('toolspace.unknown-input', path, message, { hint });
  } else if (presence === 'optional') {
    const message = `${token} in ${pathName(path)} may have no value: ${show(name)} is not required and has no default`;
    report.at('toolspace.optional-token', path, message, {
      hint: 'make it required or add a default; without a value the call fails',
    });
  }
}

/** Reports tokens in commands where tokens are not filled in. */
export function checkLiteralCommand(
  report: ToolspaceReport,
  command: Json | undefined,
  path: JsonPath,
  variables: DeclaredVariables,
): void {
  for (const [index, argument] of (Array.isArray(command) ? command : []).entries()) {
    if (typeof argument !== 'string') continue;
    // ${NAME}, the syntax of smoke tests, counts as well if it names a declared variable.
    const named = [...argument.matchAll(/\$\{([A-Z][A-Z0-9_]*)\}/g)].map((it) => it[1] as string);
    const known = named.filter((it) => variables.has(it));
    if (known.length === 0 && !/\$\{(?:env|input)\./.test(argument)) continue;
    const at = [...path, index];
    const slots = parseTemplate(argument).template.parts.flatMap((it) =>
      it.kind === 'slot' ? [it.slot] : [],
    );
    if ([...slots, ...known].some((it) => variables.get(it)?.secret === true)) {
      const message = `${show(argument)} in ${pathName(path)} puts a secret on the command line, where other processes can read it`;
      report.at('toolspace.secret-in-argv', at, message, {
        hint: 'let the program read it from its environment; it is already set there',
      });
    } else {
      report.at(
        'toolspace.literal-token',
        at,
        `tokens are not filled in here: the program receives ${show(argument)} unchanged`,
        {
          hint: 'only actions can use tokens; here the program can read the variable from its environment',
        },
      );
    }
  }
}

/** The input schema of an action. */
export function inputSchemaOf(action: JsonObject): JsonObject | undefined {
  return isObject(action.input) ? action.input : undefined;
}
