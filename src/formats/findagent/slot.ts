import type { JsonObject } from '../../model/json.js';
import type { AuthScheme, Slot, SlotDelivery } from '../../model/slot.js';
import { normalizeHost } from './host-name.js';
import { codeMode, listOf, objectsOf, stringOf } from './manifest-fields.js';
import { usedByRequest } from './slot-rules.js';

/** Credentials first, then the plain settings of a code-bundle. */
export function slotsOf(manifest: JsonObject): Slot[] {
  const credentials = objectsOf(manifest.credential_slots).map(([, it]) => credential(manifest, it));
  if (codeMode(manifest) === 'none') return credentials;
  return [...credentials, ...objectsOf(manifest.env).map(([, it]) => setting(it))];
}

/** Every credential is a secret. Its type only decides how the value is entered. */
function credential(manifest: JsonObject, slot: JsonObject): Slot {
  const description = stringOf(slot.description);
  const type = stringOf(slot.type) ?? 'string';
  return {
    name: slot.ref as string,
    label: slot.label as string,
    ...(description === undefined ? {} : { prompt: description }),
    secret: true,
    ...(type === 'string' ? { plainEntry: true } : {}),
    required: slot.required !== false,
    type: type === 'json' ? 'json' : 'text',
    source: { kind: 'operator' },
    delivery: deliveryOf(manifest, slot),
    audience: { kind: 'hosts', hosts: listOf(slot.allowed_hosts).map((it) => normalizeHost(it as string)) },
  };
}

function deliveryOf(manifest: JsonObject, slot: JsonObject): SlotDelivery {
  if (codeMode(manifest) !== 'none' && !usedByRequest(manifest, slot)) {
    return { kind: 'environment', variable: stringOf(slot.env) ?? variableOf(slot.ref as string) };
  }
  return { kind: 'request', scheme: schemeOf(slot) };
}

/** `analytics-token` becomes `ANALYTICS_TOKEN`. */
function variableOf(ref: string): string {
  const name = ref.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
  return /^[A-Z]/.test(name) ? name : `SLOT_${name}`;
}

function schemeOf(slot: JsonObject): AuthScheme {
  switch (slot.auth_scheme) {
    case 'basic':
      return { kind: 'basic' };
    case 'raw':
      return { kind: 'raw' };
    case 'header':
      return { kind: 'header', name: slot.header_name as string, prefix: stringOf(slot.prefix) ?? '' };
    default:
      return { kind: 'bearer' };
  }
}

function setting(entry: JsonObject): Slot {
  const name = entry.name as string;
  return {
    name,
    label: name,
    prompt: entry.description as string,
    secret: false,
    required: false,
    type: 'text',
    source: { kind: 'operator' },
    delivery: { kind: 'environment', variable: name },
    audience: { kind: 'public' },
  };
}
