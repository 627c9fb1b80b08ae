// Checks the Python code below the manifest without running it: that it compiles, and what it says on its syntax tree.
// Code that the grammar of the tree cannot parse is reported and not checked.
import { parser } from '@lezer/python';
import { isObject, type JsonObject } from '../../model/json.js';
import type { SourceText } from '../document/source-text.js';
import { isTooDeep } from '../python/nesting.js';
import type { SyntaxNode } from '../python/syntax-node.js';
import { pythonProblem } from '../python/syntax-problem.js';
import { suggest } from '../suggest.js';
import type { PatchReport } from './codes.js';
import { importSideEffects } from './import-side-effects.js';
import { isNewerPython } from './python-limits.js';
import { isParameterName } from './rules.js';

/** One parameter of main(). */
interface Parameter {
  readonly name: string;
  readonly hasDefault: boolean;
  /** False for a positional-only parameter (before "/"): arguments are passed by name. */
  readonly byName: boolean;
  readonly node: SyntaxNode;
}

/** The definition of main(). */
interface Signature {
  readonly name: SyntaxNode;
  readonly parameters: readonly Parameter[];
  /** Whether it accepts any keyword argument: `**kwargs`. */
  readonly acceptsAny: boolean;
}

/** Reports problems of the Python code and differences between main() and the declared inputs. */
export function checkPython(report: PatchReport, source: SourceText, manifest: JsonObject): void {
  const text = source.text;
  if (isTooDeep(text)) {
    const message = 'the Python code is nested too deeply to be checked';
    report.inFile('patch.could-not-check', report.file, source.range(0), message, 'reduce the nesting');
    return;
  }
  const top = parser.parse(text).topNode;
  const at = (node: { from: number; to: number }) => {
    // For a statement of several lines, report its first line.
    const newline = text.slice(node.from, node.to).indexOf('\n');
    return source.range(node.from, newline === -1 ? node.to : node.from + newline);
  };
  const problem = pythonProblem(text);
  const syntaxError = firstError(top) ?? (problem === undefined ? null : top);
  if (problem !== undefined && !isNewerPython(manifest)) {
    report.inFile(
      'patch.python-syntax',
      report.file,
      at({ from: problem.at, to: problem.end }),
      `the Python code does not compile: ${problem.message}`,
      'to see what Python says, run "python3 -m py_compile" on the file',
    );
  } else if (syntaxError !== null) {
    const place = problem === undefined ? syntaxError : { from: problem.at, to: problem.end };
    const message = 'the Python code cannot be parsed from here on; the rest was not checked';
    report.inFile(
      'patch.could-not-check',
      report.file,
      at(place),
      message,
      'run "python3 -m py_compile" on the file to see the error',
    );
  }
  const main = findMain(top, text);
  if (main === null) {
    const other = syntaxError === null ? otherMain(top, text) : null;
    if (other !== null) {
      const message =
        'main is not defined by a plain "def" at the top level; its parameters were not checked';
      report.inFile(
        'patch.could-not-check',
        report.file,
        at(other),
        message,
        'define it with "def main(…):" at the top level',
      );
    } else if (syntaxError === null) {
      const hint = 'add "def main(…):" at the top level';
      report.inFile(
        'patch.main-missing',
        report.file,
        source.range(text.trimEnd().length),
        'the function main() is missing',
        hint,
      );
    }
  } else {
    checkSignature(report, main, manifest, at);
  }
  if (syntaxError !== null) return;
  for (const effect of importSideEffects(top, text)) {
    const message = `${effect.what} runs when the file is imported`;
    report.inFile('patch.import-side-effect', report.file, at(effect.node), message, 'move it into main()');
  }
  const code = codeOnly(top, text);
  if (!/\bstdin\b|\binput\s*\(|\bfileinput\b|open\(0/.test(code)) {
    report.inFile(
      'patch.no-stdin',
      report.file,
      source.range(0),
      'the file never reads its arguments from stdin',
      'add: args = json.loads(sys.stdin.read())',
    );
  }
  if (!/\bprint\s*\(|\bstdout\b/.test(code)) {
    report.inFile(
      'patch.no-output',
      report.file,
      source.range(0),
      'the file never prints a result',
      'add: print(json.dumps(main(**args)))',
    );
  }
}

function firstError(node: SyntaxNode): SyntaxNode | null {
  const cursor = node.cursor();
  do {
    if (cursor.type.isError) return cursor.node;
  } while (cursor.next());
  return null;
}

/** The source without comments and strings, so that words in them do not count as code. */
function codeOnly(top: SyntaxNode, text: string): string {
  let code = '';
  let from = 0;
  top.cursor().iterate((node) => {
    if (node.name !== 'Comment' && node.name !== 'String') return true;
    code += text.slice(from, node.from);
    from = node.to;
    return false;
  });
  return code + text.slice(from);
}

/** The last definition is used, as in Python. */
function findMain(top: SyntaxNode, text: string): Signature | null {
  let found: Signature | null = null;
  for (let node = top.firstChild; node !== null; node = node.nextSibling) {
    const definition = node.name === 'DecoratedStatement' ? node.getChild('FunctionDefinition') : node;
    if (definition?.name !== 'FunctionDefinition') continue;
    const name = definition.getChild('VariableName');
    const list = definition.getChild('ParamList');
    if (name !== null && list !== null && text.slice(name.from, name.to) === 'main') {
      found = { name, ...readParameters(list, text) };
    }
  }
  return found;
}

/** A top-level `main` that comes from an assignment, an import or a conditional definition. */
function otherMain(top: SyntaxNode, text: string): SyntaxNode | null {
  let found: SyntaxNode | null = null;
  top.cursor().iterate((node) => {
    if (found !== null) return false;
    const outer = node.node.parent?.name;
    if (node.name === 'VariableName' && text.slice(node.from, node.to) === 'main') {
      if (outer === 'FunctionDefinition' || outer === 'ImportStatement') found = node.node;
      if (outer === 'AssignStatement' && node.node.nextSibling !== null) found = node.node;
    }
    return !['Body', 'ParamList', 'ArgList'].includes(node.name) || isConditional(outer);
  });
  return found;
}

function isConditional(name: string | undefined): boolean {
  return name === 'IfStatement' || name === 'TryStatement' || name === 'WithStatement';
}

function readParameters(list: SyntaxNode, text: string): { parameters: Parameter[]; acceptsAny: boolean } {
  let parameters: Parameter[] = [];
  let acceptsAny = false;
  let stars = '';
  for (let node = list.firstChild; node !== null; node = node.nextSibling) {
    const written = text.slice(node.from, node.to);
    // The grammar has no node for the "/" after positional-only parameters.
    if (
      (written === ',' || written === ')') &&
      /\/\s*$/.test(text.slice(node.prevSibling?.to ?? node.from, node.from))
    ) {
      parameters = parameters.map((it) => ({ ...it, byName: false }));
    }
    if (written === ',') stars = '';
    else if (written === '*' || written === '**') stars = written;
    else if (
      node.name === 'VariableName' &&
      (node.prevSibling === null ||
        ['(', ',', '*', '**'].includes(text.slice(node.prevSibling.from, node.prevSibling.to)))
    ) {
      if (stars === '**') acceptsAny = true;
      else if (stars === '') {
        let after = node.nextSibling;
        if (after?.name === 'TypeDef') after = after.nextSibling;
        parameters.push({ name: written, hasDefault: after?.name === 'AssignOp', byName: true, node });
      }
    }
  }
  return { parameters, acceptsAny };
}

/** Above this number of comparisons, no similar name is suggested. */
const maxComparisons = 1000;

function checkSignature(
  report: PatchReport,
  main: Signature,
  manifest: JsonObject,
  at: (node: { from: number; to: number }) => ReturnType<SourceText['range']>,
): void {
  if (!Array.isArray(manifest.inputs)) return;
  const byName = new Map(main.parameters.map((it) => [it.name, it]));
  const unmatched = new Map(byName);
  const missing: { name: string; index: number }[] = [];
  let hasInvalidName = false;
  for (const [index, input] of manifest.inputs.entries()) {
    // An input without a valid name was already reported. It may be meant for any parameter.
    if (!isObject(input) || typeof input.name !== 'string' || !isParameterName(input.name)) {
      hasInvalidName = true;
      continue;
    }
    const { name } = input;
    const parameter = byName.get(name);
    if (parameter === undefined) {
      if (!main.acceptsAny) missing.push({ name, index });
      continue;
    }
    unmatched.delete(name);
    if (!parameter.byName) {
      const message = `the parameter "${name}" is positional-only, so main(**args) fails`;
      report.inFile(
        'patch.main-parameter-missing',
        report.file,
        at(parameter.node),
        message,
        'remove the "/"',
      );
    } else if (isOptional(input) && (input.default ?? null) === null && !parameter.hasDefault) {
      const message = `the input "${name}" is optional, but main() requires it`;
      const hint = `add a default: ${name}=None`;
      report.inFile('patch.main-default-missing', report.file, at(parameter.node), message, hint);
    }
  }
  for (const { name, index } of missing) {
    const meant =
      missing.length * unmatched.size > maxComparisons ? undefined : suggest(name, unmatched.keys());
    if (meant !== undefined) unmatched.delete(meant);
    report.at(
      'patch.main-parameter-missing',
      ['inputs', index, 'name'],
      `main() has no parameter "${name}"`,
      {
        hint:
          meant === undefined
            ? 'add it to main(), or remove the input'
            : `main() has "${meant}"; use the same name in both places`,
        related: [{ message: 'main() is here', file: report.file, range: at(main.name) }],
      },
    );
  }
  if (hasInvalidName) return;
  for (const parameter of unmatched.values()) {
    if (parameter.hasDefault) {
      const message = `the parameter "${parameter.name}" of main() is not among the inputs, so it always has its default`;
      const hint = 'add it to inputs, or remove the parameter';
      report.inFile('patch.main-parameter-unused', report.file, at(parameter.node), message, hint);
    } else {
      const message = `main() requires "${parameter.name}", which is not among the inputs`;
      const hint = 'add it to inputs, or give it a default';
      report.inFile('patch.main-parameter-extra', report.file, at(parameter.node), message, hint);
    }
  }
}

/** An input with a default, even null, is optional. */
function isOptional(input: JsonObject): boolean {
  return input.required === false || (input.required !== true && Object.hasOwn(input, 'default'));
}
