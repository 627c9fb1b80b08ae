// Checks of the Python below the manifest, made on its syntax tree; nothing of it is run. Where the grammar
// cannot read a place, that is said, and nothing is claimed about it.
import { parser } from '@lezer/python';
import { isObject, type JsonObject } from '../../model/json.js';
import type { SourceText } from '../document/text.js';
import type { Report } from '../report.js';
import { type SyntaxNode, sideEffects } from './import-time.js';

interface Parameter {
  readonly name: string;
  readonly hasDefault: boolean;
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
  const top = parser.parse(text).topNode;
  const at = (node: { from: number; to: number }) => {
    // Long statements are pointed at by their first line.
    const newline = text.indexOf('\n', node.from);
    return source.range(node.from, newline === -1 ? node.to : Math.min(node.to, newline));
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
    if (unread === null) {
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

function findMain(top: SyntaxNode, text: string): Signature | null {
  for (let node = top.firstChild; node !== null; node = node.nextSibling) {
    const definition = node.name === 'DecoratedStatement' ? node.getChild('FunctionDefinition') : node;
    if (definition?.name !== 'FunctionDefinition') continue;
    const name = definition.getChild('VariableName');
    const list = definition.getChild('ParamList');
    if (name !== null && list !== null && text.slice(name.from, name.to) === 'main') {
      return { name, ...readParameters(list, text) };
    }
  }
  return null;
}

function readParameters(list: SyntaxNode, text: string): { parameters: Parameter[]; open: boolean } {
  const parameters: Parameter[] = [];
  let open = false;
  let stars = '';
  for (let node = list.firstChild; node !== null; node = node.nextSibling) {
    const written = text.slice(node.from, node.to);
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
        parameters.push({ name: written, hasDefault: after?.name === 'AssignOp', node });
      }
    }
  }
  return { parameters, open };
}

function checkSignature(
  report: Report,
  main: Signature,
  manifest: JsonObject,
  at: (node: { from: number; to: number }) => ReturnType<SourceText['range']>,
): void {
  if (!Array.isArray(manifest.inputs)) return;
  const byName = new Map(main.parameters.map((it) => [it.name, it]));
  const declared = new Set<string>();
  for (const [index, input] of manifest.inputs.entries()) {
    if (!isObject(input) || typeof input.name !== 'string') continue;
    declared.add(input.name);
    const parameter = byName.get(input.name);
    if (parameter === undefined) {
      if (main.open) continue;
      report.at(
        'patch.main-parameter-missing',
        ['inputs', index, 'name'],
        `main() has no parameter "${input.name}"`,
        {
          hint: 'add it to main(), or remove the input',
          related: [{ message: 'main() is here', file: report.file, range: at(main.name) }],
        },
      );
    } else if (
      input.required === false &&
      (input.default === undefined || input.default === null) &&
      !parameter.hasDefault
    ) {
      const message = `the input "${input.name}" is optional, but main() needs it`;
      report.inFile(
        'patch.main-default-missing',
        report.file,
        at(parameter.node),
        message,
        `give it a default: ${input.name}=None`,
      );
    }
  }
  for (const parameter of main.parameters) {
    if (declared.has(parameter.name)) continue;
    if (parameter.hasDefault) {
      const message = `no input fills the parameter "${parameter.name}" of main(); it always has its default`;
      report.inFile(
        'patch.main-parameter-unused',
        report.file,
        at(parameter.node),
        message,
        'declare it in inputs',
      );
    } else {
      const message = `main() needs "${parameter.name}", which is not among the inputs`;
      report.inFile(
        'patch.main-parameter-extra',
        report.file,
        at(parameter.node),
        message,
        'declare it in inputs, or give it a default',
      );
    }
  }
}
