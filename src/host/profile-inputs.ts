import { denialFor, without } from '../policy/denial.js';
import { grantFor } from '../policy/grant.js';
import { hiddenTogether } from './catalog.js';
import type { Judged } from './readiness.js';
import type { ProfileInputs } from './sandbox-profile.js';
import type { SessionServices, SessionSetup } from './session-services.js';

/** By the judgment they depend on, which belongs to one session and is never changed: a new one is another array. */
const lendings = new WeakMap<readonly Judged[], Map<string, ProfileInputs>>();

/** What the confinements of one package are made from in a session with these packages. */
export function profileInputsFor(
  id: string,
  judged: readonly Judged[],
  setup: SessionSetup,
  machinery: SessionServices,
): ProfileInputs {
  const known = lendings.get(judged) ?? new Map<string, ProfileInputs>();
  lendings.set(judged, known);
  const found = known.get(id) ?? lendingOf(id, judged, setup, machinery);
  known.set(id, found);
  return found;
}

function lendingOf(
  id: string,
  judged: readonly Judged[],
  { principal, grants, root, policy, directories }: SessionSetup,
  { stage, places, environments, sandbox, homes, own }: SessionServices,
): ProfileInputs {
  const denial = denialFor(policy.deny ?? [], id);
  const grant = without(grantFor(grants, id), denial);
  // What is granted to nobody by name can only mean the one package there is.
  const sole = judged.filter((it) => it.loaded.catalog !== undefined).length === 1;
  const others = hiddenTogether(
    judged.flatMap((it) => it.own),
    directories,
    root,
  );
  return {
    principal,
    grant,
    sole,
    widening: sole ? grant.network : (grants.own.get(id)?.network ?? []),
    denial,
    workspace: {
      root,
      read: grant.read,
      write: grant.write,
      ...(policy.roots === undefined ? {} : { within: policy.roots }),
      unwritable: denial.write,
    },
    secret: { homes, own, packages: [...others, ...denial.read] },
    limits: policy.limits ?? {},
    stage,
    places,
    environments,
    user: sandbox.user,
  };
}
