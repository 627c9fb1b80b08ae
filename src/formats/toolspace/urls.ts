import { isObject, type Json, type JsonObject, type JsonPath, toPointer, valueAt } from '../../model/json.js';
import { nameOf, show } from '../check.js';
import type { Report } from '../report.js';

/** `link`: shown to people. `request`: the host talks to it. `clone`: git talks to it. */
type Use = 'link' | 'request' | 'clone';

const schemes: Record<Use, readonly string[]> = {
  link: ['https', 'http', 'mailto'],
  request: ['https', 'http'],
  clone: ['https', 'http', 'ssh', 'git'],
};

/** Anybody on the way can read and change what these carry. */
const open: readonly string[] = ['http', 'git'];

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

export function checkUrls(report: Report, manifest: JsonObject): void {
  // What is no URL at all was reported by the schema.
  const refused = new Set(
    report.diagnostics.filter((it) => it.code === 'schema.format').map((it) => it.pointer),
  );
  const check = (path: JsonPath, use: Use) => {
    const url = valueAt(manifest, path);
    if (typeof url === 'string' && !refused.has(toPointer(path))) checkUrl(report, url, path, use);
  };
  for (const [path, use] of places) check(path, use);
  const method = valueAt(manifest, ['runtime', 'install', 'method']);
  check(['runtime', 'install', 'url'], method === 'git' ? 'clone' : 'request');
  const env = Array.isArray(manifest.env) ? manifest.env : [];
  for (const index of env.keys()) check(['env', index, 'obtain_url'], 'link');
  checkCommands(report, manifest);
}

function checkUrl(report: Report, url: string, path: JsonPath, use: Use): void {
  const scheme = url.slice(0, url.indexOf(':')).toLowerCase();
  if (!schemes[use].includes(scheme)) {
    const hint = `use ${schemes[use].filter((it) => !open.includes(it)).join(' or ')}`;
    report.at('toolspace.url-scheme', path, `${nameOf(path)} cannot have the scheme "${scheme}:"`, { hint });
    return;
  }
  if (scheme === 'mailto') return;
  if (open.includes(scheme)) warnOpen(report, path, `${scheme}://`);
  const parsed = parse(url);
  // "https:a" and "https:///a" are URIs without a host, and a URL parser would make one up.
  if (parsed === undefined || parsed.hostname === '' || !/^[a-z]+:\/\/[^/?#]/i.test(url)) {
    const message = `${nameOf(path)} ${show(url)} names no host`;
    report.at('toolspace.url-unusable', path, message, { hint: 'write it like https://example.com/path' });
    return;
  }
  if (parsed.password !== '' || (parsed.username !== '' && scheme !== 'ssh')) {
    const message = `${nameOf(path)} holds a user name or password`;
    const hint = 'remove what stands before "@"; ask for credentials in env';
    report.at('toolspace.url-userinfo', path, message, { hint });
  }
}

/** Commands carry URLs too, on their own or as --option=URL. */
function checkCommands(report: Report, manifest: JsonObject): void {
  const commands: JsonPath[] = [
    ['runtime', 'entrypoint', 'command'],
    ['smoke', 'command'],
    ['kill_switch', 'command'],
  ];
  const actions = Array.isArray(manifest.actions) ? manifest.actions : [];
  for (const index of actions.keys()) commands.push(['actions', index, 'invocation', 'argv_template']);
  for (const path of commands) {
    const words = valueAt(manifest, path);
    for (const [index, word] of (Array.isArray(words) ? words : []).entries()) {
      if (typeof word === 'string' && /(?:^|=)http:\/\//i.test(word))
        warnOpen(report, [...path, index], 'http://');
    }
  }
}

function warnOpen(report: Report, path: JsonPath, prefix: string): void {
  const message = `${nameOf(path)} goes over ${prefix}, which anybody on the way can read and change`;
  report.at('toolspace.insecure-url', path, message, { hint: 'use https://' });
}

/** Undefined where the general grammar of URIs allows what no host can be made of. */
export function parse(url: Json | undefined): URL | undefined {
  try {
    return typeof url === 'string' ? new URL(url) : undefined;
  } catch {
    return undefined;
  }
}

/** Scheme, host and port of the endpoint, for what is narrowed to it. */
export function endpointOf(manifest: JsonObject): URL | undefined {
  return isObject(manifest.runtime) ? parse(manifest.runtime.endpoint_url) : undefined;
}
