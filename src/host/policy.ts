import { createHash } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { HostError } from '../model/host-error.js';
import { canonicalJson, type Json } from '../model/json.js';
import { denialFor } from '../policy/denial.js';
import { assertRules } from '../policy/rule-check.js';
import type { SessionPolicy } from './host.js';

/** A policy that cannot be held is no policy: the session does not open with it. */
export function assertPolicy({ rules = [], deny = [], roots = [], trusted = [] }: SessionPolicy): void {
  for (const list of [deny, roots, trusted]) {
    if (!Array.isArray(list) || list.some((it) => typeof it !== 'string'))
      throw new HostError('invalid_config', 'deny, roots and trusted are lists of texts');
  }
  assertRules(rules);
  denialFor(deny, '');
  const denied = deny.flatMap((it) => /(?:^|=)(?:read|write):(?!\*$)(.*)$/s.exec(it)?.[1] ?? []);
  const relative = [...roots, ...denied].find((it) => !isAbsolute(it));
  if (relative !== undefined)
    throw new HostError('invalid_config', `${JSON.stringify(relative)} is not an absolute path`);
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
