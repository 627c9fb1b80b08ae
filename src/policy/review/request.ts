// What a package asks for, as plain data: everything whose change could let it do more. Descriptions, schemas and code
// are not included; the digest of the package covers those.
import { canonicalJson, isObject, type Json, tryParseStored } from '../../model/json.js';
import type { Package } from '../../model/package.js';
import type { NetworkAccess, NetworkHost } from '../../model/permissions.js';
import type { Program } from '../../model/program.js';
import { deliveredVariables, type Slot } from '../../model/slot.js';
import type { Effect, Tool } from '../../model/tool.js';
import {
  actionText,
  commandText,
  installText,
  killSwitchText,
  quoteIfNeeded,
  smokeText,
  sortedUnique,
  templateText,
} from './request-text.js';

export interface SlotRequest {
  readonly name: string;
  readonly label: string;
  readonly secret: boolean;
  readonly audience: 'hosts' | 'unbound' | 'public';
  readonly hosts: readonly string[];
  /** How the value is passed on, such as `the variable KEY`. */
  readonly delivery: string;
  /** `operator`, or the provider of a sign-in. */
  readonly source: string;
  readonly sourceScopes: readonly string[];
  /** Used when the operator sets no value; empty: no default. */
  readonly default: string;
}

export interface ProgramRequest {
  readonly name: string;
  /** The command or address, with placeholders shown as `<input …>` and `<slot …>`. */
  readonly command: string;
  /** Such as `python 3.12`; empty where the command is the executable. */
  readonly runtime: string;
  readonly packages: readonly string[];
  /** Variables or headers with their values, as text. */
  readonly environment: readonly string[];
  readonly inWorkspace: boolean;
  readonly callerContext: boolean;
}

export interface ToolRequest {
  readonly name: string;
  readonly effect: Effect;
  /** Whether a person must approve each call, for any reason. */
  readonly asked: boolean;
  /** What a call does, as a sentence; empty for a tool that cannot be called. */
  readonly action: string;
  readonly idempotent: boolean;
  readonly untrustedInputs: readonly string[];
  /** Null: all scopes of the package. */
  readonly scopes: readonly string[] | null;
  /** What its calls may use, if that is less than the package; else empty. */
  readonly access: string;
  readonly maxAmount: number | null;
  /** Maximum calls at once, and per day. Null: no limit. */
  readonly burst: number | null;
  readonly rate: number | null;
}

export interface PackageRequest {
  /** Format version of this document. A document of another version is not read. */
  readonly form: 1;
  readonly id: string;
  readonly network: { readonly kind: NetworkAccess['kind']; readonly hosts: readonly string[] };
  readonly filesystem: 'none' | 'read-only' | 'read-write';
  /** Such as `read /srv/notes`, or `write /srv/notes`. */
  readonly folders: readonly string[];
  readonly stateDirectory: boolean;
  readonly slots: readonly SlotRequest[];
  readonly programs: readonly ProgramRequest[];
  readonly tools: readonly ToolRequest[];
  readonly install: string;
  readonly smoke: string;
  readonly killSwitch: string;
  readonly hooks: readonly string[];
  /** Such as `read mail`, one verb each. */
  readonly scopes: readonly string[];
  readonly announces: boolean;
  readonly interface: string;
  /** Protections that the package declares for its input. */
  readonly maxLength: number | null;
  readonly denyPatterns: readonly string[];
  readonly redact: readonly string[];
}

/** A package that asks for nothing at all. */
export const nothingRequested: PackageRequest = Object.freeze({
  form: 1,
  id: '',
  network: Object.freeze({ kind: 'none', hosts: Object.freeze([]) }),
  filesystem: 'none',
  folders: Object.freeze([]),
  stateDirectory: false,
  slots: Object.freeze([]),
  programs: Object.freeze([]),
  tools: Object.freeze([]),
  install: '',
  smoke: '',
  killSwitch: '',
  hooks: Object.freeze([]),
  scopes: Object.freeze([]),
  announces: false,
  interface: '',
  maxLength: null,
  denyPatterns: Object.freeze([]),
  redact: Object.freeze([]),
});

export function requestOf(pkg: Package): PackageRequest {
  const { permissions, guardrails } = pkg;
  const { network } = permissions;
  return {
    form: 1,
    id: pkg.id,
    network: {
      kind: network.kind,
      hosts: network.kind === 'hosts' ? sortedUnique(network.hosts.map((it) => hostText(it))) : [],
    },
    filesystem: permissions.filesystem,
    folders: sortedUnique(
      (permissions.folders ?? []).map(
        ({ path, writable }) => `${writable ? 'write' : 'read'} ${quoteIfNeeded(path)}`,
      ),
    ),
    stateDirectory: permissions.stateDirectory,
    slots: ordered(pkg.slots.map(slotRequest)),
    programs: ordered(pkg.programs.map(programRequest)),
    tools: ordered(pkg.tools.map((it) => toolRequest(pkg, it))),
    install: installText(pkg.install),
    smoke: smokeText(pkg.smoke),
    killSwitch: killSwitchText(pkg.killSwitch),
    hooks: sortedUnique(pkg.hooks.map((it) => `${it.point} by ${it.program}`)),
    scopes: sortedUnique(
      permissions.scopes.flatMap((it) =>
        it.verbs.map(
          (verb) => `${verb} ${it.resource}${it.providerScope === undefined ? '' : ` (${it.providerScope})`}`,
        ),
      ),
    ),
    announces: pkg.announcesTools,
    interface: pkg.interface ?? '',
    maxLength: guardrails.input.maxLength ?? null,
    denyPatterns: sortedUnique(guardrails.input.denyPatterns),
    redact: sortedUnique(guardrails.input.redact),
  };
}

/** The text that is stored with an agreement. */
export function serializeRequest(request: PackageRequest): string {
  return canonicalJson(request as unknown as Json);
}

/** Parses the stored text. Undefined when another format version wrote it: then nothing counts as agreed to. */
export function parseRequest(text: string): PackageRequest | undefined {
  const stored = tryParseStored(text);
  if (!isObject(stored) || stored.form !== nothingRequested.form) return undefined;
  // Older documents have no folders, because no package could ask for any.
  const value = { folders: [], ...stored };
  const keys = Object.keys(nothingRequested);
  const isComplete =
    keys.every((it) => Object.hasOwn(value, it)) && Object.keys(value).length === keys.length;
  return isComplete ? (value as unknown as PackageRequest) : undefined;
}

function slotRequest(slot: Slot): SlotRequest {
  const { audience, delivery, source } = slot;
  return {
    name: slot.name,
    label: slot.label,
    secret: slot.secret,
    audience: audience.kind,
    hosts: audience.kind === 'hosts' ? sortedUnique(audience.hosts.map(plainHost)) : [],
    delivery:
      delivery.kind === 'environment'
        ? variablesText(deliveredVariables(delivery))
        : delivery.kind === 'context'
          ? 'the call'
          : `requests (${schemeText(delivery.scheme)})`,
    source: source.kind === 'broker' ? `sign-in with ${source.provider}` : 'operator',
    sourceScopes: sortedUnique(source.kind === 'broker' ? source.scopes : (slot.providerScopes ?? [])),
    default: slot.default ?? '',
  };
}

function variablesText(names: readonly string[]): string {
  return names.length === 1 ? `the variable ${names[0]}` : `the variables ${names.join(', ')}`;
}

function schemeText(scheme: Extract<Slot['delivery'], { kind: 'request' }>['scheme']): string {
  return scheme.kind === 'header' ? `header ${scheme.name}: ${scheme.prefix}` : scheme.kind;
}

function programRequest(program: Program): ProgramRequest {
  const { target } = program;
  const settings =
    target.kind === 'process' ? target.environment : target.kind === 'url' ? target.headers : [];
  const runtime = target.kind === 'process' ? target.runtime : undefined;
  return {
    name: program.name,
    command: commandText(target),
    runtime: runtime === undefined ? '' : `${runtime.language} ${runtime.version ?? ''}`.trim(),
    packages: sortedUnique(runtime?.packages ?? []),
    environment: sortedUnique([
      ...settings.map((it) => `${quoteIfNeeded(it.name)}=${templateText(it.value)}`),
      ...(target.kind === 'url' && target.credential !== undefined
        ? [`the credential ${quoteIfNeeded(target.credential)}`]
        : []),
    ]),
    inWorkspace: target.kind === 'process' && target.inWorkspace === true,
    callerContext: program.callerContext,
  };
}

function least(numbers: readonly number[]): number | null {
  return numbers.length === 0 ? null : Math.min(...numbers);
}

const perDay = { second: 86_400, minute: 1440, hour: 24, day: 1 };

function toolRequest(pkg: Package, tool: Tool): ToolRequest {
  const rules = pkg.guardrails.tools.filter((it) => it.tool === tool.name);
  const limits = rules.flatMap((it) => it.rateLimit ?? []);
  const amounts = rules.flatMap((it) => it.maxAmount ?? []);
  return {
    name: tool.name,
    effect: tool.effect,
    asked:
      tool.approval === 'human' ||
      tool.effect === 'destructive' ||
      rules.some((it) => it.approval === 'human'),
    action: actionText(tool.action),
    idempotent: tool.idempotent || rules.some((it) => it.idempotent === true),
    untrustedInputs: sortedUnique(tool.untrustedInputs),
    scopes: tool.scopes === undefined ? null : sortedUnique(tool.scopes),
    access: accessText(tool),
    maxAmount: least(amounts),
    burst: least(limits.map((it) => it.count)),
    rate: least(limits.map((it) => it.count * perDay[it.per])),
  };
}

/** Such as `network: api.example.com; files: read-only`. */
function accessText({ access }: Tool): string {
  if (access === undefined) return '';
  const { network, filesystem } = access;
  const hosts =
    network.kind === 'hosts' ? sortedUnique(network.hosts.map(hostText)).join(', ') : network.kind;
  return `network: ${hosts}; files: ${filesystem}`;
}

function hostText({ host, port, subdomains }: NetworkHost): string {
  const suffix = subdomains === true ? ' and its subdomains' : '';
  return `${plainHost(host)}${port === null ? '' : `:${port}`}${suffix}`;
}

function plainHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}

function ordered<T extends { readonly name: string }>(items: readonly T[]): T[] {
  const withText = items.map((item) => ({ item, text: canonicalJson(item as unknown as Json) }));
  withText.sort((a, b) => compare(a.item.name, b.item.name) || compare(a.text, b.text));
  return withText.map((it) => it.item);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
