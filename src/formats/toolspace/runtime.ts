import { isObject, type Json, type JsonObject, type JsonPath } from '../../model/json.js';
import { nameOf, show } from '../check.js';
import type { Report } from '../report.js';

/** What starts or answers must be there for the actions that use it. */
export function checkRuntime(report: Report, manifest: JsonObject): void {
  const { runtime } = manifest;
  if (!isObject(runtime)) return;
  const { kind, entrypoint, endpoint_url: endpoint } = runtime;
  if (entrypoint !== undefined && endpoint !== undefined) {
    const message =
      'runtime has both entrypoint and endpoint_url; a tool is started here or answers elsewhere';
    report.at('toolspace.entrypoint-and-endpoint', ['runtime', 'endpoint_url'], message, {
      hint: 'keep one; split a tool that does both into two manifests',
      spot: 'key',
    });
  }
  const image = isObject(runtime.install) && runtime.install.method === 'container';
  if (entrypoint === undefined) {
    const users = actionsOf(manifest, ['subcommand', 'stdin-json']);
    // An image may bring its own command for a server; arguments need something to be added to.
    if (kind === 'mcp-stdio' && !image) users.unshift('runtime.kind mcp-stdio');
    reportMissing(
      report,
      'toolspace.no-entrypoint',
      'entrypoint',
      users,
      'add "entrypoint": {"command": […]}',
    );
  }
  if (endpoint === undefined) {
    const users = actionsOf(manifest, ['http']);
    if (kind === 'mcp-http') users.unshift('runtime.kind mcp-http');
    reportMissing(report, 'toolspace.no-endpoint', 'endpoint_url', users, 'add "endpoint_url": "https://…"');
  }
  if (kind === 'container' && !image && isObject(runtime.install) && runtime.install.method !== undefined) {
    const message = `a container needs an image, and ${show(runtime.install.method)} brings none`;
    report.at('toolspace.no-image', ['runtime', 'install', 'method'], message, {
      hint: 'use "method": "container" with an image, or another kind',
    });
  }
  checkEntrypoint(report, entrypoint, image);
  const smoke = isObject(manifest.smoke) ? manifest.smoke : {};
  checkCommand(report, smoke.command, ['smoke', 'command'], image);
  const killSwitch = isObject(manifest.kill_switch) ? manifest.kill_switch : {};
  checkCommand(report, killSwitch.command, ['kill_switch', 'command'], image);
}

function actionsOf(manifest: JsonObject, kinds: readonly string[]): string[] {
  const actions = Array.isArray(manifest.actions) ? manifest.actions : [];
  return actions.flatMap((action, index) =>
    isObject(action) && isObject(action.invocation) && kinds.includes(String(action.invocation.kind))
      ? [`actions[${index}] (${String(action.invocation.kind)})`]
      : [],
  );
}

function reportMissing(
  report: Report,
  code: 'toolspace.no-entrypoint' | 'toolspace.no-endpoint',
  field: string,
  users: readonly string[],
  hint: string,
): void {
  const [first, ...others] = users;
  if (first === undefined) return;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const verb = others.length === 0 ? 'needs' : 'need';
  const message = `runtime.${field} is missing; ${first}${more} ${verb} it`;
  report.at(code, ['runtime'], message, { hint, spot: 'key' });
}

function checkEntrypoint(report: Report, entrypoint: Json | undefined, image: boolean): void {
  if (!isObject(entrypoint)) return;
  checkCommand(report, entrypoint.command, ['runtime', 'entrypoint', 'command'], image);
  const { cwd } = entrypoint;
  if (typeof cwd !== 'string') return;
  const path = ['runtime', 'entrypoint', 'cwd'];
  if (image) {
    report.at('field.not-acted-on', path, 'a container starts in the folder that its image names', {
      spot: 'key',
    });
  } else if (insidePath(cwd) === undefined) {
    report.at('toolspace.path-escape', path, `${nameOf(path)} ${show(cwd)} leads out of the package`, {
      hint: 'name a folder of the package, relative to its root',
    });
  }
}

function checkCommand(report: Report, command: Json | undefined, path: JsonPath, image: boolean): void {
  const [first, second] = Array.isArray(command) ? command : [];
  if (typeof first !== 'string') return;
  if (!image) checkScript(report, first, second, path);
  const at = [...path, 0];
  if (first.trim() === '') {
    report.at('toolspace.empty-command', at, `${nameOf(path)} names no program`, {
      hint: 'begin with the program, such as "python3"',
    });
  } else if (/\s/.test(first)) {
    const message = `${show(first)} is taken for the name of one program, spaces and all`;
    report.at('toolspace.command-spaces', at, message, {
      hint: 'write each word as an entry of its own: no shell splits them',
    });
  }
}

/** The file that an interpreter is given, or a program named by a relative path, is one of the package's own. */
function checkScript(report: Report, first: string, second: Json | undefined, path: JsonPath): void {
  const interpreted = /^(?:node|python(?:3(?:\.\d{1,2})?)?)$/.test(first);
  const script = interpreted && typeof second === 'string' && !second.startsWith('-') ? second : undefined;
  const program = !interpreted && /^\.{0,2}[^/]*\//.test(first) && !first.startsWith('/') ? first : undefined;
  const file = script ?? program;
  if (file === undefined || (insidePath(file) !== undefined && !/(?:^|[/\\])\.\.(?:[/\\]|$)/.test(file)))
    return;
  const at = [...path, script === undefined ? 0 : 1];
  report.at('toolspace.path-escape', at, `${nameOf(at)} ${show(file)} leads out of the package`, {
    hint: 'name a file of the package, relative to its root',
  });
}

/** The path without "." steps; undefined when it is absolute or leads out of the folder it starts in. */
export function insidePath(path: string): string | undefined {
  if (/^(?:[/\\]|[A-Za-z]:)/.test(path)) return undefined;
  const steps: string[] = [];
  for (const step of path.split(/[/\\]/)) {
    if (step === '' || step === '.') continue;
    if (step !== '..') steps.push(step);
    else if (steps.pop() === undefined) return undefined;
  }
  return steps.join('/');
}
