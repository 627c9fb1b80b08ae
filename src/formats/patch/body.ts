// Checks of the Python below the manifest, made on its syntax tree; nothing of it is run. Where the grammar
// cannot read a place, that is said, and nothing is claimed about it.
import { parser } from '@lezer/python';
import { isObject, type JsonObject } from '../../model/json.js';
import type { SourceText } from '../document/text.js';
import type { Report } from '../report.js';
import { suggest } from '../suggest.js';
import { type SyntaxNode, sideEffects } from './import-time.js';
import { isParameterName } from './rules.js';

interface Parameter {
  readonly name: string;
  readonly hasDefault: boolean;
  /** False for one before "/": the arguments come by name and cannot reach it. */
  readonly byName: boolean;
  readonly node: SyntaxNode;
}

interface Signature {
  readonly name: SyntaxNode;
  readonly parameters: readonly Parameter[];
  /** Takes any keyword: `**kwargs`. */
  readonly open: boolean;
}

export function checkBody(report: Report, source: SourceText, manifest: JsonObject): void {
  const text = source.text;
  if (isAbsurdlyDeep(text)) {
    const message = 'the Python is nested too deeply to be checked';
    report.inFile('patch.could-not-check', report.file, source.range(0), message, 'flatten it');
    return;
  }
  const top = parser.parse(text).topNode;
  const at = (node: { from: number; to: number }) => {
    // Long statements are pointed at by their first line.
    const newline = text.slice(node.from, node.to).indexOf('\n');
    return source.range(node.from, newline === -1 ? node.to : node.from + newline);
  };
  const unread = firstError(top);
  if (unread !== null) {
    const message = 'the Python from here on could not be read; it was not checked further';
    report.inFile(
      'patch.could-not-check',
      report.file,
      at(unread),
      message,
      'try "python3 -m py_compile" on the file',
    );
  }
  const main = findMain(top, text);
  if (main === null) {
    const other = unread === null ? otherMain(top, text) : null;
    if (other !== null) {
      const message =
        'main is not defined by a plain "def" at the top level; its parameters were not checked';
      report.inFile(
        'patch.could-not-check',
        report.file,
        at(other),
        message,
        'define it with "def main(…):"',
      );
    } else if (unread === null) {
      const hint = 'define "def main(…):" at the top level';
      report.inFile(
        'patch.main-missing',
        report.file,
        source.range(text.trimEnd().length),
        'there is no function main()',
        hint,
      );
    }
  } else {
    checkSignature(report, main, manifest, at);
  }
  if (unread !== null) return;
  for (const effect of sideEffects(top, text)) {
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

/** Brackets left open, strings and comments included: people stay far below this. */
function isAbsurdlyDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x28 || unit === 0x5b || unit === 0x7b) {
      if (++depth > 1000) return true;
    } else if ((unit === 0x29 || unit === 0x5d || unit === 0x7d) && depth > 0) depth--;
  }
  return false;
}

function firstError(node: SyntaxNode): SyntaxNode | null {
  const cursor = node.cursor();
  do {
    if (cursor.type.isError) return cursor.node;
  } while (cursor.next());
  return null;
}

/** The source without comments and string contents, so that mentions in prose do not count as code. */
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

/** The last definition counts, as it does when the file runs. */
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

/** A name `main` that an assignment, an import or a definition under a condition brings to the top level. */
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

function readParameters(list: SyntaxNode, text: string): { parameters: Parameter[]; open: boolean } {
  let parameters: Parameter[] = [];
  let open = false;
  let stars = '';
  for (let node = list.firstChild; node !== null; node = node.nextSibling) {
    const written = text.slice(node.from, node.to);
    // The grammar leaves out the "/" after parameters that cannot be given by name.
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
      if (stars === '**') open = true;
      else if (stars === '') {
        let after = node.nextSibling;
        if (after?.name === 'TypeDef') after = after.nextSibling;
        parameters.push({ name: written, hasDefault: after?.name === 'AssignOp', byName: true, node });
      }
    }
  }
  return { parameters, open };
}

/** Comparing every name with every other is for signatures that people write. */
const maxGuesses = 1000;

function checkSignature(
  report: Report,
  main: Signature,
  manifest: JsonObject,
  at: (node: { from: number; to: number }) => ReturnType<SourceText['range']>,
): void {
  if (!Array.isArray(manifest.inputs)) return;
  const byName = new Map(main.parameters.map((it) => [it.name, it]));
  const unfilled = new Map(byName);
  const missing: { name: string; index: number }[] = [];
  let unnamed = false;
  for (const [index, input] of manifest.inputs.entries()) {
    // What has no usable name was reported already, and may be any of the parameters.
    if (!isObject(input) || typeof input.name !== 'string' || !isParameterName(input.name)) {
      unnamed = true;
      continue;
    }
    const { name } = input;
    const parameter = byName.get(name);
    if (parameter === undefined) {
      if (!main.open) missing.push({ name, index });
      continue;
    }
    unfilled.delete(name);
    if (!parameter.byName) {
      const message = `the parameter "${name}" cannot be given by name, so main(**args) fails`;
      report.inFile(
        'patch.main-parameter-missing',
        report.file,
        at(parameter.node),
        message,
        'remove the "/"',
      );
    } else if (isOptional(input) && (input.default ?? null) === null && !parameter.hasDefault) {
      const message = `the input "${name}" is optional, but main() needs it`;
      const hint = `give it a default: ${name}=None`;
      report.inFile('patch.main-default-missing', report.file, at(parameter.node), message, hint);
    }
  }
  for (const { name, index } of missing) {
    const meant = missing.length * unfilled.size > maxGuesses ? undefined : suggest(name, unfilled.keys());
    if (meant !== undefined) unfilled.delete(meant);
    report.at(
      'patch.main-parameter-missing',
      ['inputs', index, 'name'],
      `main() has no parameter "${name}"`,
      {
        hint:
          meant === undefined
            ? 'add it to main(), or remove the input'
            : `main() has "${meant}"; make the two names the same`,
        related: [{ message: 'main() is here', file: report.file, range: at(main.name) }],
      },
    );
  }
  if (unnamed) return;
  for (const parameter of unfilled.values()) {
    if (parameter.hasDefault) {
      const message = `no input fills the parameter "${parameter.name}" of main(); it always has its default`;
      const hint = 'declare it in inputs';
      report.inFile('patch.main-parameter-unused', report.file, at(parameter.node), message, hint);
    } else {
      const message = `main() needs "${parameter.name}", which is not among the inputs`;
      const hint = 'declare it in inputs, or give it a default';
      report.inFile('patch.main-parameter-extra', report.file, at(parameter.node), message, hint);
    }
  }
}

/** A default, even a null one, makes an input optional. */
function isOptional(input: JsonObject): boolean {
  return input.required === false || (input.required !== true && Object.hasOwn(input, 'default'));
}
