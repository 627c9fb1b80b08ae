import { suggest } from '../../../formats/suggest.js';
import type { PackageState, RemoteHost, RemoteSession, SecretAudience } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import type { Package } from '../../../model/package.js';
import type { Slot } from '../../../model/slot.js';
import type { Terminal } from '../terminal/terminal.js';

/** A secret or setting that a package of the author asks for. */
export interface AskedValue {
  readonly package: Package;
  readonly slot: Slot;
}

/** The values that the packages ask for and somebody can set. */
export async function askedValues(session: RemoteSession): Promise<readonly AskedValue[]> {
  const { packages } = await session.packages();
  return packages.flatMap(({ package: pkg }) =>
    pkg === undefined
      ? []
      : pkg.slots.filter((it) => it.source.kind === 'operator').map((slot) => ({ package: pkg, slot })),
  );
}

/** Those that `name` means: `NAME`, or `PACKAGE/NAME` if several packages ask for the same name. */
export function valuesNamed(name: string, asked: readonly AskedValue[]): readonly AskedValue[] {
  const found = asked.filter((it) => it.slot.name === name || `${it.package.id}/${it.slot.name}` === name);
  if (found.length > 0) return found;
  const names = [...new Set(asked.map((it) => it.slot.name))];
  const meant = suggest(name, names);
  // The name could be the value in the wrong place, so it is not repeated.
  throw new HostError('usage', 'no package here asks for a value with that name', {
    hint:
      meant === undefined
        ? names.length === 0
          ? 'they ask for no secrets or settings'
          : `they ask for ${names.join(', ')}`
        : `did you mean ${meant}?`,
  });
}

/** Stores a value on the host of the author. */
export async function setAuthorValue(
  { package: pkg, slot }: AskedValue,
  value: string,
  audience: SecretAudience,
  host: Pick<RemoteHost, 'secrets'>,
  terminal: Terminal,
): Promise<void> {
  const by = { name: terminal.principal, channel: 'terminal' } as const;
  await host.secrets.set({ package: pkg.id, slot: slot.name, value, audience, keyStorage: 'file', by });
}

/** `hosts`: who may receive the value; empty: those that the manifest names. */
export function audienceFor(hosts: readonly string[]): SecretAudience {
  return hosts.length === 0 ? { kind: 'manifest' } : { kind: 'hosts', hosts };
}

/** Required values of a package that are not set. */
export function missingSlots(
  { package: pkg }: PackageState,
  isSet: (slot: string) => boolean,
): readonly Slot[] {
  return (pkg?.slots ?? []).filter((it) => it.required && it.default === undefined && !isSet(it.name));
}
