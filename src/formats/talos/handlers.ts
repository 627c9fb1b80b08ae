import type { Bundle } from '../../model/bundle.js';
import { type RelatedPlace, startOfFile } from '../../model/diagnostic.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { show } from '../check.js';
import { type ModuleExport, type ModuleExports, readExports } from '../javascript/exports.js';
import { parseScript, type Script } from '../javascript/script.js';
import { checkTypeScriptFiles } from '../javascript/typescript-files.js';
import { suggest } from '../suggest.js';
import { readTextFile } from '../text-file.js';
import type { TalosReport } from './codes.js';

/** The first of these files that exists is used. */
const handlerFiles = ['index.ts', 'index.js', 'index.mjs'] as const;

/** Finds the handler file and compares it with the declared functions. Null when the file is missing. */
export function checkHandlers(report: TalosReport, bundle: Bundle, manifest: JsonObject): string | null {
  const present = handlerFiles.filter((path) => bundle.read(path).kind !== 'missing');
  const [path, ...unused] = present;
  if (path === undefined) {
    const message = `the handler file is missing: none of ${handlerFiles.join(', ')} is next to the manifest`;
    report.at('talos.no-handlers', ['functions'], message, {
      hint: 'add index.ts with one exported function for each declared function',
      spot: 'key',
    });
    return null;
  }
  for (const other of unused) {
    const message = `${other} is ignored because ${path} exists`;
    report.inFile(
      'talos.several-handlers',
      bundle.display(other),
      startOfFile,
      message,
      'remove one of them',
    );
  }
  if (path === 'index.ts') checkTypeScriptFiles(report, bundle, path);
  const read = readTextFile(bundle, path);
  if (!read.ok) {
    report.add(read.diagnostics);
    return path;
  }
  const script = parseScript(read.text, path === 'index.ts' ? 'typescript' : 'javascript');
  if (script.kind === 'syntax-error') {
    report.inFile(
      'syntax.javascript',
      read.file,
      script.range,
      script.message,
      script.hint ?? syntaxHint(path),
    );
  } else if (script.kind === 'unchecked') {
    const message = `the handlers could not be checked: ${script.reason}`;
    report.inFile('talos.could-not-check', read.file, startOfFile, message, 'test each function with a call');
  } else {
    compare(report, manifest.functions, { path, file: read.file, script });
  }
  return path;
}

function syntaxHint(path: string): string {
  if (path === 'index.ts') return 'fix it; "npx tsc --noEmit index.ts" shows details';
  return `fix it; "node --check ${path}" shows details`;
}

/** The parsed handler file. */
interface HandlerFile {
  readonly path: string;
  readonly file: string;
  readonly script: Extract<Script, { kind: 'program' }>;
}

function compare(report: TalosReport, functions: Json | undefined, handlers: HandlerFile): void {
  const exports = readExports(handlers.script.program);
  const { rangeOf } = handlers.script;
  const related = (message: string, node?: { start: number; end: number }): RelatedPlace[] => [
    { message, file: handlers.file, range: node === undefined ? startOfFile : rangeOf(node) },
  ];
  const declared = new Set<string>();
  const unresolved: string[] = [];
  for (const [index, it] of (Array.isArray(functions) ? functions : []).entries()) {
    // An invalid name was already reported.
    if (!isObject(it) || typeof it.name !== 'string' || !/^[A-Za-z_][\w-]*$/.test(it.name)) continue;
    const { name } = it;
    if (declared.has(name)) continue;
    declared.add(name);
    const found = lookUp(exports, name);
    if (found.some((one) => one.callable !== 'no')) continue;
    const at = ['functions', index, 'name'];
    if (found[0] !== undefined) {
      const message = `the export ${show(name)} of ${handlers.path} is not a function`;
      report.at('talos.handler-not-function', at, message, {
        hint: `export a function: export async function ${name}(args, context) { … }`,
        related: related('it is exported here', found[0]),
      });
    } else if (exports.unresolved.length > 0) {
      unresolved.push(name);
    } else {
      report.at(
        'talos.handler-missing',
        at,
        `${handlers.path} has no handler for the function ${show(name)}`,
        {
          hint: missingHint(exports, name, handlers.path),
          related: related('the handlers are here', exports.handlers ?? exports.defaultTable),
        },
      );
    }
  }
  const [cause] = exports.unresolved;
  if (unresolved.length > 0 && cause !== undefined) {
    const message = `could not check the handler of ${unresolved.map((it) => show(it)).join(', ')}: ${cause.reason}`;
    const hint = 'export each handler by name so that it can be checked';
    report.inFile('talos.could-not-check', handlers.file, rangeOf(cause), message, hint);
  }
  for (const [name, it] of exports.handlers?.members ?? []) {
    if (declared.has(name) || it.callable === 'no') continue;
    const message = `the handler ${show(name)} is not declared in functions, so it cannot be called`;
    report.inFile(
      'talos.handler-undeclared',
      handlers.file,
      rangeOf(it),
      message,
      'add it to functions, or remove it',
    );
  }
}

/** The exports with this name, in the order in which a call searches for its handler. */
function lookUp(exports: ModuleExports, name: string): ModuleExport[] {
  const places = [exports.named, exports.handlers?.members, exports.defaultTable?.members];
  return places.flatMap((it) => it?.get(name) ?? []);
}

function missingHint(exports: ModuleExports, name: string, path: string): string {
  const places = [exports.named, exports.handlers?.members, exports.defaultTable?.members];
  const size = places.reduce((sum, it) => sum + (it?.size ?? 0), 0);
  // A file with many exports is generated and has no typing errors.
  const meant =
    size > 200
      ? undefined
      : suggest(
          name,
          places.flatMap((it) => [...(it?.keys() ?? [])]),
        );
  if (meant !== undefined) return `${path} has ${show(meant)}; use the same name in both places`;
  if (exports.handlers !== undefined)
    return `add it to the table: ${show(name)}: async (args, credentials) => { … }`;
  if (!/^[A-Za-z_]\w*$/.test(name))
    return `add: export const handlers = { ${show(name)}: async (args) => { … } }`;
  return `add: export async function ${name}(args, context) { … }`;
}
