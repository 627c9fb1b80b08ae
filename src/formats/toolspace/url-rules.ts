import { isObject, type Json, type JsonObject, type JsonPath, toPointer, valueAt } from '../../model/json.js';
import { pathName, show } from '../check.js';
import type { ToolspaceReport } from './codes.js';

/** `link`: shown to people. `request`: the host sends requests to it. `clone`: git fetches from it. */
type Use = 'link' | 'request' | 'clone';

const schemes: Record<Use, readonly string[]> = {
  link: ['https', 'http', 'mailto'],
  request: ['https', 'http'],
  clone: ['https', 'http', 'ssh', 'git'],
};

/** Schemes without encryption. */
const insecureSchemes: readonly string[] = ['http', 'git'];

const places: readonly (readonly [JsonPath, Use])[] = [
  [['tool', 'homepage'], 'link'],
  [['tool', 'author', 'url'], 'link'],
  [['runtime', 'endpoint_url'], 'request'],
  [['smoke', 'url'], 'request'],
  [['kill_switch', 'url'], 'request'],
  [['kill_switch', 'instructions_url'], 'link'],
  [['cost', 'estimate_url'], 'request'],
  [['support', 'issues_url'], 'link'],
  [['support', 'docs_url'], 'link'],
];

export function checkUrls(report: ToolspaceReport, manifest: JsonObject): void {
  // The schema already reports values that are not URLs.
  const reported = new Set(
    report.diagnostics.filter((it) => it.code === 'schema.format').map((it) => it.pointer),
  );
  const check = (path: JsonPath, use: Use) => {
    const url = valueAt(manifest, path);
    if (typeof url === 'string' && !reported.has(toPointer(path))) checkUrl(report, url, path, use);
  };
  for (const [path, use] of places) check(path, use);
  const method = valueAt(manifest, ['runtime', 'install', 'method']);
  check(['runtime', 'install', 'url'], method === 'git' ? 'clone' : 'request');
  const env = Array.isArray(manifest.env) ? manifest.env : [];
  for (const index of env.keys()) check(['env', index, 'obtain_url'], 'link');
  checkCommands(report, manifest);
}

function checkUrl(report: ToolspaceReport, url: string, path: JsonPath, use: Use): void {
  const scheme = url.slice(0, url.indexOf(':')).toLowerCase();
  if (!schemes[use].includes(scheme)) {
    const hint = `use ${schemes[use].filter((it) => !insecureSchemes.includes(it)).join(' or ')}`;
    report.at('toolspace.url-scheme', path, `${pathName(path)} cannot use the scheme "${scheme}:"`, {
      hint,
    });
    return;
  }
  if (scheme === 'mailto') return;
  if (insecureSchemes.includes(scheme)) warnInsecure(report, path, `${scheme}://`);
  const parsed = tryParseUrl(url);
  // "https:a" and "https:///a" are URIs without a host, but a URL parser would invent one.
  if (parsed === undefined || parsed.hostname === '' || !/^[a-z]+:\/\/[^/?#]/i.test(url)) {
    const message = `${pathName(path)} ${show(url)} has no host`;
    report.at('toolspace.url-unusable', path, message, { hint: 'write it like https://example.com/path' });
    return;
  }
  if (parsed.password !== '' || (parsed.username !== '' && scheme !== 'ssh')) {
    const message = `${pathName(path)} contains a user name or password`;
    const hint = 'remove the part before "@" and declare the credential in env';
    report.at('toolspace.url-userinfo', path, message, { hint });
  }
}

/** Checks URLs in commands: whole arguments and --option=URL. */
function checkCommands(report: ToolspaceReport, manifest: JsonObject): void {
  const commands: JsonPath[] = [
    ['runtime', 'entrypoint', 'command'],
    ['smoke', 'command'],
    ['kill_switch', 'command'],
  ];
  const actions = Array.isArray(manifest.actions) ? manifest.actions : [];
  for (const index of actions.keys()) commands.push(['actions', index, 'invocation', 'argv_template']);
  for (const path of commands) {
    const argv = valueAt(manifest, path);
    for (const [index, argument] of (Array.isArray(argv) ? argv : []).entries()) {
      if (typeof argument === 'string' && /(?:^|=)http:\/\//i.test(argument))
        warnInsecure(report, [...path, index], 'http://');
    }
  }
}

function warnInsecure(report: ToolspaceReport, path: JsonPath, prefix: string): void {
  const message = `${pathName(path)} uses ${prefix}, so others on the network can read and change the data`;
  report.at('toolspace.insecure-url', path, message, { hint: 'use https://' });
}

/** Undefined for a valid URI that is not a URL. */
export function tryParseUrl(url: Json | undefined): URL | undefined {
  try {
    return typeof url === 'string' ? new URL(url) : undefined;
  } catch {
    return undefined;
  }
}

/** The endpoint of the runtime; undefined when there is none. */
export function endpointUrl(manifest: JsonObject): URL | undefined {
  return isObject(manifest.runtime) ? tryParseUrl(manifest.runtime.endpoint_url) : undefined;
}
