import type { JsonObject, JsonPath } from '../../model/json.js';
import { imagePattern, npmRangeOf, pypiRangeOf } from '../../model/package-range.js';
import { pathName, show } from '../check.js';
import { interpreterOf } from '../interpreter.js';
import type { McpReport } from './codes.js';
import { tableOf, targetOf, textOf, textsOf } from './manifest-fields.js';
import { parseHost } from './network.js';
import { placeholderNames } from './placeholders.js';
import { checkValues, valueNames } from './values.js';

/** Rules that the schema cannot express clearly. The schema already reports values of the wrong type. */
export function checkRules(report: McpReport, manifest: JsonObject): void {
  checkTarget(report, manifest);
  checkCommand(report, manifest);
  checkScript(report, manifest);
  checkUrl(report, manifest);
  checkHeaders(report, manifest);
  checkValues(report, manifest);
  checkPlaceholders(report, manifest);
  checkFolders(report, manifest);
  checkNetwork(report, manifest);
  checkInstall(report, manifest);
}

const onlyForPrograms = ['command', 'args', 'cwd', 'files', 'install', 'build'];

function checkTarget(report: McpReport, manifest: JsonObject): void {
  const target = targetOf(manifest);
  if (target === undefined && manifest.install === undefined) {
    const message = 'the manifest says neither how to start the server nor where it is';
    report.at('mcp.target', [], message, { hint: 'add "command", "url", or "install" with an image' });
  }
  if (target !== 'url') return;
  const given = onlyForPrograms.filter((it) => manifest[it] !== undefined);
  if (manifest.command !== undefined)
    report.at('mcp.target', ['command'], 'the manifest has both "command" and "url"', {
      hint: 'keep the one that is meant',
      spot: 'key',
    });
  for (const it of given.filter((name) => name !== 'command'))
    report.at('mcp.not-for-url', [it], `${it} has no effect for a server at a URL`, {
      hint: 'remove it',
      spot: 'key',
    });
}

function checkCommand(report: McpReport, manifest: JsonObject): void {
  const command = textOf(manifest.command);
  if (command === undefined) return;
  const at = ['command'];
  if (command.trim() === '')
    report.at('mcp.command', at, 'command is empty', { hint: 'name the program to start' });
  else if (/^(?:npx|bunx|pnpx|uvx|pipx)$/.test(command))
    report.at('mcp.package-runner', at, `${command} downloads a program each time it starts`, {
      hint: `name the package in "install" and its command here; "toolwharf add NAME -- ${command} …" does that`,
    });
  else if (/\s/.test(command) && manifest.args === undefined)
    report.at('mcp.command', at, `command ${show(command)} has spaces, but it names one program`, {
      hint: 'move the arguments to "args"',
    });
  else if (command.includes('/') && !command.startsWith('/') && folderInside(command) === undefined)
    report.at('file.path-escape', at, `command ${show(command)} leaves the package`, {
      hint: 'put the program in the package, or name one that is installed',
    });
}

/** The script of an interpreter is a file of the package, or in a folder that the manifest names. */
function checkScript(report: McpReport, manifest: JsonObject): void {
  const [script] = Array.isArray(manifest.args) ? manifest.args : [];
  if (typeof script !== 'string' || /^[-$]/.test(script)) return;
  if (interpreterOf(textOf(manifest.command) ?? '') === undefined || folderInside(script) !== undefined)
    return;
  const { read, write } = tableOf(manifest.files);
  const folders = [...textsOf(read), ...textsOf(write)];
  if (isPlainPath(script) && folders.some((it) => script.startsWith(`${it}/`))) return;
  report.at('file.path-escape', ['args', 0], `the script ${show(script)} is not in the package`, {
    hint: 'put the script in the package, or name its folder in "files"',
  });
}

function checkUrl(report: McpReport, { url, headers }: JsonObject): void {
  const at = ['url'];
  const text = textOf(url);
  if (text === undefined) {
    if (url === undefined && headers !== undefined)
      report.at('mcp.header', ['headers'], 'headers are only for a server at a URL', {
        hint: 'remove them, or use "env"',
        spot: 'key',
      });
    return;
  }
  const parsed = urlOf(text);
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    report.at('mcp.url', at, `${show(text)} is not an http:// or https:// URL`, {
      hint: 'write it with scheme and host, such as https://mcp.example.com/mcp',
    });
  else if (parsed.username !== '' || parsed.password !== '')
    report.at('mcp.url', at, 'the URL contains a user name or password', {
      hint: 'put it into a header with a secret value',
    });
}

function urlOf(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function checkHeaders(report: McpReport, manifest: JsonObject): void {
  for (const [name, value] of Object.entries(tableOf(manifest.headers))) {
    const at = ['headers', name];
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name))
      report.at('mcp.header', at, `${show(name)} is not a valid header name`, {
        hint: 'use letters, digits and "-"',
        spot: 'key',
      });
    if (typeof value === 'string' && !/^[\t\x20-\x7e]*$/.test(value))
      report.at('mcp.header', at, `the header ${show(name)} contains a character that is not allowed`, {
        hint: 'use printable ASCII on one line',
      });
  }
}

function checkPlaceholders(report: McpReport, manifest: JsonObject): void {
  const known = valueNames(manifest);
  const check = (text: unknown, at: JsonPath) => {
    const unknown =
      typeof text === 'string' ? placeholderNames(text).find((it) => !known.includes(it)) : undefined;
    if (unknown === undefined) return;
    report.at('mcp.placeholder', at, `${pathName(at)} uses \${${unknown}}, which is not a value`, {
      hint: known.length === 0 ? 'declare it in "values"' : `the values are ${known.join(', ')}`,
    });
  };
  const args = Array.isArray(manifest.args) ? manifest.args : [];
  for (const [index, it] of args.entries()) check(it, ['args', index]);
  for (const [name, it] of Object.entries(tableOf(manifest.headers))) check(it, ['headers', name]);
  for (const it of ['command', 'url'] as const) {
    const [first] = placeholderNames(textOf(manifest[it]) ?? '');
    if (first !== undefined)
      report.at('mcp.placeholder', [it], `${it} contains \${${first}}, which is not replaced there`, {
        hint: 'values can be used in "args" and "headers"',
      });
  }
}

function checkFolders(report: McpReport, manifest: JsonObject): void {
  const cwd = textOf(manifest.cwd);
  if (cwd !== undefined && cwd !== '${data}' && cwd !== '${workspace}' && folderInside(cwd) === undefined)
    report.at('mcp.cwd', ['cwd'], `cwd ${show(cwd)} is not a folder of the package`, {
      hint: 'write a relative path, "${data}" or "${workspace}"',
    });
  const files = tableOf(manifest.files);
  for (const member of ['read', 'write'] as const) {
    const paths = Array.isArray(files[member]) ? files[member] : [];
    for (const [index, path] of paths.entries()) {
      if (typeof path !== 'string' || isPlainPath(path)) continue;
      const message = `${show(path)} is not an absolute path`;
      report.at('mcp.folder', ['files', member, index], message, {
        hint: 'write it from "/" on, without "." and ".."',
      });
    }
  }
}

function isPlainPath(path: string): boolean {
  if (!path.startsWith('/') || /[\0\r\n]/.test(path)) return false;
  return path
    .split('/')
    .slice(1)
    .every((it) => it !== '.' && it !== '..');
}

/** The folder or file of the package that a relative path means; undefined if it leaves the package. */
export function folderInside(path: string): string | undefined {
  if (/^\/|^[A-Za-z]:|[\\\0]|\$\{/.test(path)) return undefined;
  const steps: string[] = [];
  for (const step of path.split('/')) {
    if (step === '..') {
      if (steps.pop() === undefined) return undefined;
    } else if (step !== '' && step !== '.') steps.push(step);
  }
  return steps.join('/');
}

function checkNetwork(report: McpReport, { network }: JsonObject): void {
  const hosts = Array.isArray(network) ? network : [];
  for (const [index, host] of hosts.entries()) {
    if (typeof host !== 'string' || parseHost(host) !== undefined) continue;
    report.at('mcp.host', ['network', index], `${show(host)} is not a host name`, {
      hint: 'write a name with an optional port, such as "api.example.com" or "api.example.com:8443"',
    });
  }
}

function checkInstall(report: McpReport, manifest: JsonObject): void {
  const install = tableOf(manifest.install);
  const check = (member: string, isValid: (text: string) => boolean, hint: string) => {
    const text = textOf(install[member]);
    if (text === undefined || isValid(text)) return;
    report.at('mcp.install', ['install', member], `${show(text)} does not name what to install`, { hint });
  };
  check(
    'npm',
    (it) => npmRangeOf(it) !== undefined,
    'write a package with its version, such as "notes@1.2.0"',
  );
  check(
    'pypi',
    (it) => pypiRangeOf(it) !== undefined,
    'write a package with its version, such as "notes==1.2.0"',
  );
  check(
    'image',
    (it) => imagePattern.test(it),
    'write the image with its registry, such as "registry.example.com/notes:1.2"',
  );
  if (textOf(install.npm) !== undefined || textOf(install.pypi) !== undefined) {
    if (manifest.command === undefined && manifest.url === undefined)
      report.at(
        'mcp.command',
        ['install'],
        'the manifest does not say which command of the package starts the server',
        {
          hint: 'add "command"',
          spot: 'key',
        },
      );
  }
  if (manifest.build !== undefined && install.npm === undefined)
    report.at('mcp.install', ['build'], 'only npm packages have install scripts', {
      hint: 'remove "build", or add "install" with "npm"',
      spot: 'key',
    });
  for (const [index, name] of textsOf(manifest.build).entries())
    if (npmRangeOf(name)?.name !== name)
      report.at('mcp.install', ['build', index], `${show(name)} is not the name of an npm package`, {
        hint: 'write the name without a version',
      });
}
