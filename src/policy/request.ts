// What a package asks for, as plain data: everything whose change could let it do more. Descriptions, schemas and code
// are not part of it; the digest of the package covers those.
import { canonicalJson, isObject, type Json } from '../model/json.js';
import type { Package } from '../model/package.js';
import type { NetworkAccess, NetworkHost } from '../model/permissions.js';
import type { Program } from '../model/program.js';
import type { Slot } from '../model/slot.js';
import type { Effect, Tool } from '../model/tool.js';
import {
  actionText,
  commandText,
  installText,
  killSwitchText,
  smokeText,
  sorted,
  templateText,
  word,
} from './request-text.js';

export interface SlotRequest {
  readonly name: string;
  readonly label: string;
  readonly secret: boolean;
  readonly audience: 'hosts' | 'unbound' | 'public';
  readonly hosts: readonly string[];
  /** How the value reaches whoever uses it. */
  readonly delivery: string;
  /** `operator`, or the provider of a sign-in. */
  readonly source: string;
  readonly sourceScopes: readonly string[];
  /** What it is without the operator's word; empty where it has none. */
  readonly default: string;
}

export interface ProgramRequest {
  readonly name: string;
  /** What runs or is asked, with holes shown as `<input …>` and `<slot …>`. */
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
  /** Whether a person is asked before each call, for whatever reason. */
  readonly asked: boolean;
  /** What a call does, in words; empty for a tool that is only shown. */
  readonly action: string;
  readonly idempotent: boolean;
  readonly untrustedInputs: readonly string[];
  /** Null is all scopes of the package. */
  readonly scopes: readonly string[] | null;
  readonly maxAmount: number | null;
  /** Calls at once, and a day. */
  readonly burst: number | null;
  readonly rate: number | null;
}

export interface PackageRequest {
  /** Counts the shapes of this document; another one is not understood. */
  readonly form: 1;
  readonly id: string;
  readonly network: { readonly kind: NetworkAccess['kind']; readonly hosts: readonly string[] };
  readonly filesystem: 'none' | 'read-only' | 'read-write';
  readonly stateDirectory: boolean;
  readonly slots: readonly SlotRequest[];
  readonly programs: readonly ProgramRequest[];
  readonly tools: readonly ToolRequest[];
  readonly install: string;
  readonly smoke: string;
  readonly killSwitch: string;
  readonly hooks: readonly string[];
  /** `verb resource`, one verb each. */
  readonly scopes: readonly string[];
  readonly announces: boolean;
  readonly interface: string;
  /** Protections that the package asks the host for. */
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

export function requestOf(of: Package): PackageRequest {
  const { permissions, guardrails } = of;
  const { network } = permissions;
  return {
    form: 1,
    id: of.id,
    network: {
      kind: network.kind,
      hosts: network.kind === 'hosts' ? sorted(network.hosts.map((it) => hostText(it))) : [],
    },
    filesystem: permissions.filesystem,
    stateDirectory: permissions.stateDirectory,
    slots: ordered(of.slots.map(slotRequest)),
    programs: ordered(of.programs.map(programRequest)),
    tools: ordered(of.tools.map((it) => toolRequest(of, it))),
    install: installText(of.install),
    smoke: smokeText(of.smoke),
    killSwitch: killSwitchText(of.killSwitch),
    hooks: sorted(of.hooks.map((it) => `${it.point} by ${it.program}`)),
    scopes: sorted(
      permissions.scopes.flatMap((it) =>
        it.verbs.map(
          (verb) => `${verb} ${it.resource}${it.providerScope === undefined ? '' : ` (${it.providerScope})`}`,
        ),
      ),
    ),
    announces: of.announces,
    interface: of.interface ?? '',
    maxLength: guardrails.input.maxLength ?? null,
    denyPatterns: sorted(guardrails.input.denyPatterns),
    redact: sorted(guardrails.input.redact),
  };
}

/** The spelling that is kept. */
export function requestText(request: PackageRequest): string {
  return canonicalJson(request as unknown as Json);
}

/** What was kept. Undefined when another version of this program wrote it: then nothing of it counts as agreed. */
export function readRequest(text: string): PackageRequest | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || value.form !== nothingRequested.form) return undefined;
    const keys = Object.keys(nothingRequested);
    const whole = keys.every((it) => Object.hasOwn(value, it)) && Object.keys(value).length === keys.length;
    return whole ? (value as unknown as PackageRequest) : undefined;
  } catch {
    return undefined;
  }
}

function slotRequest(slot: Slot): SlotRequest {
  const { audience, delivery, source } = slot;
  return {
    name: slot.name,
    label: slot.label,
    secret: slot.secret,
    audience: audience.kind,
    hosts: audience.kind === 'hosts' ? sorted(audience.hosts.map(plainHost)) : [],
    delivery:
      delivery.kind === 'environment'
        ? `the variable ${delivery.variable}`
        : delivery.kind === 'context'
          ? 'the call'
          : `requests (${schemeText(delivery.scheme)})`,
    source: source.kind === 'broker' ? `sign-in with ${source.provider}` : 'operator',
    sourceScopes: source.kind === 'broker' ? sorted(source.scopes) : [],
    default: slot.default ?? '',
  };
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
    packages: sorted(runtime?.packages ?? []),
    environment: sorted([
      ...settings.map((it) => `${word(it.name)}=${templateText(it.value)}`),
      ...(target.kind === 'url' && target.credential !== undefined
        ? [`the credential ${word(target.credential)}`]
        : []),
    ]),
    inWorkspace: target.kind === 'process' && target.inWorkspace === true,
    callerContext: program.callerContext,
  };
}

function least(numbers: readonly number[]): number | null {
  return numbers.length === 0 ? null : Math.min(...numbers);
}

const days = { second: 86_400, minute: 1440, hour: 24, day: 1 };

function toolRequest(of: Package, tool: Tool): ToolRequest {
  const rules = of.guardrails.tools.filter((it) => it.tool === tool.name);
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
    untrustedInputs: sorted(tool.untrustedInputs),
    scopes: tool.scopes === undefined ? null : sorted(tool.scopes),
    maxAmount: least(amounts),
    burst: least(limits.map((it) => it.count)),
    rate: least(limits.map((it) => it.count * days[it.per])),
  };
}

function hostText({ host, port, subdomains }: NetworkHost): string {
  const below = subdomains === true ? ' and names below it' : '';
  return `${plainHost(host)}${port === null ? '' : `:${port}`}${below}`;
}

function plainHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}

function ordered<T extends { readonly name: string }>(items: readonly T[]): T[] {
  const spelled = items.map((item) => ({ item, text: canonicalJson(item as unknown as Json) }));
  spelled.sort((a, b) => compare(a.item.name, b.item.name) || compare(a.text, b.text));
  return spelled.map((it) => it.item);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
