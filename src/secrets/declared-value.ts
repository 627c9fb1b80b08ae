import type { Package } from '../model/package.js';
import type { Slot } from '../model/slot.js';
import { secretSetCommand } from './missing-values.js';
import { brokerKeyEntry } from './token-broker.js';

/** A value that an accepted package asks for, as its manifest describes it. */
export interface DeclaredValue {
  readonly package: string;
  readonly slot: string;
  readonly label: string;
  /** The text that asks for it; empty if the manifest has none. */
  readonly prompt: string;
  readonly secret: boolean;
  /** Whether it is hidden while it is typed. */
  readonly masked: boolean;
  /** Allowed values; empty: any. */
  readonly choices: readonly string[];
  /** A web page where it can be obtained; empty if the manifest names none. */
  readonly obtainUrl: string;
  /** Scopes that it needs at its provider. */
  readonly providerScopes: readonly string[];
  /** Whether calls fail until it is set: it is required, has no default, and is not set. */
  readonly missing: boolean;
  /** The command that sets it. */
  readonly command: string;
}

/** The values that packages ask for. `isSet`: whether the vault has a value. */
export function declaredValues(
  packages: readonly Package[],
  isSet: (packageId: string, slot: string) => boolean,
): DeclaredValue[] {
  const own = packages.flatMap((pkg) =>
    pkg.slots.flatMap((slot) => (slot.source.kind === 'broker' ? [] : [declaredValue(pkg, slot, isSet)])),
  );
  const signsIn = packages.some((it) => it.slots.some(({ source }) => source.kind === 'broker'));
  return signsIn ? [...own, brokerKey(isSet(brokerKeyEntry.package, brokerKeyEntry.slot))] : own;
}

function declaredValue(
  pkg: Package,
  slot: Slot,
  isSet: (packageId: string, slot: string) => boolean,
): DeclaredValue {
  const { name, label, prompt = '', secret, plainEntry, choices = [], obtainUrl = '' } = slot;
  return {
    ...{ package: pkg.id, slot: name, label, prompt, secret, choices, obtainUrl },
    masked: secret && plainEntry !== true,
    providerScopes: slot.providerScopes ?? [],
    missing: slot.required && slot.default === undefined && !isSet(pkg.id, name),
    command: secretSetCommand(pkg, slot),
  };
}

/** The key that sign-ins of all packages need. */
function brokerKey(isSet: boolean): DeclaredValue {
  const { package: packageId, slot } = brokerKeyEntry;
  return {
    ...{ package: packageId, slot, label: 'key of the token broker', prompt: '', secret: true, masked: true },
    ...{ choices: [], obtainUrl: '', providerScopes: [], missing: !isSet },
    command: `toolwharf secret set ${packageId} ${slot}`,
  };
}
