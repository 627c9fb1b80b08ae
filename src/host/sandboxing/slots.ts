import { HostError } from '../../model/host-error.js';
import type { Package } from '../../model/package.js';
import type { Slot, SlotValue } from '../../model/slot.js';
import { recipientsOf } from '../../secrets/audience.js';
import { signInFor } from '../../secrets/sign-in-provider.js';
import { brokerKeyEntry } from '../../secrets/token-broker.js';
import type { Vault } from '../../secrets/vault.js';
import type { PassedEnvironment } from './passed-environment.js';

/** Gets a token for a slot that is filled by signing in. */
export type MintToken = (slot: Slot) => Promise<string>;

/** The values of a package's slots: from the vault, else a granted variable, else a sign-in, else the default. */
export async function slotValues(
  pkg: Package,
  vault: Vault,
  passed: PassedEnvironment,
  mint?: MintToken,
): Promise<Map<string, SlotValue>> {
  const values = new Map<string, SlotValue>();
  for (const slot of pkg.slots) {
    const found =
      (await fromVault(pkg, slot, vault)) ??
      fromEnvironment(slot, passed) ??
      (await fromSignIn(slot, mint)) ??
      fromDefault(slot);
    if (found === undefined) continue;
    const { valueProblem } = await import('../../secrets/value-check.js');
    const problem = valueProblem(slot, found.value);
    if (problem !== undefined) {
      throw new HostError('needs_setup', `the value of ${slot.name} for ${pkg.id} is not valid: ${problem}`, {
        hint: `set it again: toolwharf secret set ${pkg.id} ${slot.name}`,
      });
    }
    values.set(slot.name, found);
  }
  return values;
}

/** The slots that have a value. Decrypts nothing. */
export async function filledSlots(
  pkg: Package,
  vault: Vault,
  { environment }: PassedEnvironment,
): Promise<ReadonlySet<string>> {
  if (pkg.slots.length === 0) return new Set();
  const list = await vault.list();
  const entries = list.filter((it) => it.package === pkg.id).map((it) => it.slot);
  const canSignIn = list.some(
    (it) => it.package === brokerKeyEntry.package && it.slot === brokerKeyEntry.slot,
  );
  const signedIn = pkg.slots.filter(
    ({ source }) => source.kind === 'broker' && canSignIn && signInFor(source.scopes) !== undefined,
  );
  const passed = pkg.slots.filter((it) => variableOf(it, environment) !== undefined).map((it) => it.name);
  return new Set([...entries, ...passed, ...signedIn.map((it) => it.name)]);
}

/** The values that come from granted variables, by slot. */
export function passedValues(
  pkg: Package,
  { environment }: PassedEnvironment,
): Readonly<Record<string, string>> {
  const found = pkg.slots.flatMap((slot) => {
    const value = variableOf(slot, environment);
    return value === undefined ? [] : [[slot.name, value] as const];
  });
  return Object.fromEntries(found);
}

async function fromVault(pkg: Package, slot: Slot, vault: Vault): Promise<SlotValue | undefined> {
  const opened = await vault.value(pkg.id, slot.name);
  return (
    opened && { value: opened.value, secret: slot.secret, recipients: recipientsOf(slot, opened.audience) }
  );
}

/** If the manifest names no recipients, a secret may go to the hosts that the operator granted. */
function fromEnvironment(slot: Slot, { environment, network }: PassedEnvironment): SlotValue | undefined {
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

async function fromSignIn(slot: Slot, mint: MintToken | undefined): Promise<SlotValue | undefined> {
  if (slot.source.kind !== 'broker' || mint === undefined) return undefined;
  return {
    value: await mint(slot),
    secret: true,
    recipients: recipientsOf(slot, { kind: 'manifest' }),
  };
}

function fromDefault(slot: Slot): SlotValue | undefined {
  return slot.default === undefined
    ? undefined
    : { value: slot.default, secret: false, recipients: { kind: 'any' } };
}
