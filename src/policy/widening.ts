import { Difference, pairs } from './difference.js';
import {
  nothingRequested,
  type PackageRequest,
  type ProgramRequest,
  type SlotRequest,
  type ToolRequest,
} from './request.js';

/** Sentences, in a fixed order. */
export interface Widening {
  /** What the package may do now that it could not before, and which protections it gave up. */
  readonly widened: readonly string[];
  readonly narrowed: readonly string[];
}

/** Only gains need somebody's consent; what a package gave up is shown beside them. */
export function widening(before: PackageRequest, after: PackageRequest): Widening {
  const change = new Difference();
  compareIdentity(before, after, change);
  compareReach(before, after, change);
  for (const [old, now] of pairs(before.slots, after.slots)) compareSlot(old, now, change);
  for (const [old, now] of pairs(before.programs, after.programs)) compareProgram(old, now, change);
  for (const [old, now] of pairs(before.tools, after.tools)) compareTool(old, now, change);
  compareLifecycle(before, after, change);
  compareGuardrails(before, after, change);
  return { widened: [...change.widened], narrowed: [...change.narrowed] };
}

/** What a package would get that nobody has agreed to yet. */
export function everythingOf(request: PackageRequest): readonly string[] {
  return widening(nothingRequested, request).widened;
}

/** Secrets and grants belong to an id. */
function compareIdentity(before: PackageRequest, after: PackageRequest, change: Difference) {
  if (before.id === after.id) return;
  change.widened.add(
    before.id === ''
      ? `it is a new package: ${after.id}`
      : `it is called ${after.id} now (was: ${before.id})`,
  );
}

const files = { none: 0, 'read-only': 1, 'read-write': 2 };

function compareReach(before: PackageRequest, after: PackageRequest, change: Difference) {
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
  change.flag(
    before.stateDirectory,
    after.stateDirectory,
    'it keeps files of its own between calls',
    'it no longer keeps files between calls',
  );
  const scope = (it: string) => `it wants to act for you: ${it}`;
  change.members(before.scopes, after.scopes, scope, (it) => `it no longer acts for you: ${it}`);
}

function compareSlot(old: SlotRequest | undefined, now: SlotRequest | undefined, change: Difference) {
  if (now === undefined) {
    if (old !== undefined) change.narrowed.add(`it no longer asks for ${old.name}`);
    return;
  }
  const { name } = now;
  if (old === undefined) {
    const label = now.label === '' || now.label === name ? '' : ` (${now.label})`;
    const kind = now.secret ? 'the secret ' : '';
    change.widened.add(`it asks for ${kind}${name}${label}, ${destination(now)}`);
    return;
  }
  if (old.default !== now.default)
    change.widened.add(
      `${name} is ${JSON.stringify(now.default)} unless you say otherwise (was: ${JSON.stringify(old.default)})`,
    );
  change.flag(
    !old.secret,
    !now.secret,
    `${name} is no longer kept as a secret`,
    `${name} is kept as a secret now`,
  );
  if (old.audience !== now.audience)
    change.widened.add(`${name} has other receivers: ${destination(now)} (was: ${destination(old)})`);
  else
    change.members(
      old.hosts,
      now.hosts,
      (it) => `${name} may go to ${it}`,
      (it) => `${name} may no longer go to ${it}`,
    );
  if (old.delivery !== now.delivery)
    change.widened.add(`${name} is handed over in ${now.delivery} (was: ${old.delivery})`);
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
    : 'which may go where you say when you set it';
}

function compareProgram(
  old: ProgramRequest | undefined,
  now: ProgramRequest | undefined,
  change: Difference,
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
    (it) => `it gives ${name} the setting ${it}`,
    (it) => `it no longer gives ${name} the setting ${it}`,
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
    `${name} is told who is calling`,
    `${name} is no longer told who is calling`,
  );
}

function runs({ runtime, command }: ProgramRequest): string {
  return runtime === '' ? command : `${runtime}: ${command}`;
}

const ranks = { none: 0, read: 1, write: 2, destructive: 3 };
const can = {
  none: 'only computes',
  read: 'looks at your data',
  write: 'can change things',
  destructive: 'can do what cannot be undone',
};

function compareTool(old: ToolRequest | undefined, now: ToolRequest | undefined, change: Difference) {
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
    (it) => `untrusted text may come into ${name} through ${it}`,
    (it) => `untrusted text may no longer come into ${name} through ${it}`,
  );
}

function compareSameTool(old: ToolRequest, now: ToolRequest, change: Difference) {
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
  change.way(
    old.action,
    now.action,
    (it) => `its tool ${name} ${it} (was: ${old.action === '' ? 'nothing' : old.action})`,
    () => `its tool ${name} does nothing any more`,
  );
  // Repeating what changes nothing is nothing new.
  change.flag(
    repeats(old),
    repeats(now),
    `a failed call of ${name} may be repeated`,
    `a failed call of ${name} is not repeated`,
  );
  change.flag(
    old.scopes === null,
    now.scopes === null,
    `${name} uses all that it may do for you`,
    `${name} uses only a part of what it may do for you`,
  );
  if (old.scopes !== null && now.scopes !== null)
    change.members(
      old.scopes,
      now.scopes,
      (it) => `${name} uses ${it}`,
      (it) => `${name} no longer uses ${it}`,
    );
  change.bound(old.maxAmount, now.maxAmount, `the largest amount for ${name}`);
  change.bound(old.rate, now.rate, `the number of calls a day of ${name}`);
  change.bound(old.burst, now.burst, `the number of calls at once of ${name}`);
}

function compareLifecycle(before: PackageRequest, after: PackageRequest, change: Difference) {
  change.way(
    before.install,
    after.install,
    (it) => `its files come from elsewhere: ${it}`,
    () => 'its files are in its own folder now',
  );
  const check = (it: string) => `its check after installing ${it}`;
  change.way(before.smoke, after.smoke, check, () => 'it is no longer checked after installing');
  const revoke = (it: string) => `taking its access back ${it}`;
  // Whoever loses the way to take access back should know it.
  if (before.killSwitch !== after.killSwitch)
    change.widened.add(
      after.killSwitch === '' ? 'its access can no longer be taken back' : revoke(after.killSwitch),
    );
  change.members(
    before.hooks,
    after.hooks,
    (it) => `it wants to be asked ${it}`,
    (it) => `it is no longer asked ${it}`,
  );
  change.flag(
    before.announces,
    after.announces,
    'it brings tools that appear only when it runs',
    'it no longer brings tools that appear when it runs',
  );
  change.way(
    before.interface,
    after.interface,
    (it) => `it brings a page for the console: ${it}`,
    () => 'it no longer brings a page for the console',
  );
}

function repeats({ idempotent, effect }: ToolRequest): boolean {
  return idempotent && (effect === 'write' || effect === 'destructive');
}

function compareGuardrails(before: PackageRequest, after: PackageRequest, change: Difference) {
  // A package that is new has given nothing up.
  if (before.id === '') return;
  change.bound(before.maxLength, after.maxLength, 'the largest input');
  const deny = (it: string) => `input that matches ${it} is refused`;
  change.members(after.denyPatterns, before.denyPatterns, (it) => `${deny(it)} no longer`, deny);
  const redact = (it: string) => `personal data (${it}) is taken out of its input`;
  change.members(after.redact, before.redact, (it) => `${redact(it)} no longer`, redact);
}
