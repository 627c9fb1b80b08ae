import type { ParseOptions } from '../../model/format.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { hookPoints } from '../../model/package.js';
import { pathName, show } from '../check.js';
import { suggest } from '../suggest.js';
import type { NexoReport } from './codes.js';
import { asTable, checkForeignFields, checkKindField, readKind, transportKind } from './kind-field.js';
import { checkCommand, checkSubject, checkUrl } from './target-rules.js';
import { isOlder, isVersion } from './version.js';

/** Ids of the built-in parts of nexo hosts. */
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

/** Rules that the schema cannot express clearly. The schema already reports values of the wrong type. */
export function checkRules(report: NexoReport, manifest: JsonObject, options: ParseOptions): void {
  checkPlugin(report, asTable(manifest.plugin), options);
  if (Object.hasOwn(manifest, 'capabilities')) checkCapabilities(report, manifest.capabilities);
  checkTransport(report, asTable(manifest.transport));
  if (Object.hasOwn(manifest, 'outbound_bindings')) {
    const message = 'outbound_bindings: declared, not served; this host has no channels';
    report.at('field.not-acted-on', ['outbound_bindings'], message, { spot: 'key' });
  }
}

function checkPlugin(report: NexoReport, plugin: JsonObject, options: ParseOptions): void {
  const { id, version, min_agent_version: minVersion } = plugin;
  if (typeof id === 'string' && (reservedIds.includes(id) || options.reservedIds.includes(id))) {
    const reserved = [...new Set([...reservedIds, ...options.reservedIds])].sort();
    report.at('nexo.id-reserved', ['plugin', 'id'], `plugin.id ${show(id)} is reserved by the host`, {
      hint: `choose another id; reserved ids: ${reserved.join(', ')}`,
    });
  }
  const hint = 'write three numbers, such as "0.1.0" or "1.0.0-beta.1"';
  if (typeof version === 'string' && !isVersion(version)) {
    const message = `plugin.version ${show(version)} is not a semantic version`;
    report.at('nexo.version', ['plugin', 'version'], message, { hint });
  }
  if (typeof minVersion !== 'string') return;
  const at = ['plugin', 'min_agent_version'];
  if (!isVersion(minVersion)) {
    const message = `plugin.min_agent_version ${show(minVersion)} is not a semantic version`;
    report.at('nexo.min-agent-version', at, message, { hint });
  } else if (!isVersion(options.agentVersion)) {
    const message = `plugin.min_agent_version is ${minVersion}, but the agent version of this host, ${show(options.agentVersion)}, is not a semantic version`;
    report.at('nexo.agent-too-old', at, message, { hint: 'start the host with --agent-version x.y.z' });
  } else if (isOlder(options.agentVersion, minVersion)) {
    const message = `plugin.min_agent_version is ${minVersion}, but the agent version of this host is ${options.agentVersion}`;
    const fix = 'update the host, or lower min_agent_version if an older agent is enough';
    report.at('nexo.agent-too-old', at, message, { hint: fix });
  }
}

function checkCapabilities(report: NexoReport, value: Json | undefined): void {
  const capabilities = asTable(value);
  const lists = capabilityLists.map((list) => [list, capabilities[list]] as const);
  // An unknown key may be a misspelled list, and is already reported.
  const empty = Object.entries(capabilities).every(
    ([key, names]) => (capabilityLists as readonly string[]).includes(key) && isEmptyList(names),
  );
  if (empty && isObject(value)) {
    report.at('nexo.no-capability', ['capabilities'], 'the extension declares no capability', {
      hint: 'add at least one tool, hook, channel, provider or poller',
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
      const message = `capabilities.${list}[${index}] repeats capabilities.${list}[${first}]: ${show(name)}`;
      report.at('nexo.capability-twice', ['capabilities', list, index], message, {
        hint: 'remove one of them',
      });
    }
    if (list === 'hooks') checkHooks(report, names);
    else if (list !== 'tools' && names.length > 0) {
      const message = `capabilities.${list}: declared, not served; this host has no ${list}`;
      report.at('field.not-acted-on', ['capabilities', list], message, { spot: 'key' });
    }
  }
}

function isEmptyList(value: Json): boolean {
  return Array.isArray(value) && value.length === 0;
}

function checkHooks(report: NexoReport, hooks: readonly Json[]): void {
  for (const [index, hook] of hooks.entries()) {
    if (typeof hook !== 'string' || (hookPoints as readonly string[]).includes(hook)) continue;
    const meant = suggest(hook, hookPoints);
    const suggestion = meant === undefined ? '' : `; did you mean "${meant}"?`;
    const message = `this host never calls the hook ${show(hook)}${suggestion}`;
    report.at('nexo.hook-unknown', ['capabilities', 'hooks', index], message, {
      hint: `supported hooks: ${hookPoints.join(', ')}`,
    });
  }
}

function checkTransport(report: NexoReport, transport: JsonObject): void {
  const path = ['transport'];
  checkKindField(report, transport, transportKind, path);
  const kind = readKind(transport, transportKind);
  if (kind !== undefined) checkForeignFields(report, transport, kind, transportFields, path);
  const { command, args, subject_prefix: subject, url } = transport;
  if (kind === 'stdio' && typeof command === 'string') {
    const hasArguments = Array.isArray(args) && args.length > 0;
    checkCommand(report, command, [...path, 'command'], { written: command, folder: '', hasArguments });
  }
  if (kind === 'nats' && typeof subject === 'string')
    checkSubject(report, subject, [...path, 'subject_prefix']);
  if (kind === 'http' && typeof url === 'string') checkUrl(report, url, [...path, 'url']);
  checkTransportPlaceholders(report, transport);
}

/** [transport] has no placeholders: they would reach the program unchanged. */
function checkTransportPlaceholders(report: NexoReport, transport: JsonObject): void {
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
    const match = typeof text === 'string' ? /\$\{[^{}]{1,64}\}/.exec(text) : null;
    if (match === null) continue;
    report.at(
      'nexo.placeholder-unknown',
      at,
      `${match[0]} in ${pathName(at)} is not filled in and stays unchanged`,
      {
        hint: 'placeholders work only in [mcp_servers]; the extension starts in its own folder',
      },
    );
  }
}
