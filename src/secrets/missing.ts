import type { Package } from '../model/package.js';
import { shellWord } from '../model/shell-word.js';
import type { Slot } from '../model/slot.js';

/** What an operator must supply before the package can run, a sentence each with the exact next command. */
export function missingValues(of: Package, has: (slot: string) => boolean): string[] {
  return of.slots.flatMap((slot) => {
    if (!slot.required || slot.default !== undefined || has(slot.name)) return [];
    const label = slot.label === '' || slot.label === slot.name ? '' : ` (${slot.label})`;
    const needs = `${of.id} needs ${slot.name}${label}`;
    if (slot.source.kind === 'broker') return [`${needs}: ${notOffered(slot.source.provider)}`];
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
  return ['toolport secret set', shellWord(of.id), shellWord(slot.name), ...hosts].join(' ');
}

export function notOffered(provider: string): string {
  return `sign-in with ${provider} is not offered yet`;
}
