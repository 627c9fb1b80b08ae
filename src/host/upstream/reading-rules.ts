import { HostError } from '../../model/host-error.js';
import { canonicalJson, type JsonObject } from '../../model/json.js';
import type { Package } from '../../model/package.js';
import type { Rule } from '../../model/rule.js';
import { type ReadName, readRequirements } from '../../policy/rules/read-requirements.js';
import type { LimitLedger } from '../../store/limit-ledger.js';
import { applyInputGuardrails, hasInputGuardrails } from '../call/input-guardrails.js';
import { metersForAmount, reserveLimits } from '../call/limits.js';

/** A prompt or resource of a package. */
export interface ReadTarget {
  readonly package: Package;
  /** Path of the manifest. */
  readonly file: string;
  readonly name: ReadName;
}

/** Throws if a rule denies reading it. */
export function assertReadable({ package: pkg, file, name }: ReadTarget, rules: readonly Rule[]): void {
  const { denied } = readRequirements(pkg, name, file, rules);
  if (denied.length > 0) throw new HostError('denied', denied.join('; '));
}

/** Whether a guardrail looks at what is read: it knows nothing else of the request. */
export function isInspectedRead({ package: pkg, file, name }: ReadTarget, rules: readonly Rule[]): boolean {
  return hasInputGuardrails(readRequirements(pkg, name, file, rules).requirements);
}

/** Applies the same rules to a read request as to the arguments of a call. Returns it redacted if a rule says so. */
export async function guardRead(
  target: ReadTarget,
  request: JsonObject,
  rules: readonly Rule[],
): Promise<JsonObject> {
  const { package: pkg, file, name } = target;
  const { requirements, denied, asked } = readRequirements(pkg, name, file, rules);
  if (denied.length > 0) throw new HostError('denied', denied.join('; '));
  if (asked.length > 0)
    throw new HostError('denied', `${asked.join('; ')}, but reading cannot be approved`, {
      hint: 'if reading needs no approval, limit the rule to tools or to effects other than "read"',
    });
  const guarded = await applyInputGuardrails(pkg.id, requirements, request);
  // Redacted prompt arguments are still usable; a redacted address is a different address.
  if (name.startsWith('resource:') && canonicalJson(guarded) !== canonicalJson(request))
    throw new HostError(
      'guardrail',
      `the address contains personal data, and a rule does not let ${pkg.id} have it`,
    );
  return guarded;
}

/** Counts a read against the rate limits. All resources of a package count together, as addresses are unlimited. */
export async function countRead(
  { package: pkg, file, name }: ReadTarget,
  principal: string,
  rules: readonly Rule[],
  ledger: LimitLedger,
): Promise<void> {
  const { requirements } = readRequirements(pkg, name, file, rules);
  const counted = `${pkg.id}/${name.startsWith('resource:') ? 'resource:*' : name}`;
  await reserveLimits(
    ledger,
    metersForAmount(principal, { requirements: { ...requirements, spends: [] }, name: counted }, 0),
  );
}
