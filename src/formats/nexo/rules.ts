import type { ParseOptions } from '../../model/format.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { hookPoints } from '../../model/package.js';
import { nameOf, show } from '../check.js';
import type { Report } from '../report.js';
import { suggest } from '../suggest.js';
import { checkCommand, checkSubject, checkUrl } from './address.js';
import { checkForeign, checkKind, kindOf, tableAt, transportKind } from './kind.js';
import { isOlder, isVersion } from './version.js';

/** Ids of what hosts of this format bring along. */
export const reservedIds = [
  'agent',
  'browser',
  'core',
  'email',
  'heartbeat',
  'memory',
  'telegram',
  'whatsapp',
];

export const capabilityLists = ['tools', 'hooks', 'channels', 'providers', 'pollers'] as const;

const transportFields = { stdio: ['command', 'args'], nats: ['subject_prefix'], http: ['url'] };

/** What the schema cannot say, or not as well. Values of the wrong type were reported already. */
export function checkRules(report: Report, manifest: JsonObject, options: ParseOptions): void {
  checkPlugin(report, tableAt(manifest.plugin), options);
  if (Object.hasOwn(manifest, 'capabilities')) checkCapabilities(report, manifest.capabilities);
  checkTransport(report, tableAt(manifest.transport));
  if (Object.hasOwn(manifest, 'outbound_bindings')) {
    const message = 'this host sends through no channels; outbound_bindings is shown only';
    report.at('field.not-acted-on', ['outbound_bindings'], message, { spot: 'key' });
  }
}

function checkPlugin(report: Report, plugin: JsonObject, options: ParseOptions): void {
  const { id, version, min_agent_version: wanted } = plugin;
  if (typeof id === 'string' && (reservedIds.includes(id) || options.reservedIds.includes(id))) {
    const taken = [...new Set([...reservedIds, ...options.reservedIds])].sort();
    report.at('nexo.id-reserved', ['plugin', 'id'], `plugin.id ${show(id)} is reserved by the host`, {
      hint: `choose another; reserved are ${taken.join(', ')}`,
    });
  }
  const hint = 'write three numbers, such as "0.1.0" or "1.0.0-beta.1"';
  if (typeof version === 'string' && !isVersion(version)) {
    const message = `plugin.version ${show(version)} is not a semantic version`;
    report.at('nexo.version', ['plugin', 'version'], message, { hint });
  }
  if (typeof wanted !== 'string') return;
  const at = ['plugin', 'min_agent_version'];
  if (!isVersion(wanted)) {
    const message = `plugin.min_agent_version ${show(wanted)} is not a semantic version`;
    report.at('nexo.min-agent-version', at, message, { hint });
  } else if (!isVersion(options.agentVersion)) {
    const message = `plugin.min_agent_version is ${wanted}, and the host's agent version ${show(options.agentVersion)} cannot be compared with it`;
    report.at('nexo.agent-too-old', at, message, { hint: 'start the host with --agent-version x.y.z' });
  } else if (isOlder(options.agentVersion, wanted)) {
    const message = `plugin.min_agent_version is ${wanted}, and this host is agent version ${options.agentVersion}`;
    const mend = 'update the host, or lower the version if an older agent will do';
    report.at('nexo.agent-too-old', at, message, { hint: mend });
  }
}

function checkCapabilities(report: Report, value: Json | undefined): void {
  const capabilities = tableAt(value);
  const lists = capabilityLists.map((list) => [list, capabilities[list]] as const);
  // What else stands there was reported already, and may have been meant to be one of the lists.
  const nothing = Object.entries(capabilities).every(
    ([key, names]) => (capabilityLists as readonly string[]).includes(key) && isEmptyList(names),
  );
  if (nothing && isObject(value)) {
    report.at('nexo.no-capability', ['capabilities'], 'the extension declares no capability', {
      hint: 'name at least one tool, hook, channel, provider or poller',
      spot: 'key',
    });
  }
  for (const [list, names] of lists) {
    if (!Array.isArray(names)) continue;
    const seen = new Map<Json, number>();
    for (const [index, name] of names.entries()) {
      const first = seen.get(name);
      if (first === undefined) {
        seen.set(name, index);
        continue;
      }
      const message = `capabilities.${list}[${index}] is ${show(name)} again, as capabilities.${list}[${first}]`;
      report.at('nexo.capability-twice', ['capabilities', list, index], message, {
        hint: 'remove one of them',
      });
    }
    if (list === 'hooks') checkHooks(report, names);
    else if (list !== 'tools' && names.length > 0) {
      const message = `this host does not act on ${list}; they are shown only`;
      report.at('field.not-acted-on', ['capabilities', list], message, { spot: 'key' });
    }
  }
}

function isEmptyList(value: Json): boolean {
  return Array.isArray(value) && value.length === 0;
}

function checkHooks(report: Report, hooks: readonly Json[]): void {
  for (const [index, hook] of hooks.entries()) {
    if (typeof hook !== 'string' || (hookPoints as readonly string[]).includes(hook)) continue;
    const meant = suggest(hook, hookPoints);
    const likely = meant === undefined ? '' : `; did you mean "${meant}"?`;
    const message = `this host never asks at the hook ${show(hook)}${likely}`;
    report.at('nexo.hook-unknown', ['capabilities', 'hooks', index], message, {
      hint: `the hooks are ${hookPoints.join(', ')}`,
    });
  }
}

function checkTransport(report: Report, transport: JsonObject): void {
  const path = ['transport'];
  checkKind(report, transport, transportKind, path);
  const kind = kindOf(transport, transportKind);
  if (kind !== undefined) checkForeign(report, transport, kind, transportFields, path);
  const { command, args, subject_prefix: subject, url } = transport;
  if (kind === 'stdio' && typeof command === 'string') {
    const hasArguments = Array.isArray(args) && args.length > 0;
    checkCommand(report, command, [...path, 'command'], { written: command, folder: '', hasArguments });
  }
  if (kind === 'nats' && typeof subject === 'string')
    checkSubject(report, subject, [...path, 'subject_prefix']);
  if (kind === 'http' && typeof url === 'string') checkUrl(report, url, [...path, 'url']);
  checkNothingToFill(report, transport);
}

/** Placeholders are filled for MCP servers; here they would reach the program as they are written. */
function checkNothingToFill(report: Report, transport: JsonObject): void {
  const { command, args, url } = transport;
  const texts: [Json | undefined, (string | number)[]][] = [
    [command, ['transport', 'command']],
    [url, ['transport', 'url']],
    ...(Array.isArray(args) ? args : []).map((it, index): [Json, (string | number)[]] => [
      it,
      ['transport', 'args', index],
    ]),
  ];
  for (const [text, at] of texts) {
    const hole = typeof text === 'string' ? /\$\{[^{}]{1,64}\}/.exec(text) : null;
    if (hole === null) continue;
    report.at('nexo.placeholder-unknown', at, `${hole[0]} in ${nameOf(at)} stays as it is written`, {
      hint: 'placeholders are filled in [mcp_servers] only; the extension starts in its own folder',
    });
  }
}
