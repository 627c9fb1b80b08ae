import type { Bundle } from '../../model/bundle.js';
import { type RelatedPlace, startOfFile } from '../../model/diagnostic.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { show } from '../check.js';
import { type Exported, type ModuleExports, readExports } from '../javascript/exports.js';
import { readScript, type Script } from '../javascript/script.js';
import type { Report } from '../report.js';
import { readText } from '../source.js';
import { suggest } from '../suggest.js';

/** The first that exists is used. */
const handlerFiles = ['index.ts', 'index.js', 'index.mjs'] as const;

/** Finds the handler file and holds it against the declared functions. Null when there is none. */
export function checkHandlers(report: Report, bundle: Bundle, manifest: JsonObject): string | null {
  const present = handlerFiles.filter((path) => bundle.read(path).kind !== 'missing');
  const [path, ...unused] = present;
  if (path === undefined) {
    const message = `there is no handler file: none of ${handlerFiles.join(', ')} is beside the manifest`;
    report.at('talos.no-handlers', ['functions'], message, {
      hint: 'add index.ts with one exported function for each declared function',
      spot: 'key',
    });
    return null;
  }
  for (const other of unused) {
    const message = `${other} is not used: ${path} comes before it`;
    report.inFile('talos.several-handlers', bundle.display(other), startOfFile, message, 'keep one of them');
  }
  const read = readText(bundle, path);
  if (!read.ok) {
    for (const it of read.diagnostics) report.inFile(it.code, it.file, it.range, it.message, it.hint);
    return path;
  }
  const script = readScript(read.text, path === 'index.ts' ? 'typescript' : 'javascript');
  if (script.kind === 'mistake') {
    report.inFile('syntax.javascript', read.file, script.range, script.message, syntaxHint(path));
  } else if (script.kind === 'unread') {
    const message = `the handlers could not be checked: ${script.reason}`;
    report.inFile('talos.could-not-check', read.file, startOfFile, message, 'try a call of each function');
  } else {
    compare(report, manifest.functions, { path, file: read.file, script });
  }
  return path;
}

function syntaxHint(path: string): string {
  if (path === 'index.ts') return 'mend it; "npx tsc --noEmit index.ts" says more';
  return `mend it; "node --check ${path}" says more`;
}

interface HandlerFile {
  readonly path: string;
  readonly file: string;
  readonly script: Extract<Script, { kind: 'program' }>;
}

function compare(report: Report, functions: Json | undefined, handlers: HandlerFile): void {
  const exports = readExports(handlers.script.program);
  const { place } = handlers.script;
  const related = (message: string, node?: { start: number; end: number }): RelatedPlace[] => [
    { message, file: handlers.file, range: node === undefined ? startOfFile : place(node) },
  ];
  const declared = new Set<string>();
  const unclear: string[] = [];
  for (const [index, it] of (Array.isArray(functions) ? functions : []).entries()) {
    // A name that no handler could have was reported already.
    if (!isObject(it) || typeof it.name !== 'string' || !/^[A-Za-z_][\w-]*$/.test(it.name)) continue;
    const { name } = it;
    if (declared.has(name)) continue;
    declared.add(name);
    const found = lookUp(exports, name);
    if (found.some((one) => one.callable !== 'no')) continue;
    const at = ['functions', index, 'name'];
    if (found[0] !== undefined) {
      const message = `what ${handlers.path} exports as ${show(name)} is not a function`;
      report.at('talos.handler-not-function', at, message, {
        hint: `export a function: export async function ${name}(args, context) { … }`,
        related: related('it is exported here', found[0]),
      });
    } else if (exports.open.length > 0) {
      unclear.push(name);
    } else {
      report.at(
        'talos.handler-missing',
        at,
        `${handlers.path} has no handler for the function ${show(name)}`,
        {
          hint: missingHint(exports, name, handlers.path),
          related: related('the handlers are here', exports.handlers ?? exports.standard),
        },
      );
    }
  }
  const [open] = exports.open;
  if (unclear.length > 0 && open !== undefined) {
    const message = `could not check that ${unclear.map((it) => show(it)).join(', ')} has a handler: ${open.reason}`;
    const hint = 'export each handler by its name to have it checked';
    report.inFile('talos.could-not-check', handlers.file, place(open), message, hint);
  }
  for (const [name, it] of exports.handlers?.members ?? []) {
    if (declared.has(name) || it.callable === 'no') continue;
    const message = `the handler ${show(name)} is not among the declared functions; nothing can call it`;
    report.inFile('talos.handler-undeclared', handlers.file, place(it), message, 'declare it, or remove it');
  }
}

/** In the order in which a call looks for its handler. */
function lookUp(exports: ModuleExports, name: string): Exported[] {
  const places = [exports.named, exports.handlers?.members, exports.standard?.members];
  return places.flatMap((it) => it?.get(name) ?? []);
}

function missingHint(exports: ModuleExports, name: string, path: string): string {
  const places = [exports.named, exports.handlers?.members, exports.standard?.members];
  const size = places.reduce((sum, it) => sum + (it?.size ?? 0), 0);
  // A file with very many exports was not written by hand, and has no typing mistakes.
  const meant =
    size > 200
      ? undefined
      : suggest(
          name,
          places.flatMap((it) => [...(it?.keys() ?? [])]),
        );
  if (meant !== undefined) return `${path} has ${show(meant)}; make the two names the same`;
  if (exports.handlers !== undefined)
    return `add it to the table: ${show(name)}: async (args, credentials) => { … }`;
  if (!/^[A-Za-z_]\w*$/.test(name))
    return `add: export const handlers = { ${show(name)}: async (args) => { … } }`;
  return `add: export async function ${name}(args, context) { … }`;
}
