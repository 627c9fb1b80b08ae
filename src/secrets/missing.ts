import type { Package } from '../model/package.js';
import { shellWord } from '../model/shell-word.js';
import type { Slot } from '../model/slot.js';
import { brokerEntry } from './broker.js';
import { signInFor } from './provider.js';

/** What an operator must supply before the package can run, a sentence each with the exact next command. */
export function missingValues(of: Package, has: (slot: string) => boolean): string[] {
  return of.slots.flatMap((slot) => {
    if (!slot.required || slot.default !== undefined || has(slot.name)) return [];
    const label = slot.label === '' || slot.label === slot.name ? '' : ` (${slot.label})`;
    const needs = `${of.id} needs ${slot.name}${label}`;
    if (slot.source.kind === 'broker') return [`${needs}${signInWords(slot.source.scopes)}`];
    return [`${needs}. Set it: ${setCommand(of, slot)}`];
  });
}

/** A secret whose manifest names no receiver goes nowhere unless the operator names one. */
export function setCommand(of: Package, slot: Slot): string {
  const { network } = of.permissions;
  const unbound = slot.secret && slot.audience.kind === 'unbound' && network.kind !== 'none';
  // Without a host it is kept to the package itself, which then has no network: safe, and often all it takes.
  const named = network.kind === 'hosts' ? [...new Set(network.hosts.map((it) => it.host))] : [];
  const hosts = unbound ? named.map((it) => `--host ${it}`) : [];
  return ['toolwharf secret set', shellWord(of.id), shellWord(slot.name), ...hosts].join(' ');
}

/** What is missing is the key of the broker; whose sign-in it then takes is found out by a call. */
function signInWords(scopes: readonly string[]): string {
  const list = scopes.join(', ');
  if (signInFor(scopes) === undefined)
    return `: no single sign-in covers ${list}, and it can be given one token only`;
  const command = `toolwharf secret set ${brokerEntry.package} ${brokerEntry.slot}`;
  return `: a sign-in for ${list}, through a token broker whose key is not set. Set it: ${command}`;
}
