import type { Package } from '../model/package.js';
import { shellQuote } from '../model/shell-quote.js';
import type { Slot } from '../model/slot.js';
import { signInFor } from './sign-in-provider.js';
import { brokerKeyEntry } from './token-broker.js';

/** The values that an operator must still set, one sentence each with the exact command. */
export function missingValues(pkg: Package, has: (slot: string) => boolean): string[] {
  return pkg.slots.flatMap((slot) => {
    if (!slot.required || slot.default !== undefined || has(slot.name)) return [];
    const label = slot.label === '' || slot.label === slot.name ? '' : ` (${slot.label})`;
    const needs = `${pkg.id} needs ${slot.name}${label}`;
    if (slot.source.kind === 'broker') return [`${needs}${signInText(slot.source.scopes)}`];
    return [`${needs}. Set it: ${secretSetCommand(pkg, slot)}`];
  });
}

/** The command that sets a value. A secret without recipients in the manifest gets the package's hosts as `--host`. */
export function secretSetCommand(pkg: Package, slot: Slot): string {
  const { network } = pkg.permissions;
  const unbound = slot.secret && slot.audience.kind === 'unbound' && network.kind !== 'none';
  // Without a host the secret stays in the package, which then has no network: safe, and often sufficient.
  const packageHosts = network.kind === 'hosts' ? [...new Set(network.hosts.map((it) => it.host))] : [];
  const hosts = unbound ? packageHosts.map((it) => `--host ${it}`) : [];
  // JSON is usually a key file, and a terminal reads only one line.
  const file = slot.type === 'json' ? ['--file FILE'] : [];
  return ['toolwharf secret set', shellQuote(pkg.id), shellQuote(slot.name), ...hosts, ...file].join(' ');
}

/** Only the key of the token broker is missing here. A call finds out whose sign-in is needed. */
function signInText(scopes: readonly string[]): string {
  const list = scopes.join(', ');
  if (signInFor(scopes) === undefined) return `: no single sign-in covers ${list}`;
  const command = `toolwharf secret set ${brokerKeyEntry.package} ${brokerKeyEntry.slot}`;
  return `: a sign-in for ${list} through the token broker, whose key is not set. Set it: ${command}`;
}
