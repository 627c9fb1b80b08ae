import { HostError } from '../model/host-error.js';
import type { Package } from '../model/package.js';
import type { NetworkHost } from '../model/permissions.js';
import type { Slot, SlotValue } from '../model/slot.js';
import { recipientsOf } from '../secrets/audience.js';
import { brokerEntry } from '../secrets/broker.js';
import { signInFor } from '../secrets/provider.js';
import type { Vault } from '../secrets/vault.js';

/** Variables that an operator let through by name, and the hosts granted beside them. */
export interface Passed {
  readonly environment: Readonly<Record<string, string>>;
  readonly network: readonly NetworkHost[];
  /** Hosts that are ruled out. */
  readonly denied: readonly NetworkHost[];
}

/** A token for a slot that somebody signs in for. */
export type Mint = (slot: Slot) => Promise<string>;

/** Values of a package's slots: from the vault, else a variable that was let through, else a sign-in, else the default. */
export async function slotValues(
  of: Package,
  vault: Vault,
  passed: Passed,
  mint?: Mint,
): Promise<Map<string, SlotValue>> {
  const values = new Map<string, SlotValue>();
  for (const slot of of.slots) {
    const found =
      (await kept(of, slot, vault)) ??
      fromEnvironment(slot, passed) ??
      (await signedIn(slot, mint)) ??
      preset(slot);
    if (found === undefined) continue;
    const { valueProblem } = await import('../secrets/value.js');
    const problem = valueProblem(slot, found.value);
    if (problem !== undefined) {
      throw new HostError(
        'needs_setup',
        `the value that ${of.id} has for ${slot.name} does not fit: ${problem}`,
        {
          hint: `set it again: toolwharf secret set ${of.id} ${slot.name}`,
        },
      );
    }
    values.set(slot.name, found);
  }
  return values;
}

/** Which slots have a value, without opening any. */
export async function filledSlots(
  of: Package,
  vault: Vault,
  { environment }: Passed,
): Promise<ReadonlySet<string>> {
  if (of.slots.length === 0) return new Set();
  const list = await vault.list();
  const entries = list.filter((it) => it.package === of.id).map((it) => it.slot);
  const canSignIn = list.some((it) => it.package === brokerEntry.package && it.slot === brokerEntry.slot);
  const signedIn = of.slots.filter(
    ({ source }) => source.kind === 'broker' && canSignIn && signInFor(source.scopes) !== undefined,
  );
  const passed = of.slots.filter((it) => variableOf(it, environment) !== undefined).map((it) => it.name);
  return new Set([...entries, ...passed, ...signedIn.map((it) => it.name)]);
}

/** What comes from variables, by slot. */
export function passedValues(of: Package, { environment }: Passed): Readonly<Record<string, string>> {
  const found = of.slots.flatMap((slot) => {
    const value = variableOf(slot, environment);
    return value === undefined ? [] : [[slot.name, value] as const];
  });
  return Object.fromEntries(found);
}

async function kept(of: Package, slot: Slot, vault: Vault): Promise<SlotValue | undefined> {
  const opened = await vault.value(of.id, slot.name);
  return (
    opened && { value: opened.value, secret: slot.secret, recipients: recipientsOf(slot, opened.audience) }
  );
}

/** Without a word in the manifest, it may go where the operator let the same session go. */
function fromEnvironment(slot: Slot, { environment, network }: Passed): SlotValue | undefined {
  const value = variableOf(slot, environment);
  if (value === undefined) return undefined;
  const hosts = network.map((it) => it.host);
  const named = slot.secret && slot.audience.kind === 'unbound' && hosts.length > 0;
  return {
    value,
    secret: slot.secret,
    recipients: recipientsOf(slot, named ? { kind: 'hosts', hosts } : { kind: 'manifest' }),
  };
}

function variableOf(slot: Slot, environment: Readonly<Record<string, string>>): string | undefined {
  const name = slot.delivery.kind === 'environment' ? slot.delivery.variable : slot.name;
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
  return value === '' ? undefined : value;
}

async function signedIn(slot: Slot, mint: Mint | undefined): Promise<SlotValue | undefined> {
  if (slot.source.kind !== 'broker' || mint === undefined) return undefined;
  return {
    value: await mint(slot),
    secret: true,
    recipients: recipientsOf(slot, { kind: 'manifest' }),
  };
}

function preset(slot: Slot): SlotValue | undefined {
  return slot.default === undefined
    ? undefined
    : { value: slot.default, secret: false, recipients: { kind: 'any' } };
}
