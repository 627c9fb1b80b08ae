import { isObject, type Json, type JsonObject, type JsonPath } from '../../model/json.js';
import { pathName, show } from '../check.js';
import type { ToolspaceReport } from './codes.js';

/** Checks that the runtime has the entrypoint, endpoint or image that the actions need. */
export function checkRuntime(report: ToolspaceReport, manifest: JsonObject): void {
  const { runtime } = manifest;
  if (!isObject(runtime)) return;
  const { kind, entrypoint, endpoint_url: endpoint } = runtime;
  if (entrypoint !== undefined && endpoint !== undefined) {
    const message = 'runtime has both entrypoint and endpoint_url; a tool runs either locally or remotely';
    report.at('toolspace.entrypoint-and-endpoint', ['runtime', 'endpoint_url'], message, {
      hint: 'keep one of them, or split the tool into two manifests',
      spot: 'key',
    });
  }
  const image = isObject(runtime.install) && runtime.install.method === 'container';
  if (entrypoint === undefined) {
    const dependents = actionsOf(manifest, ['subcommand', 'stdin-json']);
    // An image can define the command of a server, but actions need an entrypoint to add their arguments to.
    if (kind === 'mcp-stdio' && !image) dependents.unshift('runtime.kind mcp-stdio');
    reportMissing(
      report,
      'toolspace.no-entrypoint',
      'entrypoint',
      dependents,
      'add "entrypoint": {"command": […]}',
    );
  }
  if (endpoint === undefined) {
    const dependents = actionsOf(manifest, ['http']);
    if (kind === 'mcp-http') dependents.unshift('runtime.kind mcp-http');
    reportMissing(
      report,
      'toolspace.no-endpoint',
      'endpoint_url',
      dependents,
      'add "endpoint_url": "https://…"',
    );
  }
  if (kind === 'container' && !image && isObject(runtime.install) && runtime.install.method !== undefined) {
    const message = `runtime.kind container needs an image, but install method ${show(runtime.install.method)} has none`;
    report.at('toolspace.no-image', ['runtime', 'install', 'method'], message, {
      hint: 'use "method": "container" with an image, or another runtime.kind',
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
  report: ToolspaceReport,
  code: 'toolspace.no-entrypoint' | 'toolspace.no-endpoint',
  field: string,
  dependents: readonly string[],
  hint: string,
): void {
  const [first, ...others] = dependents;
  if (first === undefined) return;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const verb = others.length === 0 ? 'needs' : 'need';
  const message = `runtime.${field} is missing; ${first}${more} ${verb} it`;
  report.at(code, ['runtime'], message, { hint, spot: 'key' });
}

function checkEntrypoint(report: ToolspaceReport, entrypoint: Json | undefined, image: boolean): void {
  if (!isObject(entrypoint)) return;
  checkCommand(report, entrypoint.command, ['runtime', 'entrypoint', 'command'], image);
  const { cwd } = entrypoint;
  if (typeof cwd !== 'string') return;
  const path = ['runtime', 'entrypoint', 'cwd'];
  if (image) {
    report.at(
      'field.not-acted-on',
      path,
      'cwd has no effect: a container starts in the working directory of its image',
      {
        spot: 'key',
      },
    );
  } else if (resolvePackagePath(cwd) === undefined) {
    report.at('toolspace.path-escape', path, `${pathName(path)} ${show(cwd)} leaves the package`, {
      hint: 'write a folder relative to the package root',
    });
  }
}

function checkCommand(
  report: ToolspaceReport,
  command: Json | undefined,
  path: JsonPath,
  image: boolean,
): void {
  const [first, second] = Array.isArray(command) ? command : [];
  if (typeof first !== 'string') return;
  if (!image) checkScript(report, first, second, path);
  const at = [...path, 0];
  if (first.trim() === '') {
    report.at('toolspace.empty-command', at, `${pathName(path)} is empty: the program is missing`, {
      hint: 'start with the program, such as "python3"',
    });
  } else if (/\s/.test(first)) {
    const message = `${show(first)} has spaces, but it is used as the name of one program`;
    report.at('toolspace.command-spaces', at, message, {
      hint: 'write each argument as a separate entry; there is no shell to split them',
    });
  }
}

/** The script of an interpreter, or a program with a relative path, must be inside the package. */
function checkScript(report: ToolspaceReport, first: string, second: Json | undefined, path: JsonPath): void {
  const interpreted = /^(?:node|python(?:3(?:\.\d{1,2})?)?)$/.test(first);
  const script = interpreted && typeof second === 'string' && !second.startsWith('-') ? second : undefined;
  const program = !interpreted && /^\.{0,2}[^/]*\//.test(first) && !first.startsWith('/') ? first : undefined;
  const file = script ?? program;
  if (
    file === undefined ||
    (resolvePackagePath(file) !== undefined && !/(?:^|[/\\])\.\.(?:[/\\]|$)/.test(file))
  )
    return;
  const at = [...path, script === undefined ? 0 : 1];
  report.at('toolspace.path-escape', at, `${pathName(at)} ${show(file)} leaves the package`, {
    hint: 'write a file path relative to the package root',
  });
}

/** The path without "." and ".." segments; undefined when it is absolute or leaves its start folder. */
export function resolvePackagePath(path: string): string | undefined {
  if (/^(?:[/\\]|[A-Za-z]:)/.test(path)) return undefined;
  const steps: string[] = [];
  for (const step of path.split(/[/\\]/)) {
    if (step === '' || step === '.') continue;
    if (step !== '..') steps.push(step);
    else if (steps.pop() === undefined) return undefined;
  }
  return steps.join('/');
}
