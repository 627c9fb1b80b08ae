import type { Bundle } from '../../model/bundle.js';
import type { Json, JsonObject, JsonPath } from '../../model/json.js';
import { pathName, show } from '../check.js';
import { checkTypeScriptFiles, isOwnTypeScript } from '../javascript/typescript-files.js';
import { interpreterLanguage, isBundlePath, normalizePath } from './bundle-path.js';
import type { FindagentReport } from './codes.js';
import { checkExport } from './export-rules.js';
import { codeMode, listOf, memberOf, objectOf, stringOf, stringOrMember } from './manifest-fields.js';

/** Fields that only a code-bundle has. */
const codeFields = ['entrypoint', 'runtime', 'allowed_hosts', 'mcp', 'ui', 'env'];

/** Checks the files and commands that a code-bundle names. */
export function checkCode(report: FindagentReport, manifest: JsonObject, bundle: Bundle): void {
  if (codeMode(manifest) === 'none') {
    for (const field of codeFields) {
      if (memberOf(manifest, field) === undefined) continue;
      const message = `"${field}" belongs to kind code-bundle and has no effect here`;
      report.at('findagent.foreign-field', [field], message, {
        hint: 'write "kind": "code-bundle", or remove it',
        spot: 'key',
      });
    }
    return;
  }
  for (const [field, member] of shortForms) {
    if (typeof manifest[field] !== 'string') continue;
    const message = `"${field}" uses the short form; the full form is { "${member}": ${show(manifest[field])} }`;
    report.at('findagent.short-form', [field], message);
  }
  checkEntrypoint(report, manifest, bundle);
  checkMcpCommand(report, manifest, bundle);
  checkUi(report, manifest, bundle);
}

const shortForms = [
  ['entrypoint', 'path'],
  ['runtime', 'kind'],
  ['mcp', 'mode'],
  ['ui', 'path'],
] as const;

function pathOfField(value: Json | undefined, field: string, member: string): JsonPath {
  return typeof value === 'string' ? [field] : [field, member];
}

function checkEntrypoint(report: FindagentReport, manifest: JsonObject, bundle: Bundle): void {
  const path = stringOrMember(manifest.entrypoint, 'path');
  if (path === undefined || path === '') return;
  const at = pathOfField(manifest.entrypoint, 'entrypoint', 'path');
  if (!checkPath(report, path, at)) return;
  const kind = stringOrMember(manifest.runtime, 'kind');
  const extension = kind === 'python' ? /\.py$/ : kind === 'node' ? /\.(?:[cm]?js|[cm]?ts)$/ : undefined;
  if (extension !== undefined && !extension.test(path)) {
    const endings = kind === 'python' ? '.py' : '.js, .mjs, .cjs or .ts';
    report.at(
      'findagent.entrypoint-language',
      at,
      `the ${kind} runtime cannot run the entrypoint ${show(path)}`,
      {
        hint: `name a file that ends in ${endings}, or change runtime.kind`,
      },
    );
    return;
  }
  const entry = bundle.read(normalizePath(path));
  if (entry.kind !== 'file') {
    const reason =
      entry.kind === 'rejected'
        ? entry.detail
        : entry.kind === 'folder'
          ? 'it is a folder'
          : 'the file does not exist';
    report.at('findagent.entrypoint-missing', at, `the entrypoint ${show(path)} cannot be used: ${reason}`, {
      hint: 'write the path relative to the package folder',
    });
    return;
  }
  if (kind === 'node' && isOwnTypeScript(path)) checkTypeScriptFiles(report, bundle, normalizePath(path));
  if (codeMode(manifest) === 'wrap') {
    const name = stringOf(objectOf(manifest.entrypoint).export) ?? 'handler';
    const place = memberOf(manifest.entrypoint, 'export') === undefined ? at : ['entrypoint', 'export'];
    // The schema already reports an invalid name.
    if (/^[A-Za-z_$][\w$]*$/.test(name))
      checkExport(report, bundle, { path: normalizePath(path), name, place });
  }
}

function checkMcpCommand(report: FindagentReport, manifest: JsonObject, bundle: Bundle): void {
  const mcp = objectOf(manifest.mcp);
  if (codeMode(manifest) !== 'native') {
    for (const field of ['command', 'args']) {
      if (mcp[field] === undefined) continue;
      const message = `"${field}" belongs to mode native; in mode wrap the host starts the entrypoint itself`;
      report.at('findagent.foreign-field', ['mcp', field], message, {
        hint: 'write "mode": "native", or remove it',
        spot: 'key',
      });
    }
    return;
  }
  const command = stringOf(mcp.command);
  if (command === undefined || command === '') return;
  if (command.includes('/')) {
    if (!checkPath(report, command, ['mcp', 'command'])) return;
    if (bundle.read(normalizePath(command)).kind !== 'file') {
      report.at('findagent.command-missing', ['mcp', 'command'], `the bundle has no file ${show(command)}`, {
        hint: 'write the path relative to the package folder',
      });
    }
    return;
  }
  const first = stringOf(listOf(mcp.args)[0]);
  if (interpreterLanguage(command) === undefined) {
    report.at(
      'findagent.command-not-bundled',
      ['mcp', 'command'],
      `${show(command)} is a program on the machine, not a file of the bundle`,
      {
        hint: 'run a file of the bundle with node or python3; the package is unavailable if the program is not installed',
      },
    );
  } else if (first !== undefined && !first.startsWith('-')) {
    if (!checkPath(report, first, ['mcp', 'args', 0])) return;
    if (bundle.read(normalizePath(first)).kind !== 'file') {
      report.at('findagent.command-missing', ['mcp', 'args', 0], `the bundle has no file ${show(first)}`, {
        hint: 'write the path relative to the package folder',
      });
    }
  }
}

function checkUi(report: FindagentReport, manifest: JsonObject, bundle: Bundle): void {
  const path = stringOrMember(manifest.ui, 'path');
  if (path === undefined || path === '') return;
  const at = pathOfField(manifest.ui, 'ui', 'path');
  if (!checkPath(report, path, at)) return;
  const entry = bundle.read(normalizePath(path));
  const page = entry.kind === 'folder' ? bundle.read(`${normalizePath(path)}/index.html`) : entry;
  if (page.kind !== 'file') {
    const reason =
      entry.kind === 'folder' ? 'the folder has no index.html' : 'the file or folder does not exist';
    report.at('findagent.interface-missing', at, `ui ${show(path)} cannot be shown: ${reason}`, {
      hint: 'name a folder of the bundle that has an index.html',
    });
  }
}

/** False when the path leaves the bundle or is ambiguous. */
function checkPath(report: FindagentReport, path: string, at: JsonPath): boolean {
  if (isBundlePath(path)) return true;
  report.at('file.path-escape', at, `${pathName(at)} ${show(path)} is not a path inside the bundle`, {
    hint: 'write it relative to the package folder, with "/" and without ".."',
  });
  return false;
}
