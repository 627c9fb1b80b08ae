import type { Bundle } from '../../model/bundle.js';
import type { Json, JsonObject, JsonPath } from '../../model/json.js';
import { nameOf, show } from '../check.js';
import type { Report } from '../report.js';
import { cleanPath, isInside, startsCommand } from './bundle-path.js';
import { checkExport } from './export-rules.js';
import { codeMode, listOf, memberOf, objectOf, shortOf, textOf } from './shape.js';

/** Fields that only a code-bundle has. */
const codeFields = ['entrypoint', 'runtime', 'allowed_hosts', 'mcp', 'ui', 'env'];

/** Rules for the files and commands that a code-bundle speaks of. */
export function checkCode(report: Report, manifest: JsonObject, bundle: Bundle): void {
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
    const message = `"${field}" is written as text; the full form is { "${member}": ${show(manifest[field])} }`;
    report.at('findagent.short-form', [field], message);
  }
  checkEntrypoint(report, manifest, bundle);
  checkCommand(report, manifest, bundle);
  checkInterface(report, manifest, bundle);
}

const shortForms = [
  ['entrypoint', 'path'],
  ['runtime', 'kind'],
  ['mcp', 'mode'],
  ['ui', 'path'],
] as const;

function placeOf(value: Json | undefined, field: string, member: string): JsonPath {
  return typeof value === 'string' ? [field] : [field, member];
}

function checkEntrypoint(report: Report, manifest: JsonObject, bundle: Bundle): void {
  const path = shortOf(manifest.entrypoint, 'path');
  if (path === undefined || path === '') return;
  const at = placeOf(manifest.entrypoint, 'entrypoint', 'path');
  if (!checkPath(report, path, at)) return;
  const kind = shortOf(manifest.runtime, 'kind');
  const fits = kind === 'python' ? /\.py$/ : kind === 'node' ? /\.(?:[cm]?js|[cm]?ts)$/ : undefined;
  if (fits !== undefined && !fits.test(path)) {
    const endings = kind === 'python' ? '.py' : '.js, .mjs, .cjs or .ts';
    report.at('findagent.entrypoint-language', at, `${show(path)} is no file for the runtime ${kind}`, {
      hint: `name a file that ends in ${endings}, or change runtime.kind`,
    });
    return;
  }
  const entry = bundle.read(cleanPath(path));
  if (entry.kind !== 'file') {
    const reason =
      entry.kind === 'refused'
        ? entry.detail
        : entry.kind === 'folder'
          ? 'it is a folder'
          : 'there is no such file';
    report.at('findagent.entrypoint-missing', at, `the entrypoint ${show(path)} cannot be used: ${reason}`, {
      hint: 'give the path from the folder of the package',
    });
    return;
  }
  if (codeMode(manifest) === 'wrap') {
    const name = textOf(objectOf(manifest.entrypoint).export) ?? 'handler';
    const place = memberOf(manifest.entrypoint, 'export') === undefined ? at : ['entrypoint', 'export'];
    // A name that cannot be one was reported already.
    if (/^[A-Za-z_$][\w$]*$/.test(name)) checkExport(report, bundle, { path: cleanPath(path), name, place });
  }
}

function checkCommand(report: Report, manifest: JsonObject, bundle: Bundle): void {
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
  const command = textOf(mcp.command);
  if (command === undefined || command === '') return;
  if (command.includes('/')) {
    if (!checkPath(report, command, ['mcp', 'command'])) return;
    if (bundle.read(cleanPath(command)).kind !== 'file') {
      report.at('findagent.command-missing', ['mcp', 'command'], `the bundle has no file ${show(command)}`, {
        hint: 'give the path from the folder of the package',
      });
    }
    return;
  }
  const first = textOf(listOf(mcp.args)[0]);
  if (startsCommand(command) === undefined) {
    report.at(
      'findagent.command-not-bundled',
      ['mcp', 'command'],
      `${show(command)} is a program of the machine, not of the bundle`,
      {
        hint: 'start a file of the bundle with node or python3; the package is unavailable where the program is missing',
      },
    );
  } else if (first !== undefined && !first.startsWith('-')) {
    if (!checkPath(report, first, ['mcp', 'args', 0])) return;
    if (bundle.read(cleanPath(first)).kind !== 'file') {
      report.at('findagent.command-missing', ['mcp', 'args', 0], `the bundle has no file ${show(first)}`, {
        hint: 'give the path from the folder of the package',
      });
    }
  }
}

function checkInterface(report: Report, manifest: JsonObject, bundle: Bundle): void {
  const path = shortOf(manifest.ui, 'path');
  if (path === undefined || path === '') return;
  const at = placeOf(manifest.ui, 'ui', 'path');
  if (!checkPath(report, path, at)) return;
  const entry = bundle.read(cleanPath(path));
  const page = entry.kind === 'folder' ? bundle.read(`${cleanPath(path)}/index.html`) : entry;
  if (page.kind !== 'file') {
    const reason =
      entry.kind === 'folder' ? 'the folder has no index.html' : 'there is no such file or folder';
    report.at('findagent.interface-missing', at, `ui ${show(path)} cannot be shown: ${reason}`, {
      hint: 'name a folder of the bundle with an index.html',
    });
  }
}

/** False when the path leads out of the bundle or could be read in two ways. */
function checkPath(report: Report, path: string, at: JsonPath): boolean {
  if (isInside(path)) return true;
  report.at('file.path-escape', at, `${nameOf(at)} ${show(path)} is no path inside the bundle`, {
    hint: 'write it from the folder of the package, with "/" and without ".."',
  });
  return false;
}
