// Looks for the function that an entrypoint names, without running anything. Where only running the file
// would tell, nothing is called missing.
import { parser } from '@lezer/python';
import type { Bundle } from '../../model/bundle.js';
import { startOfFile } from '../../model/diagnostic.js';
import type { JsonPath } from '../../model/json.js';
import { show } from '../check.js';
import { maxBytes } from '../document/document.js';
import { readExports } from '../javascript/exports.js';
import { readScript } from '../javascript/script.js';
import type { Report } from '../report.js';
import { readText } from '../source.js';
import { suggest } from '../suggest.js';

export interface ExportQuestion {
  /** Inside the bundle; a file is there. */
  readonly path: string;
  readonly name: string;
  /** Where the manifest asks for it. */
  readonly place: JsonPath;
}

export function checkExport(report: Report, bundle: Bundle, question: ExportQuestion): void {
  const { path, name, place } = question;
  const file = bundle.display(path);
  const unsure = (reason: string) =>
    report.inFile(
      'findagent.could-not-check',
      file,
      startOfFile,
      `whether ${name}() is there could not be checked: ${reason}`,
      'try a call of each tool',
    );
  const entry = bundle.read(path);
  if (entry.kind === 'file' && entry.bytes.length > maxBytes) {
    unsure('the file is larger than 1 MiB');
    return;
  }
  const read = readText(bundle, path);
  if (!read.ok) {
    for (const it of read.diagnostics) report.inFile(it.code, it.file, it.range, it.message, it.hint);
    return;
  }
  const offered = path.endsWith('.py') ? pythonNames(read.text) : scriptNames(report, file, path, read.text);
  if (typeof offered === 'string') unsure(offered);
  if (offered === null || typeof offered === 'string' || offered.callable.has(name)) return;
  const meant = suggest(name, offered.callable);
  const flat = offered.other.has(name);
  report.at(
    'findagent.export-missing',
    place,
    flat ? `${show(name)} in ${path} is no function` : `${path} has no function ${show(name)} to call`,
    { hint: meant === undefined || flat ? exportHint(path, name) : `did you mean "export": "${meant}"?` },
  );
}

function exportHint(path: string, name: string): string {
  if (path.endsWith('.py')) return `define "def ${name}(event):" at the top level`;
  return `write "export async function ${name}({ tool, input }) { … }"`;
}

interface Offered {
  readonly callable: ReadonlySet<string>;
  readonly other: ReadonlySet<string>;
}

/** Text says why nothing can be known; null says that it was reported. */
function scriptNames(report: Report, file: string, path: string, text: string): Offered | string | null {
  const script = readScript(text, /ts$/.test(path) ? 'typescript' : 'javascript');
  if (script.kind === 'unread') return script.reason;
  if (script.kind === 'mistake') {
    report.inFile(
      'syntax.javascript',
      file,
      script.range,
      script.message,
      `mend it; "node --check ${path}" says more`,
    );
    return null;
  }
  const exports = readExports(script.program);
  const members = [...exports.named, ...(exports.standard?.members ?? [])];
  const names = (wanted: boolean) =>
    new Set(members.flatMap(([name, it]) => ((it.callable !== 'no') === wanted ? [name] : [])));
  const [open] = exports.open;
  return open === undefined ? { callable: names(true), other: names(false) } : open.reason;
}

const definitions = new Set(['FunctionDefinition', 'ClassDefinition']);

/** Names that the top level of a Python file binds. */
function pythonNames(text: string): Offered | string {
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
        const words = text.slice(node.from, node.to);
        if (/\bimport\s*\*/.test(words)) star = true;
        for (const word of words.replace(/^.*\bimport\b/s, '').match(/[A-Za-z_]\w*/g) ?? [])
          callable.add(word);
        return false;
      }
      return undefined;
    },
  });
  if (unread) return 'a part of the file is no Python that the reader knows';
  return star ? '"import *" brings in names that are not written here' : { callable, other };
}
