import { createHash } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { HostError } from '../model/host-error.js';
import { canonicalJson, isObject, type Json } from '../model/json.js';
import { denialFor } from '../policy/denial.js';
import { assertRules } from '../policy/rule-check.js';
import { keeperKinds } from '../secrets/keeper.js';
import type { SessionPolicy } from './host.js';

/** A policy that cannot be held is no policy: the session does not open with it. */
export function assertPolicy(policy: SessionPolicy): void {
  const { rules = [], deny = [], roots = [], trusted = [] } = policy;
  for (const list of [deny, roots, trusted]) {
    if (!Array.isArray(list) || list.some((it) => typeof it !== 'string'))
      throw new HostError('invalid_config', 'deny, roots and trusted are lists of texts');
  }
  assertSealing(policy.sealArguments);
  assertRules(rules);
  denialFor(deny, '');
  const denied = deny.flatMap((it) => /(?:^|=)(?:read|write):(?!\*$)(.*)$/s.exec(it)?.[1] ?? []);
  const relative = [...roots, ...denied].find((it) => !isAbsolute(it));
  if (relative !== undefined)
    throw new HostError('invalid_config', `${JSON.stringify(relative)} is not an absolute path`);
}

/** Whoever wants arguments kept and says it wrongly would find none later. */
function assertSealing(sealing: unknown): void {
  if (sealing === undefined) return;
  const keeper = isObject(sealing) ? sealing.keeper : null;
  if (keeper !== undefined && !keeperKinds.some((it) => it === keeper))
    throw new HostError(
      'invalid_config',
      'sealArguments is an object, with a keeper of file, passphrase or keychain',
      {
        hint: 'leave the keeper out for the usual one: sealArguments: {}',
      },
    );
}

/** What a person who approves a call agrees to besides the call: another policy, another digest. */
export function policyDigest({ rules = [], ...rest }: SessionPolicy): string {
  // Where a rule stands does not change what it says.
  const said = rules.map(({ origin, ...rule }) =>
    canonicalJson(withoutUndefined({ ...rule, by: origin.kind })),
  );
  const told = canonicalJson(withoutUndefined({ ...rest, rules: said.sort() }));
  return createHash('sha256').update(told).digest('hex');
}

function withoutUndefined(value: object): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
