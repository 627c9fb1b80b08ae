import { HostError } from '../../model/host-error.js';
import type { Package } from '../../model/package.js';
import { deliveredVariables, type Slot, type SlotValue } from '../../model/slot.js';
import { recipientsOf } from '../../secrets/audience.js';
import { signInFor } from '../../secrets/sign-in-provider.js';
import { brokerKeyEntry } from '../../secrets/token-broker.js';
import type { Vault } from '../../secrets/vault.js';
import type { PassedEnvironment } from './passed-environment.js';

/** Gets a token for a slot that is filled by signing in. */
export type MintToken = (slot: Slot) => Promise<string>;

/**
 * The values of a package's slots: from the vault, else a granted variable, else a sign-in, else the default. All
 * sign-ins that are missing are named together.
 */
export async function slotValues(
  pkg: Package,
  vault: Vault,
  passed: PassedEnvironment,
  mint?: MintToken,
): Promise<Map<string, SlotValue>> {
  const values = new Map<string, SlotValue>();
  const signIns: HostError[] = [];
  for (const slot of pkg.slots) {
    const found =
      (await fromVault(pkg, slot, vault)) ??
      fromEnvironment(slot, passed) ??
      (await fromSignIn(slot, mint).catch((error: unknown) => {
        if (!(error instanceof HostError) || error.code !== 'auth_required') throw error;
        signIns.push(error);
        return undefined;
      })) ??
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
  if (signIns.length > 0) throw missingSignIns(signIns);
  return values;
}

/** One error for all sign-ins that somebody still has to do. */
function missingSignIns(errors: readonly HostError[]): HostError {
  const [first] = errors;
  if (first !== undefined && errors.length === 1) return first;
  const hints = errors.flatMap((it) => (it.hint === undefined ? [] : [it.hint]));
  return new HostError('auth_required', errors.map((it) => it.message).join('; '), {
    hint: [...new Set(hints)].join('\n'),
    cause: first,
  });
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
  const variables = deliveredVariables(slot.delivery);
  const names = variables.length === 0 ? [slot.name] : variables;
  const given = names.map((it) => (Object.hasOwn(environment, it) ? environment[it] : undefined));
  return given.find((it) => it !== undefined && it !== '');
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
