import { HostError } from '../model/host-error.js';
import { canonicalJson, type JsonObject } from '../model/json.js';
import type { Package } from '../model/package.js';
import type { Rule } from '../model/rule.js';
import { type ReadingName, readingDemands } from '../policy/reading.js';
import type { LimitLedger } from '../store/limits.js';
import { guardInput } from './guard.js';
import { metersFor, takePlace } from './limits.js';

/** Something of a package that is to be read. */
export interface ReadWhat {
  readonly of: Package;
  /** Path of the manifest. */
  readonly file: string;
  readonly name: ReadingName;
}

/** Throws where a rule denies reading it. */
export function assertReadable({ of, file, name }: ReadWhat, rules: readonly Rule[]): void {
  const { refused } = readingDemands(of, name, file, rules);
  if (refused.length > 0) throw new HostError('denied', refused.join('; '));
}

/**
 * Holds what a server is asked for to the same rules as the arguments of a call. Gives it back without personal data, where
 * rules want that.
 */
export async function guardReading(
  what: ReadWhat,
  given: JsonObject,
  rules: readonly Rule[],
): Promise<JsonObject> {
  const { of, file, name } = what;
  const { demands, refused, asked } = readingDemands(of, name, file, rules);
  if (refused.length > 0) throw new HostError('denied', refused.join('; '));
  if (asked.length > 0)
    throw new HostError('denied', `${asked.join('; ')}, and nobody can be asked about reading`, {
      hint: 'let the rule name tools, or effects other than "read", if reading need not be approved',
    });
  const guarded = await guardInput(of.id, demands, given);
  // A prompt can be asked for with a hole in its arguments; an address with one is another address.
  if (name.startsWith('resource:') && canonicalJson(guarded) !== canonicalJson(given))
    throw new HostError('guardrail', `the address holds personal data, which rules keep from ${of.id}`);
  return guarded;
}

/** Takes a place in the rate limits. All resources of a package count together: there is no end of addresses. */
export async function countReading(
  { of, file, name }: ReadWhat,
  principal: string,
  rules: readonly Rule[],
  ledger: LimitLedger,
): Promise<void> {
  const { demands } = readingDemands(of, name, file, rules);
  const counted = `${of.id}/${name.startsWith('resource:') ? 'resource:*' : name}`;
  await takePlace(ledger, metersFor(principal, { demands: { ...demands, spends: [] }, name: counted }, 0));
}
