// Looks for the function that an entrypoint names, without running the file. If only running it could tell, the
// function is not reported as missing.
import { parser } from '@lezer/python';
import type { Bundle } from '../../model/bundle.js';
import { startOfFile } from '../../model/diagnostic.js';
import type { JsonPath } from '../../model/json.js';
import { show } from '../check.js';
import { maxBytes } from '../document/document.js';
import { readExports } from '../javascript/exports.js';
import { parseScript } from '../javascript/script.js';
import { suggest } from '../suggest.js';
import { readTextFile } from '../text-file.js';
import type { FindagentReport } from './codes.js';

export interface ExportReference {
  /** A file of the bundle that exists. */
  readonly path: string;
  readonly name: string;
  /** Where the manifest names the export. */
  readonly place: JsonPath;
}

export function checkExport(report: FindagentReport, bundle: Bundle, reference: ExportReference): void {
  const { path, name, place } = reference;
  const file = bundle.display(path);
  const reportUnchecked = (reason: string) =>
    report.inFile(
      'findagent.could-not-check',
      file,
      startOfFile,
      `could not check whether ${name}() exists: ${reason}`,
      'call each tool once to test it',
    );
  const entry = bundle.read(path);
  if (entry.kind === 'file' && entry.bytes.length > maxBytes) {
    reportUnchecked('the file is larger than 1 MiB');
    return;
  }
  const read = readTextFile(bundle, path);
  if (!read.ok) {
    report.add(read.diagnostics);
    return;
  }
  const exported = path.endsWith('.py') ? pythonNames(read.text) : scriptNames(report, file, path, read.text);
  if (typeof exported === 'string') reportUnchecked(exported);
  if (exported === null || typeof exported === 'string' || exported.callable.has(name)) return;
  const meant = suggest(name, exported.callable);
  const notCallable = exported.other.has(name);
  report.at(
    'findagent.export-missing',
    place,
    notCallable
      ? `${show(name)} in ${path} is not a function`
      : `${path} does not export a function ${show(name)}`,
    {
      hint:
        meant === undefined || notCallable ? exportHint(path, name) : `did you mean "export": "${meant}"?`,
    },
  );
}

function exportHint(path: string, name: string): string {
  if (path.endsWith('.py')) return `define "def ${name}(event):" at the top level`;
  return `write "export async function ${name}({ tool, input }) { … }"`;
}

interface ExportedNames {
  readonly callable: ReadonlySet<string>;
  readonly other: ReadonlySet<string>;
}

/** A string is the reason why the names are unknown; null means that a syntax error was reported. */
function scriptNames(
  report: FindagentReport,
  file: string,
  path: string,
  text: string,
): ExportedNames | string | null {
  const script = parseScript(text, /ts$/.test(path) ? 'typescript' : 'javascript');
  if (script.kind === 'unchecked') return script.reason;
  if (script.kind === 'syntax-error') {
    report.inFile(
      'syntax.javascript',
      file,
      script.range,
      script.message,
      script.hint ?? `fix the syntax error; "node --check ${path}" shows details`,
    );
    return null;
  }
  const exports = readExports(script.program);
  const members = [...exports.named, ...(exports.defaultTable?.members ?? [])];
  const names = (callable: boolean) =>
    new Set(members.flatMap(([name, it]) => ((it.callable !== 'no') === callable ? [name] : [])));
  const [open] = exports.unresolved;
  return open === undefined ? { callable: names(true), other: names(false) } : open.reason;
}

const definitions = new Set(['FunctionDefinition', 'ClassDefinition']);

/** Names defined at the top level of a Python file. */
function pythonNames(text: string): ExportedNames | string {
  const callable = new Set<string>();
  const other = new Set<string>();
  let unread = false;
  let star = false;
  parser.parse(text).iterate({
    enter(node) {
      if (node.type.isError) unread = true;
      const named = () => {
        const name = node.node.getChild('VariableName');
        return name === null ? '' : text.slice(name.from, name.to);
      };
      if (definitions.has(node.name)) {
        (node.name === 'ClassDefinition' ? other : callable).add(named());
        return false;
      }
      if (node.name === 'AssignStatement') {
        callable.add(named());
        return false;
      }
      if (node.name === 'ImportStatement') {
        const statement = text.slice(node.from, node.to);
        if (/\bimport\s*\*/.test(statement)) star = true;
        for (const name of statement.replace(/^.*\bimport\b/s, '').match(/[A-Za-z_]\w*/g) ?? [])
          callable.add(name);
        return false;
      }
      return undefined;
    },
  });
  if (unread) return 'the Python parser does not understand a part of the file';
  return star ? '"import *" adds names that are not visible in the file' : { callable, other };
}
