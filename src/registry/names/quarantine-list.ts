// Releases that the operator of a registry warns about: nobody should install or run them.
import { HostError } from '../../model/host-error.js';
import { isObject } from '../../model/json.js';
import { documentLimits, tryParseBounded } from '../../model/json-bounds.js';
import { canonicalText } from '../metadata/canonical-text.js';
import { shownReason } from './release-record.js';

export interface QuarantinedRelease {
  readonly name: string;
  readonly version: string;
  readonly reason: string;
  readonly time: string;
}

export const quarantinePath = 'quarantine/list.json';
export const maxQuarantineBytes = 4 * 1024 * 1024;

export function writeQuarantine(releases: readonly QuarantinedRelease[]): Buffer {
  const sorted = [...releases].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return Buffer.from(`${canonicalText({ releases: sorted.map((it) => ({ ...it })) })}\n`);
}

export function readQuarantine(bytes: Uint8Array): QuarantinedRelease[] {
  const value = tryParseBounded(Buffer.from(bytes).toString('utf8'), documentLimits);
  const list = isObject(value) ? value.releases : undefined;
  if (!Array.isArray(list)) throw damaged();
  return list.map((it): QuarantinedRelease => {
    if (!isObject(it)) throw damaged();
    const { name, version, reason, time } = it;
    if (typeof name !== 'string' || typeof version !== 'string') throw damaged();
    if (typeof reason !== 'string' || typeof time !== 'string') throw damaged();
    return { name, version, reason: shownReason(reason), time };
  });
}

function keyOf({ name, version }: QuarantinedRelease): string {
  return `${name}\n${version}`;
}

function damaged(): HostError {
  return new HostError('integrity', "the registry's list of releases under quarantine is damaged");
}
