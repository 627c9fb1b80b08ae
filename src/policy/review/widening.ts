import {
  nothingRequested,
  type PackageRequest,
  type ProgramRequest,
  type SlotRequest,
  type ToolRequest,
} from './request.js';
import { pairByName, RequestDifference } from './request-difference.js';

/** The difference between two requests, as sentences in a fixed order. */
export interface Widening {
  /** What the package may newly do, and which protections it dropped. */
  readonly widened: readonly string[];
  readonly narrowed: readonly string[];
}

/** Only widening needs consent; narrowing is shown for information. */
export function widening(before: PackageRequest, after: PackageRequest): Widening {
  const change = new RequestDifference();
  compareIdentity(before, after, change);
  compareReach(before, after, change);
  for (const [old, now] of pairByName(before.slots, after.slots)) compareSlot(old, now, change);
  for (const [old, now] of pairByName(before.programs, after.programs)) compareProgram(old, now, change);
  for (const [old, now] of pairByName(before.tools, after.tools)) compareTool(old, now, change);
  compareLifecycle(before, after, change);
  compareGuardrails(before, after, change);
  return { widened: [...change.widened], narrowed: [...change.narrowed] };
}

/** Everything a new package asks for. */
export function requestedPermissions(request: PackageRequest): readonly string[] {
  return widening(nothingRequested, request).widened;
}

/** Secrets and grants are stored by package id, so a new id matters. */
function compareIdentity(before: PackageRequest, after: PackageRequest, change: RequestDifference) {
  if (before.id === after.id) return;
  change.widened.add(
    before.id === ''
      ? `it is a new package: ${after.id}`
      : `it is now called ${after.id} (was: ${before.id})`,
  );
}

const files = { none: 0, 'read-only': 1, 'read-write': 2 };

function compareReach(before: PackageRequest, after: PackageRequest, change: RequestDifference) {
  const wasPublic = before.network.kind === 'public';
  const isPublic = after.network.kind === 'public';
  change.flag(
    wasPublic,
    isPublic,
    'it may reach any public host',
    'it may no longer reach every public host',
  );
  if (!wasPublic && !isPublic) {
    const { hosts } = after.network;
    const reach = (it: string) => `it may reach ${it}`;
    change.members(before.network.hosts, hosts, reach, (it) => `it may no longer reach ${it}`);
  }
  const old = files[before.filesystem];
  const now = files[after.filesystem];
  change.flag(
    old >= 1,
    now >= 1,
    'it may read files of the workspace',
    'it may no longer read files of the workspace',
  );
  change.flag(
    old === 2,
    now === 2,
    'it may change files of the workspace',
    'it may no longer change files of the workspace',
  );
  change.members(
    before.folders,
    after.folders,
    (it) => `it may use a folder of this machine: ${it}`,
    (it) => `it may no longer use a folder of this machine: ${it}`,
  );
  change.flag(
    before.stateDirectory,
    after.stateDirectory,
    'it stores its own files between calls',
    'it no longer stores files between calls',
  );
  const scope = (it: string) => `it wants to act on your behalf: ${it}`;
  change.members(before.scopes, after.scopes, scope, (it) => `it no longer acts on your behalf: ${it}`);
}

function compareSlot(old: SlotRequest | undefined, now: SlotRequest | undefined, change: RequestDifference) {
  if (now === undefined) {
    if (old !== undefined) change.narrowed.add(`it no longer asks for ${old.name}`);
    return;
  }
  const { name } = now;
  if (old === undefined) {
    const label = now.label === '' || now.label === name ? '' : ` (${now.label})`;
    const kind = now.secret ? 'the secret ' : '';
    const scopes = now.sourceScopes.length === 0 ? '' : `, with the rights ${now.sourceScopes.join(', ')}`;
    change.widened.add(`it asks for ${kind}${name}${label}, ${destination(now)}${scopes}`);
    return;
  }
  if (old.default !== now.default)
    change.widened.add(
      `the default of ${name} is ${JSON.stringify(now.default)} (was: ${JSON.stringify(old.default)})`,
    );
  change.flag(
    !old.secret,
    !now.secret,
    `${name} is no longer treated as a secret`,
    `${name} is now treated as a secret`,
  );
  if (old.audience !== now.audience)
    change.widened.add(`${name} has other recipients: ${destination(now)} (was: ${destination(old)})`);
  else
    change.members(
      old.hosts,
      now.hosts,
      (it) => `${name} may go to ${it}`,
      (it) => `${name} may no longer go to ${it}`,
    );
  if (old.delivery !== now.delivery)
    change.widened.add(`${name} is passed in ${now.delivery} (was: ${old.delivery})`);
  if (old.source !== now.source) change.widened.add(`${name} comes from ${now.source} (was: ${old.source})`);
  change.members(
    old.sourceScopes,
    now.sourceScopes,
    (it) => `${name} asks its provider for ${it}`,
    (it) => `${name} no longer asks its provider for ${it}`,
  );
}

function destination({ audience, hosts }: SlotRequest): string {
  if (audience === 'public') return 'which is not a secret';
  return audience === 'hosts' && hosts.length > 0
    ? `which may go to ${hosts.join(', ')}`
    : 'whose recipients you choose when you set it';
}

function compareProgram(
  old: ProgramRequest | undefined,
  now: ProgramRequest | undefined,
  change: RequestDifference,
) {
  if (now === undefined) {
    if (old !== undefined) change.narrowed.add(`it no longer runs ${old.name}: ${runs(old)}`);
    return;
  }
  const { name } = now;
  if (old === undefined) change.widened.add(`it runs ${name}: ${runs(now)}`);
  else if (runs(old) !== runs(now))
    change.widened.add(`it runs another command: ${runs(now)} (was: ${runs(old)})`);
  const install = (it: string) => `it installs ${it} for ${name}`;
  change.members(
    old?.packages ?? [],
    now.packages,
    install,
    (it) => `it no longer installs ${it} for ${name}`,
  );
  change.members(
    old?.environment ?? [],
    now.environment,
    (it) => `it sets ${it} for ${name}`,
    (it) => `it no longer sets ${it} for ${name}`,
  );
  change.flag(
    old?.inWorkspace ?? false,
    now.inWorkspace,
    `${name} works in the workspace`,
    `${name} no longer works in the workspace`,
  );
  change.flag(
    old?.callerContext ?? false,
    now.callerContext,
    `${name} receives the identity of the caller`,
    `${name} no longer receives the identity of the caller`,
  );
}

function runs({ runtime, command }: ProgramRequest): string {
  return runtime === '' ? command : `${runtime}: ${command}`;
}

const ranks = { none: 0, read: 1, write: 2, destructive: 3 };
const can = {
  none: 'only computes',
  read: 'reads your data',
  write: 'can change things',
  destructive: 'can make changes that cannot be undone',
};

function compareTool(old: ToolRequest | undefined, now: ToolRequest | undefined, change: RequestDifference) {
  if (now === undefined) {
    if (old !== undefined) change.narrowed.add(`its tool ${old.name} is gone`);
    return;
  }
  const { name } = now;
  if (old === undefined) {
    const does = now.action === '' ? '' : ` and ${now.action}`;
    const limits = now.asked ? '; a person is asked before each call' : '';
    change.widened.add(`it has the tool ${name}, which ${can[now.effect]}${does}${limits}`);
  } else {
    compareSameTool(old, now, change);
  }
  change.members(
    old?.untrustedInputs ?? [],
    now.untrustedInputs,
    (it) => `${name} accepts untrusted text in ${it}`,
    (it) => `${name} no longer accepts untrusted text in ${it}`,
  );
}

function compareSameTool(old: ToolRequest, now: ToolRequest, change: RequestDifference) {
  const { name } = now;
  const step = ranks[now.effect] - ranks[old.effect];
  if (step !== 0)
    (step > 0 ? change.widened : change.narrowed).add(
      `its tool ${name} ${can[now.effect]} now (was: ${old.effect})`,
    );
  change.flag(
    !old.asked,
    !now.asked,
    `a person is no longer asked before ${name}`,
    `a person is asked before ${name}`,
  );
  change.replacement(
    old.action,
    now.action,
    (it) => `its tool ${name} ${it} (was: ${old.action === '' ? 'nothing' : old.action})`,
    () => `its tool ${name} no longer does anything`,
  );
  // Repeating a call that changes nothing is harmless.
  change.flag(
    repeats(old),
    repeats(now),
    `a failed call of ${name} may be repeated`,
    `a failed call of ${name} is not repeated`,
  );
  change.flag(
    old.scopes === null,
    now.scopes === null,
    `${name} uses all permissions of the package`,
    `${name} uses only some permissions of the package`,
  );
  if (old.scopes !== null && now.scopes !== null)
    change.members(
      old.scopes,
      now.scopes,
      (it) => `${name} uses ${it}`,
      (it) => `${name} no longer uses ${it}`,
    );
  // No order of texts says which is less, so every difference counts.
  const accessOf = ({ access }: ToolRequest) => (access === '' ? 'all that the package may use' : access);
  if (old.access !== now.access)
    change.widened.add(`its tool ${name} may use ${accessOf(now)} (was: ${accessOf(old)})`);
  change.bound(old.maxAmount, now.maxAmount, `the maximum amount for ${name}`);
  change.bound(old.rate, now.rate, `the daily call limit of ${name}`);
  change.bound(old.burst, now.burst, `the burst limit of ${name}`);
}

function compareLifecycle(before: PackageRequest, after: PackageRequest, change: RequestDifference) {
  change.replacement(
    before.install,
    after.install,
    (it) => `its files come from another source: ${it}`,
    () => 'its files are now part of the package',
  );
  const check = (it: string) => `its check after installation ${it}`;
  change.replacement(before.smoke, after.smoke, check, () => 'it is no longer checked after installation');
  const revoke = (it: string) => `revoking its access ${it}`;
  // The user must know when access can no longer be revoked, so every change counts as widening.
  if (before.killSwitch !== after.killSwitch)
    change.widened.add(
      after.killSwitch === '' ? 'its access can no longer be revoked' : revoke(after.killSwitch),
    );
  change.members(
    before.hooks,
    after.hooks,
    (it) => `it adds the hook ${it}`,
    (it) => `it no longer has the hook ${it}`,
  );
  change.flag(
    before.announces,
    after.announces,
    'it announces tools while it runs',
    'it no longer announces tools while it runs',
  );
  change.replacement(
    before.interface,
    after.interface,
    (it) => `it adds a page to the console: ${it}`,
    () => 'it no longer adds a page to the console',
  );
}

function repeats({ idempotent, effect }: ToolRequest): boolean {
  return idempotent && (effect === 'write' || effect === 'destructive');
}

function compareGuardrails(before: PackageRequest, after: PackageRequest, change: RequestDifference) {
  // A new package has no protections to lose.
  if (before.id === '') return;
  change.bound(before.maxLength, after.maxLength, 'the maximum input length');
  const deny = (it: string) => `input that matches ${it} is rejected`;
  change.members(
    after.denyPatterns,
    before.denyPatterns,
    (it) => `input that matches ${it} is no longer rejected`,
    deny,
  );
  const redact = (it: string) => `personal data (${it}) is removed from its input`;
  change.members(
    after.redact,
    before.redact,
    (it) => `personal data (${it}) is no longer removed from its input`,
    redact,
  );
}
