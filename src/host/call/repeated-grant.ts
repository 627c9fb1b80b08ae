import type { Answer } from '../host.js';

/** The grants of a session: as they were given, and those in force. */
export interface GivenGrants {
  readonly given: readonly string[];
  readonly inForce: readonly string[];
}

/** Replaces a hint to give a grant that was given already: repeating it would not help. */
export function withoutRepeatedGrant(answer: Answer, grants: GivenGrants): Answer {
  if (!('error' in answer) || answer.error.hint === undefined) return answer;
  const [, grant] =
    /--allow ((?:[A-Za-z0-9][\w.-]*=)?net:\S+?)(?=[;,]?(?:\s|$))/.exec(answer.error.hint) ?? [];
  if (grant === undefined || !grants.given.includes(grant)) return answer;
  const hint = grants.inForce.includes(grant)
    ? `${grant} is granted already. A secret of the package that may not be sent there, or a denial in the configuration, prevents it: toolwharf policy explain ${answer.tool}`
    : `the grant ${grant} has no effect until the operator accepts it: toolwharf policy accept`;
  return { ...answer, error: { ...answer.error, hint } };
}
