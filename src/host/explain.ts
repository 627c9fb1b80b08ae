// What would happen to a call, and who says so, without running anything.
import { asHostError, type HostError } from '../model/host-error.js';
import { isObject, type JsonSchema } from '../model/json.js';
import type { Rule, RuleOrigin } from '../model/rule.js';
import { assertNotDenied, parseDestination } from '../net/destination.js';
import type { Demand } from '../policy/combine.js';
import { type Decision, decide, type Reason } from '../policy/decide.js';
import { type Denial, denialFor, without } from '../policy/denial.js';
import { grantFor } from '../policy/grant.js';
import { guessesIn } from '../policy/guesses.js';
import { matches } from '../policy/rules.js';
import type { LimitLedger } from '../store/limits.js';
import { type Caller, type CallServices, type FrozenCall, prepare, subjectOf } from './call.js';
import type { ExplainedLimit, ExplainedPermissions, ExplainRequest, Explanation } from './host.js';
import { assertRoom, metersFor, type NamedMeter } from './limits.js';
import { fileAccess } from './sandbox-profile.js';
import type { CallableTool } from './served-tool.js';
import type { SessionSetup } from './session-services.js';

export async function explain(
  { tool: name, arguments: given }: ExplainRequest,
  caller: Caller,
  setup: SessionSetup,
  path: CallServices,
): Promise<Explanation> {
  const served = await caller.resolve(name);
  const { tool, package: of, demands } = served;
  const denial = denialFor(setup.policy.deny ?? [], of.id);
  const judged = await judge(served, given, caller, denial, path);
  return {
    tool: served.name,
    ...judged,
    effect: { value: tool.effect, declared: tool.effectDeclared },
    trusted: (setup.policy.trusted ?? []).some((it) => matches(it, served.name)),
    policy: setup.policyDigest,
    permissions: permissionsOf(served, setup, denial),
    limits: await limitsOf(served, caller.principal, path.limits),
    guardrails: {
      denyPatterns: demands.denyPatterns.map(said),
      redact: demands.rules.flatMap((rule) =>
        (rule.redact ?? []).map((value) => ({ value, origin: rule.origin })),
      ),
      outputs: demands.outputs.map(said<JsonSchema>),
      guesses: guessesIn(setup.policy.noGuesses, served.name),
    },
  };
}

type Verdict = Pick<Explanation, 'verdict' | 'code' | 'because'>;

/** The road of a call as far as it can be walked without doing anything. */
async function judge(
  served: CallableTool,
  given: ExplainRequest['arguments'],
  caller: Caller,
  denial: Denial,
  path: CallServices,
): Promise<Verdict> {
  let frozen: FrozenCall | undefined;
  try {
    path.kills.assertAlive(subjectOf(caller, served));
    if (given === undefined) await served.assertReady();
    else frozen = await prepare(path, caller, served.name, given);
    assertReach(served, denial);
    const decision = decide({ ...served, input: frozen?.input });
    if (decision.kind !== 'deny') {
      const meters = frozen?.meters ?? metersFor(caller.principal, served, 0);
      await assertRoom(path.limits, meters);
    }
    return verdictOf(decision);
  } catch (error) {
    const refusal = asHostError(error);
    const { code, message: text } = refusal;
    if (code === 'internal') throw error;
    return { verdict: verdictFor(code), code, because: [{ text, origin: originOf(refusal, served) }] };
  }
}

function verdictOf(decision: Decision): Verdict {
  const because: readonly Reason[] =
    decision.because.length > 0
      ? decision.because
      : [{ text: 'no rule refuses it or asks a person', origin: { kind: 'built-in' } }];
  return { verdict: decision.kind, because };
}

function verdictFor(code: HostError['code']): Explanation['verdict'] {
  switch (code) {
    case 'rate_limited':
    case 'spend_limit':
      return 'limit';
    case 'guardrail':
    case 'killed':
    case 'disabled':
    case 'needs_review':
    case 'network_denied':
      return 'deny';
    case 'invalid_input':
      return 'invalid';
    default:
      return 'not-ready';
  }
}

/** A refusal carries the rule that made it; what fits no schema is the manifest's word. */
function originOf({ code, cause }: HostError, { file }: CallableTool): RuleOrigin {
  if (isObject(cause) && isObject(cause.origin)) return (cause as unknown as Rule).origin;
  return code === 'invalid_input' ? { kind: 'manifest', file } : { kind: 'built-in' };
}

/** A request whose only destination is ruled out would fail after everything else was agreed to. */
function assertReach({ tool }: CallableTool, { network }: Denial): void {
  if (tool.action?.kind !== 'http') return;
  assertNotDenied(parseDestination(tool.action.url.origin), { hosts: [], granted: [], denied: network });
}

function permissionsOf(
  { package: of, tool }: CallableTool,
  { grants, policy, root }: SessionSetup,
  denial: Denial,
): ExplainedPermissions {
  const grant = without(grantFor(grants, of.id), denial);
  const filesystem = fileAccess(of, tool, denial);
  return {
    network: denial.noNetwork ? { kind: 'none' } : of.permissions.network,
    filesystem,
    ...(filesystem === 'none' ? {} : { root }),
    roots: policy.roots ?? null,
    granted: {
      network: denial.noNetwork ? [] : grant.network,
      read: grant.read,
      write: grant.write,
      environment: grant.environment,
    },
    denied: [...(policy.deny ?? [])],
  };
}

async function limitsOf(
  served: CallableTool,
  principal: string,
  ledger: LimitLedger,
): Promise<ExplainedLimit[]> {
  const { maxLength, maxAmount, askAbove } = served.demands;
  const fixed = (kind: ExplainedLimit['kind'], demand: Demand<number> | undefined): ExplainedLimit[] =>
    demand === undefined ? [] : [{ kind, most: demand.value, origin: demand.rule.origin }];
  const meters = metersFor(principal, served, 0);
  const readings = meters.length === 0 ? [] : await ledger.read(meters.map((it) => it.meter));
  return [
    ...fixed('length', maxLength),
    ...fixed('amount', maxAmount),
    ...fixed('ask_above', askAbove),
    ...readings.map(({ meter, used }, index): ExplainedLimit => {
      const { demand } = meters[index] as NamedMeter;
      return {
        kind: meter.kind === 'calls' ? 'rate' : 'spend',
        most: meter.most,
        per: demand.value.per,
        left: Math.max(0, meter.most - used),
        origin: demand.rule.origin,
      };
    }),
  ];
}

function said<T>({ value, rule }: Demand<T>): { readonly value: T; readonly origin: RuleOrigin } {
  return { value, origin: rule.origin };
}
