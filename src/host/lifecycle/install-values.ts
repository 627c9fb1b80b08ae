import { HostError } from '../../model/host-error.js';
import type { Plan } from '../../model/plan.js';
import type { Slot } from '../../model/slot.js';
import { parseGrants } from '../../policy/grant.js';
import type { ValueAudience } from '../../secrets/audience.js';
import type { ValueInput } from '../../secrets/vault.js';
import type { InstallCandidate } from './candidate.js';
import type { InstallRequest } from './installations.js';

/** Throws if a value is unknown, missing or not valid. Nothing has happened yet. */
export async function assertValues(
  slots: readonly Slot[],
  { credentials, package: { id } }: Plan,
  { values = {} }: Pick<InstallRequest, 'values'>,
): Promise<void> {
  const unknown = Object.keys(values).find((name) => !slots.some((it) => it.name === name));
  if (unknown !== undefined)
    throw new HostError('usage', `${id} has no value named ${unknown}`, {
      hint: `it uses ${slots.map((it) => it.name).join(', ') || 'no values'}`,
    });
  const missing = credentials.filter(
    (it) => it.required && !it.isSet && it.default === undefined && !Object.hasOwn(values, it.name),
  );
  if (missing.length > 0)
    throw new HostError('needs_setup', `${id} needs ${missing.map((it) => it.name).join(', ')}`, {
      hint: missing.map((it) => `--secret ${it.name}=@FILE`).join(' '),
    });
  const { valueProblem } = await import('../../secrets/value-check.js');
  for (const slot of slots) {
    const value = Object.hasOwn(values, slot.name) ? values[slot.name] : undefined;
    const problem = value === undefined ? undefined : valueProblem(slot, value);
    if (problem !== undefined)
      throw new HostError('invalid_input', `the value of ${slot.name} is not valid: ${problem}`);
  }
}

/** The given values with who may receive them. */
export function valuesOf(
  { catalog, place }: InstallCandidate,
  { values = {}, recipients = {} }: InstallRequest,
): readonly ValueInput[] {
  const { slots, id, permissions, killSwitch } = catalog.package;
  const { network } = permissions;
  const hosts = [
    ...(network.kind === 'hosts' ? network.hosts : []),
    ...parseGrants(place.grants).shared.network,
    // The plan says that the kill switch sends one of them there.
    ...(killSwitch?.kind === 'url' && network.kind !== 'public' ? [hostOf(killSwitch.url)] : []),
  ].map(({ host }) => (host.includes(':') ? `[${host}]` : host));
  return slots.flatMap((slot) => {
    const value = Object.hasOwn(values, slot.name) ? values[slot.name] : undefined;
    if (value === undefined) return [];
    const audience = audienceOf(slot, recipients[slot.name], hosts);
    return [{ package: id, slot: slot.name, value, audience }];
  });
}

function hostOf(url: string) {
  return { host: new URL(url).hostname.replace(/^\[|\]$/g, '') };
}

/** A format without audiences: the secret may go where the package may go, and nowhere else. */
function audienceOf(
  slot: Slot,
  named: readonly string[] | undefined,
  hosts: readonly string[],
): ValueAudience {
  if (named !== undefined && named.length > 0) return { kind: 'hosts', hosts: named };
  if (slot.secret && slot.audience.kind === 'unbound' && hosts.length > 0) return { kind: 'hosts', hosts };
  return { kind: 'manifest' };
}
